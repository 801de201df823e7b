"""Recognition of a document as work of the server: asked for, or because somebody opens the document."""

from __future__ import annotations

import threading

from octavo.settings.ocr import OcrOptions
from octavo_contracts import OctavoError
from octavo_library import Document, Library
from octavo_library.facade.recognition.on_request import lacks, recognise_document
from octavo_library.facade.recognition.recognised import RecognitionResult

from .access import Grant
from .background_work import BackgroundWork, Task, TaskResult
from .screen import Reader


def start_recognition(
    library: Library,
    work: BackgroundWork,
    document: Document,
    grant: Grant,
    options: OcrOptions,
    *,
    activate: bool | None = None,
) -> Task:
    """Start to recognise pages of a document; `activate` is as in `Document.reconvert`.

    Raises:
        Refused: too much work is waiting.
    """

    def run(cancel: threading.Event) -> TaskResult:
        done = recognise_document(document, options, cancel=cancel, activate=activate)
        return TaskResult(message=_said(done), document_id=document.id, is_failure=done.is_incomplete)

    return work.start("recognise", library.catalogue.name_of(document), grant, run, document_id=document.id)


def recognise_opened(reader: Reader, document: Document) -> None:
    """Start to recognise the unread pages of a document that somebody opens, if the settings say so (OCR-7).

    A document is tried once, as long as the server remembers the task; a server with too much work leaves it.
    """
    settings = reader.library.context.runtime.settings.ocr
    if not (reader.may_change and settings.automatic and settings.on_open):
        return
    known = reader.work.tasks(reader.grant)
    if any(task.kind == "recognise" and task.document_id == document.id for task in known):
        return
    try:
        if lacks(document):
            start_recognition(reader.library, reader.work, document, reader.grant, OcrOptions(embedded=True))
    except OctavoError:  # too much work is waiting, or the page of the document says what is damaged
        return


def _said(done: RecognitionResult) -> str:
    read = len(done.recognition.confidences)
    unread = len(done.recognition.unread)
    pages = f"{read} page{'' if read == 1 else 's'} recognised"
    failed = f", {unread} not" if unread else ""
    made = f", version {done.version.version}" if done.version is not None else ", no new version"
    return pages + failed + made
