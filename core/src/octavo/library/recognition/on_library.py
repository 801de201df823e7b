"""What a library offers for recognition: of one document, of many, and behind everything else (OCR-6).

`Library` is built on it. Versions are immutable: while a new one is made, readers get the one they had.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from octavo_contracts import DegradedFlag, NotAttempted, OctavoError

from ...ingestion.engine import Engine
from ...runtime import Runtime
from ...sandbox.errors import Cancelled, raise_if
from ...settings.ocr import AUTOMATIC, OcrOptions
from ...storage import Index
from .background_run import Behind, RecognitionRun

if TYPE_CHECKING:
    from ..document import Document
    from ..library import Library
    from .on_request import Recognised


@dataclass(frozen=True, kw_only=True)
class RecognisedDocument:
    """What came of one document of a selection.

    Attributes:
        document_id: which.
        recognised: what was read; None where it failed, and where another run had read it meanwhile.
        error: why it failed.
        done: documents of the selection that are done, this one among them.
        total: documents of the selection.
    """

    document_id: str
    recognised: Recognised | None = None
    error: OctavoError | None = None
    done: int
    total: int


class RecognisesDocuments:
    """The part of `Library` that has pages read."""

    index: Index
    runtime: Runtime
    engine: Engine
    recognition: Behind

    if TYPE_CHECKING:

        def document(self, ref: str, *, corpus: str | None = None) -> Document:
            """`Library` has it."""

        def documents(self, *, corpus: str | None = None) -> list[Document]:
            """`Library` has it."""

    def unread(self, *, corpus: str | None = None) -> list[Document]:
        """The documents that have pages, or pictures that were asked for, which nobody has read.

        Args:
            corpus: only its documents, as its policy sees them (STO-5).

        Raises:
            UsageError: no such corpus.
        """
        flagged = self.index.documents_flagged(DegradedFlag.OCR_NEEDED.value)
        return [document for document in self.documents(corpus=corpus) if document.id in flagged]

    def recognise_many(
        self,
        documents: Sequence[str] | None = None,
        *,
        corpus: str | None = None,
        options: OcrOptions = AUTOMATIC,
        cancel: threading.Event | None = None,
        progress: Callable[[RecognisedDocument], None] | None = None,
    ) -> Iterator[RecognisedDocument]:
        """Recognise pages of many documents, one after the other; what is read becomes a new version of each.

        One that fails never stops the rest.

        Args:
            documents: as `document` takes them; None: those that have something unread.
            corpus: only its documents, as its policy sees them.
            options: pages, engine, pictures.
            cancel: set it from another thread to stop; the rest is not attempted.
            progress: called after each document.

        Raises:
            UsageError: no such document or corpus.
            StorageError: the library can not be written.
        """
        if documents is None:
            chosen = self.unread(corpus=corpus)
        else:
            chosen = [self.document(ref, corpus=corpus) for ref in documents]
        return self._recognise_many(
            chosen, options, cancel or threading.Event(), progress, corpus=corpus, only_unread=documents is None
        )

    def recognise_behind(
        self,
        documents: Sequence[str] | None = None,
        *,
        corpus: str | None = None,
        options: OcrOptions = AUTOMATIC,
        progress: Callable[[RecognisedDocument], None] | None = None,
    ) -> RecognitionRun:
        """As `recognise_many`, on a thread of its own: the call returns at once, and reading goes on meanwhile.

        It holds back while the machine or its user is busy, as ingestion does (ENG-11), and ends when the library is
        closed; what was read by then is kept, and the next run goes on from there.

        Args:
            documents: as `recognise_many`.
            corpus: as `recognise_many`.
            options: as `recognise_many`.
            progress: called after each document, on that thread.

        Returns:
            The run, to look at, wait for, or cancel.

        Raises:
            UsageError: no such document or corpus.
        """
        run = RecognitionRun()
        found = self.recognise_many(documents, corpus=corpus, options=options, cancel=run.stop, progress=progress)
        self.recognition.start(run, found)
        return run

    def _recognise_many(
        self,
        chosen: Sequence[Document],
        options: OcrOptions,
        cancel: threading.Event,
        progress: Callable[[RecognisedDocument], None] | None,
        *,
        corpus: str | None,
        only_unread: bool,
    ) -> Iterator[RecognisedDocument]:
        for done, document in enumerate(chosen, start=1):
            recognised, error = self._recognised(document, options, cancel, corpus=corpus, only_unread=only_unread)
            found = RecognisedDocument(
                document_id=document.id, recognised=recognised, error=error, done=done, total=len(chosen)
            )
            if progress is not None:
                progress(found)
            yield found

    def _recognised(
        self,
        document: Document,
        options: OcrOptions,
        cancel: threading.Event,
        *,
        corpus: str | None,
        only_unread: bool,
    ) -> tuple[Recognised | None, OctavoError | None]:
        from .on_request import lacks, recognise_document

        try:
            raise_if(cancel)
            self.engine.throttle.wait(cancel=cancel)
            now = self.document(document.id, corpus=corpus)  # as it is when its turn comes, and as its asker sees it
            if only_unread:
                if not lacks(now):
                    return None, None
                options = replace(options, embedded=True)  # where it is pictures that nobody has read
            return recognise_document(cast("Library", self), now, options, cancel=cancel), None
        except OctavoError as error:
            if cancel.is_set():  # a library that was closed meanwhile says other things than that it was cancelled
                why = NotAttempted(
                    "the recognition was cancelled", source=document.title or document.id, remedy="Recognise it again"
                )
                return None, why
            if isinstance(error, Cancelled):
                raise
            return None, error
