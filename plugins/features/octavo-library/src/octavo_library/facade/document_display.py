"""The picture of a document in notebooks."""

from __future__ import annotations

from octavo.conversion.ocr import page_thumbnail
from octavo.runtime import Runtime
from octavo_contracts import OctavoError

from .document_original import Original


def first_page(runtime: Runtime, original: Original, *, media_type: str | None) -> bytes | None:
    """Render the first page as PNG; None where the original cannot be found, or its page cannot be rendered."""
    try:
        with original.open() as source:
            password = runtime.settings.password_for(None)
            return page_thumbnail(runtime, source, media_type=media_type, password=password)
    except OctavoError:
        return None  # the original was moved or changed; the texts are in the library
