"""A small picture of one page, for display. It is rendered in a worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from ...documents.source import Source
from .needs_ocr import IMAGES, PDF
from .worker import RenderAnswer, RenderRequest, render

if TYPE_CHECKING:
    from ...runtime import Runtime

_DPI = 60.0
_MAX_PIXELS = 1_000_000
_SECONDS = 10.0
_RENDER = task_name(render)


def page_thumbnail(
    runtime: Runtime, source: Source, *, media_type: str | None, page: int = 1, password: str | None = None
) -> bytes | None:
    """Render a page of a PDF or an image as PNG.

    Args:
        runtime: workers and limits.
        source: the document.
        media_type: its type by content.
        page: the page, from 1.
        password: of an encrypted document.

    Returns:
        None for another type, and where the page cannot be rendered: no renderer, no such page, a damaged file.
    """
    if media_type != PDF and media_type not in IMAGES:
        return None
    request = RenderRequest(page=page, dpi=_DPI, max_pixels=_MAX_PIXELS, password=password)
    try:
        reply = runtime.pool.run(
            _RENDER,
            request.to_json().encode(),
            source=source.handle(media_type=media_type),
            limits=replace(runtime.settings.limits, wall_seconds=_SECONDS),
            lane=WorkerGroup(),
        )
        return reply.read(RenderAnswer).image.png
    except OctavoError:
        return None  # a display without the picture is still one; the document's report says what is damaged
