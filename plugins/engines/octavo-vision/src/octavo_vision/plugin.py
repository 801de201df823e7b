"""The hook of the plugin `vision`."""

from __future__ import annotations

from octavo_contracts import HookContext, OCRRequest, OCRResult, PageImage, hookimpl


@hookimpl
def ocr(image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
    """Recognise or describe a picture; see `octavo_vision.recognise`."""
    from .recognise import recognise_picture

    return recognise_picture(image, request, context)
