"""File blocks: the original, or page images for models that read images but no PDF (CTX-5, 003 §6.3)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from octavo.conversion.ocr.worker import RenderAnswer, RenderRequest, render
from octavo.documents.source import Source
from octavo_library.facade.document import Document
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from .blocks import FileBlock

MOST_IMAGES: Final = 10
_DPI: Final = 110.0
_MAX_PIXELS: Final = 1_150_000
"""Most pixels of a page image. Providers downscale larger images."""
_AS_IT_IS: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LARGEST: Final = 1_500_000
_BLOCK: Final = 1 << 20


def page_images(document: Document, pages: Sequence[int], *, name: str) -> tuple[FileBlock, ...]:
    """Render pages of a PDF or an image file as greyscale PNG, in a worker process.

    Args:
        document: the document.
        pages: page numbers, from 1.
        name: display name.

    Raises:
        OctavoError: the original cannot be read, or a page cannot be rendered.
    """
    runtime = document.context.runtime
    with document.original.open() as source:
        handle = source.handle(media_type=document.media_type or "application/octet-stream")
        blocks = []
        for page in pages:
            request = RenderRequest(page=page, dpi=_DPI, max_pixels=_MAX_PIXELS)
            reply = runtime.pool.run(
                task_name(render),
                request.to_json().encode(),
                source=handle,
                limits=runtime.settings.limits,
                lane=WorkerGroup(),
                cancel=None,
            )
            drawn = reply.read(RenderAnswer)
            blocks.append(FileBlock(media_type="image/png", name=f"{name}, page {page}", data=drawn.image.png))
    return tuple(blocks)


def image_block(document: Document, *, name: str) -> FileBlock:
    """Block of an image document: the original if providers read its type, else a rendered PNG.

    Raises:
        OctavoError: the original cannot be read or rendered.
    """
    with document.original.open() as source:
        if document.media_type in _AS_IT_IS and source.size <= _LARGEST:
            return FileBlock(media_type=document.media_type, name=name, data=source_bytes(source))
    return page_images(document, [1], name=name)[0]


def pdf_block(document: Document, *, name: str) -> FileBlock:
    """Block of an unchanged PDF.

    Raises:
        OctavoError: the original cannot be read, or was replaced.
    """
    with document.original.open() as source:
        return FileBlock(media_type="application/pdf", name=name, data=source_bytes(source))


def source_bytes(source: Source) -> bytes:
    """Read all bytes of an open document.

    Raises:
        SourceChanged: the file was modified after it was opened.
    """
    parts, offset = [], 0
    while part := os.pread(source.fd, _BLOCK, offset):
        parts.append(part)
        offset += len(part)
    source.check_unchanged()
    return b"".join(parts)
