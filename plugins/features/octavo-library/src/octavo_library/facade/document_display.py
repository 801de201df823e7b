"""The picture of a document in notebooks."""

from __future__ import annotations

from octavo.runtime import Runtime
from octavo_contracts import OctavoError

from .document_original import Original
from .page_render import can_render, render_page

_DPI = 60.0
_MAX_PIXELS = 1_000_000


def first_page(runtime: Runtime, original: Original, *, media_type: str | None) -> bytes | None:
    """Render the first page as a small PNG; None where the original cannot be found, or its page cannot be rendered."""
    if not can_render(media_type):
        return None
    try:
        with original.open() as source:
            image = render_page(
                runtime,
                source,
                1,
                media_type=media_type,
                dpi=_DPI,
                max_pixels=_MAX_PIXELS,
                password=runtime.settings.password_for(None),
            )
    except OctavoError:
        return None  # the original was moved, changed or damaged; the texts are in the library, and its report says so
    return image.png
