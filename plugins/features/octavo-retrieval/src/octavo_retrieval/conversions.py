"""`convert_to_markdown` and `ocr_document`: make new versions of library documents (RET-6)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from octavo.settings.ocr import OcrOptions
from octavo_context.tokens import count_tokens
from octavo_library.facade.document import Document
from octavo_library.facade.recognition.on_request import recognise_document
from pydantic import JsonValue

from .failures import FailureCode, ToolFailure
from .models import ConversionAnswer, ConvertToMarkdownRequest, NextCall, OcrDocumentRequest
from .page_reader import PAGES, Reader

CONVERT = "convert_to_markdown"
OCR = "ocr_document"


@dataclass(frozen=True)
class Converter:
    """Converts documents and runs OCR within a scope.

    Attributes:
        reader: reads documents.
    """

    reader: Reader

    def convert(self, request: ConvertToMarkdownRequest, *, cancel: threading.Event | None) -> ConversionAnswer:
        """Convert a document, for the first time or again.

        Raises:
            ToolFailure: the document is not found, or is being converted.
            OctavoError: the conversion failed; existing versions are unchanged.
        """
        document = self.reader.scope.find(request.document_id)
        made = document.active_version is None or request.reconvert
        if made:
            document.reconvert(cancel=cancel)
        return self._answer(document, was=document.active_version, recognised=())

    def recognise(self, request: OcrDocumentRequest, *, cancel: threading.Event | None) -> ConversionAnswer:
        """Run OCR on scanned pages of a document.

        Raises:
            ToolFailure: the document or a page is not found.
            OctavoError: no OCR engine is available, or OCR failed; existing versions are unchanged.
        """
        document = self.reader.scope.find(request.document_id)
        if request.pages is not None and min(request.pages) < 1:
            raise ToolFailure(
                FailureCode.PAGE_OUT_OF_RANGE, f"There is no page {min(request.pages)}", remedy="Pages count from 1"
            )
        done = recognise_document(document, OcrOptions(pages=request.pages), cancel=cancel)
        read = tuple(sorted(done.recognition.readings))
        return self._answer(document, was=document.active_version, recognised=read)

    def _answer(self, document: Document, *, was: int | None, recognised: tuple[int, ...]) -> ConversionAnswer:
        now = self.reader.scope.readable(document.id)
        opened = self.reader.opened.open(now)
        every = [page.number for page in opened.pages]
        created = opened.version != was
        notes = [one.message.rstrip(".") + "." for one in opened.quality.findings if one.severity == "degraded"][:5]
        if not created:
            notes.insert(0, "No new version was made: the active one is current.")
        arguments: dict[str, JsonValue] = {"document_id": now.id, "page_range": {"start": 1, "end": len(every)}}
        return ConversionAnswer(
            document_id=now.id,
            document_title=self.reader.scope.name_of(now),
            version=opened.version,
            created=created,
            total_pages=len(every),
            pages_recognised=recognised,
            extraction_method=opened.extraction_method(every),
            quality_score=opened.quality.quality_score,
            degraded_flags=opened.quality.degraded_flags,
            token_count=sum(count_tokens(page.markdown) for page in opened.pages),
            truncated=False,
            notes=" ".join(notes),
            source_ref=self.reader.source_ref(now, opened, ()),
            next_call=NextCall(tool=PAGES, arguments=arguments) if opened.has_text else None,
        )
