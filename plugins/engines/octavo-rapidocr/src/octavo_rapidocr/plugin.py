"""The hooks of the plugin `rapidocr`."""

from __future__ import annotations

from octavo_contracts import HookContext, OCRRequest, OCRResult, PageImage, hookimpl


@hookimpl
def ocr(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise one page; see `octavo_rapidocr.recognise`."""
    from .recognise import recognise_page

    return recognise_page(image, request)
