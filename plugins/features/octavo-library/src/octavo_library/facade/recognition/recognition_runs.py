"""`library.recognition`: recognition of many documents, sequentially or in the background (OCR-6).

Versions are immutable: while a new one is made, readers get the current one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import DegradedFlag, NotAttempted, OctavoError
from octavo_sandbox.errors import Cancelled, raise_if

from ..context import LibraryContext
from ..document import Document
from ..lookup import find_document, list_documents
from .background_run import RecognisedDocument, RecognitionRun
from .cost_limit import RecognitionCost
from .on_request import lacks, recognise_document
from .recognised import RecognitionResult
from .sent_documents import SentDocuments


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What a run does to each document.

    Attributes:
        options: pages, engine, pictures.
        cancel: set to stop.
        cost: the cost of the run so far.
        corpus: only its documents, as visible under its policy.
        only_unread: whether documents without unread parts are passed over.
    """

    options: OcrOptions
    cancel: threading.Event
    cost: RecognitionCost
    corpus: str | None
    only_unread: bool


class RecognitionRuns:
    """Recognition of the documents of an open library.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context
        self._sent = SentDocuments(context.background)

    def pending(self, *, corpus: str | None = None) -> list[Document]:
        """The documents that need OCR: with unread pages, or with unread pictures that were requested.

        Args:
            corpus: only its documents, as visible under its policy (STO-5).

        Raises:
            UsageError: no such corpus.
        """
        flagged = self._context.index.versions.flagged_documents(DegradedFlag.OCR_NEEDED.value)
        return [document for document in list_documents(self._context, corpus=corpus) if document.id in flagged]

    def run(
        self,
        documents: Sequence[str] | None = None,
        *,
        corpus: str | None = None,
        options: OcrOptions = AUTOMATIC,
        confirm_cost: bool = False,
        cancel: threading.Event | None = None,
        progress: Callable[[RecognisedDocument], None] | None = None,
    ) -> Iterator[RecognisedDocument]:
        """Recognise pages of many documents, one after the other; each gets a new version with the text.

        A document that fails does not stop the others.

        Args:
            documents: as for `Library.document`; None: all documents that need OCR.
            corpus: only its documents, as visible under its policy.
            options: pages, engine, pictures.
            confirm_cost: whether the run may cost more than the limits of the corpora; else a document that would go above
                one is not recognised (ENG-24).
            cancel: set it from another thread to stop; the rest is not attempted.
            progress: called after each document.

        Raises:
            UsageError: no such document or corpus.
            StorageError: the library cannot be written.
        """
        if documents is None:
            chosen = self.pending(corpus=corpus)
        else:
            chosen = [find_document(self._context, ref, corpus=corpus) for ref in documents]
        work = _Work(
            options=options,
            cancel=cancel or threading.Event(),
            cost=RecognitionCost(self._context, options, is_confirmed=confirm_cost),
            corpus=corpus,
            only_unread=documents is None,
        )
        return self._recognise_many(chosen, work, progress)

    def start(
        self,
        documents: Sequence[str] | None = None,
        *,
        corpus: str | None = None,
        options: OcrOptions = AUTOMATIC,
        confirm_cost: bool = False,
        progress: Callable[[RecognisedDocument], None] | None = None,
    ) -> RecognitionRun:
        """As `run`, but in a background thread: the call returns immediately.

        The run pauses while the machine or its user is busy, as ingestion does (ENG-11), and ends when the library is
        closed; finished readings are kept, and the next run continues from there.

        Args:
            documents: as `run`.
            corpus: as `run`.
            options: as `run`.
            confirm_cost: as `run`.
            progress: called after each document, on that thread.

        Returns:
            The run, to inspect, wait for, or cancel.

        Raises:
            UsageError: no such document or corpus.
        """
        run = RecognitionRun()
        found = self.run(
            documents, corpus=corpus, options=options, confirm_cost=confirm_cost, cancel=run.stop, progress=progress
        )
        self._context.background.start(run, found)
        return run

    def before_sending(self, document: Document) -> Document:
        """Recognise the unread pages of a document that is about to be sent to a model (OCR-7).

        The settings `ocr.on_send` and `ocr.automatic` turn this off; `ocr.send_seconds` limits the wait, after which the recognition
        goes on in the background. A version is tried once for each open library.

        Args:
            document: the document as the sender sees it.

        Returns:
            The document with its new version; the given one if nothing was read in time.
        """
        settings = self._context.runtime.settings.ocr
        if not (settings.automatic and settings.on_send):
            return document
        again = partial(find_document, self._context, document.id, policy=document.policy)
        return self._sent.recognise(document, seconds=settings.send_seconds, again=again)

    def _recognise_many(
        self, chosen: Sequence[Document], work: _Work, progress: Callable[[RecognisedDocument], None] | None
    ) -> Iterator[RecognisedDocument]:
        for done, document in enumerate(chosen, start=1):
            recognised, error = self._recognised(document, work)
            found = RecognisedDocument(
                document_id=document.id, recognised=recognised, error=error, done=done, total=len(chosen)
            )
            if progress is not None:
                progress(found)
            yield found

    def _recognised(self, document: Document, work: _Work) -> tuple[RecognitionResult | None, OctavoError | None]:
        options, cancel = work.options, work.cancel
        try:
            raise_if(cancel)
            self._context.engine.throttle.wait(cancel=cancel)
            # read again: another run may have changed the document meanwhile
            now = find_document(self._context, document.id, corpus=work.corpus)
            if work.only_unread:
                if not lacks(now):
                    return None, None
                options = replace(options, embedded=True)  # the unread parts may be pictures
            return recognise_document(now, options, cancel=cancel, cost=work.cost), None
        except OctavoError as error:
            if cancel.is_set():  # a library that was closed meanwhile raises other errors than `Cancelled`
                why = NotAttempted(
                    "the recognition was cancelled", source=document.title or document.id, remedy="Start it again"
                )
                return None, why
            if isinstance(error, Cancelled):
                raise
            return None, error
