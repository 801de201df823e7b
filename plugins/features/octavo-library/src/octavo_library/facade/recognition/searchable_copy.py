"""Searchable copies of recognised PDF files, written by `octavo-searchable-pdf` (OCR-4)."""

from __future__ import annotations

from octavo.conversion.ocr.needs_ocr import PDF
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import ToolUnavailable, UnsupportedFormat, UsageError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from .recognised import RecognitionResult


def searchable_copy(runtime: Runtime, source: Source, done: RecognitionResult, *, password: str | None = None) -> bytes:
    """A copy of a PDF with the recognised words as an invisible layer (OCR-4).

    Raises:
        UnsupportedFormat: the document is not a PDF.
        UsageError: no recognised words to write.
        ToolUnavailable: octavo-searchable-pdf is not installed.
        SourceCorrupt: the PDF is too damaged to be rewritten.
    """
    try:
        from octavo_searchable_pdf.writer import LayerPage, LayerRequest, write_searchable
    except ModuleNotFoundError as error:
        raise ToolUnavailable(
            "a searchable copy needs octavo-searchable-pdf, which is not installed",
            remedy="Run: pip install octavo-searchable-pdf",
        ) from error
    if done.media_type != PDF:
        raise UnsupportedFormat(
            f"a searchable copy needs a PDF, got {done.media_type}",
            source=source.display,
            remedy="Convert it to PDF first",
        )
    pages = tuple(LayerPage(page=number, words=result.words) for number, result in done.recognition.with_text.items())
    if not any(page.words for page in pages):
        raise UsageError("no recognised words to write", source=source.display, remedy="Select pages with --pages")
    reply = runtime.pool.run(
        task_name(write_searchable),
        LayerRequest(pages=pages, password=runtime.settings.password_for(password)).to_json().encode(),
        source=source.handle(media_type=PDF),
        limits=runtime.settings.limits,
        lane=WorkerGroup(),
    )
    return reply.payload
