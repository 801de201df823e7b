"""Renders a page of a document for display, in a worker."""

from __future__ import annotations

import threading

from octavo.conversion.ocr.needs_ocr import IMAGES, PDF
from octavo.conversion.ocr.page_recogniser import RENDER
from octavo.conversion.ocr.worker import RenderAnswer, RenderRequest
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_contracts import PageImage, UsageError
from octavo_sandbox import SandboxLimits, WorkerGroup

RENDER_SECONDS = 30.0
"""Time limit of one page."""


def can_render(media_type: str | None) -> bool:
    """Whether documents of a media type have pages that can be rendered: PDF and images."""
    return media_type == PDF or media_type in IMAGES


def render_page(
    runtime: Runtime,
    source: Source,
    page: int,
    *,
    media_type: str | None,
    dpi: float,
    max_pixels: int | None = None,
    password: str | None = None,
    cancel: threading.Event | None = None,
) -> PageImage:
    """Render a page of a document as a grey PNG.

    Args:
        runtime: workers and settings.
        source: the document.
        page: the page, from 1.
        media_type: the document's type by content.
        dpi: resolution; a page with more than `max_pixels` gets a lower one.
        max_pixels: by default the setting `ocr.max_pixels`.
        password: of an encrypted document.
        cancel: event that stops the worker.

    Raises:
        UsageError: the page does not exist, or documents of this type are not rendered.
        OcrFailed: the page cannot be rendered.
        ContentTooLarge: an image is too large to be decoded.
        ToolUnavailable: the package that decodes images is not installed.
        ToolError: the worker failed, or exceeded a limit.
        Cancelled: `cancel` was set.
    """
    if not can_render(media_type) or media_type is None:
        raise UsageError(
            f"pages of {media_type or 'an unknown type'} cannot be rendered",
            source=source.name,
            page=page,
            remedy="Read its text; pages of PDF files and images have a picture",
        )
    request = RenderRequest(
        page=page, dpi=dpi, max_pixels=max_pixels or runtime.settings.ocr.max_pixels, password=password
    )
    reply = runtime.pool.run(
        RENDER,
        request.to_json().encode(),
        source=source.handle(media_type=media_type),
        limits=SandboxLimits(wall_seconds=RENDER_SECONDS),
        lane=WorkerGroup(),
        cancel=cancel,
    )
    return reply.read(RenderAnswer).image
