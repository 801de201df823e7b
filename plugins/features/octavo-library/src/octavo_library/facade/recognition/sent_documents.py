"""Recognition of a document that is sent to a model before all of its pages are read (OCR-7)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from octavo.settings.ocr import OcrOptions
from octavo_contracts import NotAttempted, OctavoError

from ..document import Document
from .background_run import BackgroundRuns, RecognisedDocument, RecognitionRun
from .on_request import lacks, recognise_document

VersionKey = tuple[str, int | None]


class SentDocuments:
    """The documents of an open library that were recognised because they were sent. Thread-safe.

    A version is tried once: what no engine could read the first time would delay each message.

    Args:
        background: the background runs of the library.
    """

    def __init__(self, background: BackgroundRuns) -> None:
        self._background = background
        self._lock = threading.Lock()
        self._runs: dict[VersionKey, RecognitionRun] = {}

    def recognise(self, document: Document, *, seconds: float, again: Callable[[], Document]) -> Document:
        """Recognise the unread pages of a document in the background, and wait for them.

        Args:
            document: the document; one without unread pages is returned at once.
            seconds: longest wait.
            again: looks the document up again.

        Returns:
            The document as it is then; the given one if the recognition failed or goes on.
        """
        if not lacks(document):
            return document
        key = (document.id, document.active_version)
        with self._lock:
            run = self._runs.get(key)
            is_first = run is None
            if run is None:
                run = self._runs[key] = RecognitionRun()
        if is_first:
            self._background.start(run, _recognised(document, run.stop))
        run.wait(seconds)
        return document if run.is_running else again()


def _recognised(document: Document, cancel: threading.Event) -> Iterator[RecognisedDocument]:
    """Recognise one document; a failure is its outcome."""
    done, failure = None, None
    try:
        done = recognise_document(document, OcrOptions(embedded=True), cancel=cancel)
    except OctavoError as error:
        failure = error
        if cancel.is_set():  # a library that was closed meanwhile raises other errors than `Cancelled`
            name = document.title or document.id
            failure = NotAttempted("the recognition was cancelled", source=name, remedy="Send it again")
    yield RecognisedDocument(document_id=document.id, recognised=done, error=failure, done=1, total=1)
