"""Files and pages as blocks: the original itself, or pages as images for models that see and read no PDF (CTX-5, 003 §6.3)."""

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
"""Larger pictures are made smaller by the providers, and cost no more."""
_AS_IT_IS: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LARGEST: Final = 1_500_000
_BLOCK: Final = 1 << 20


def page_images(document: Document, pages: Sequence[int], *, name: str) -> tuple[FileBlock, ...]:
    """Pages of a PDF, or of an image file, as grey PNG; they are drawn by a worker.

    Args:
        document: the document.
        pages: from 1.
        name: for people.

    Raises:
        OctavoError: the original cannot be read, or a page cannot be drawn.
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
    """An image document: as it is where providers read its type, else drawn.

    Raises:
        OctavoError: the original cannot be read or drawn.
    """
    with document.original.open() as source:
        if document.media_type in _AS_IT_IS and source.size <= _LARGEST:
            return FileBlock(media_type=document.media_type, name=name, data=source_bytes(source))
    return page_images(document, [1], name=name)[0]


def pdf_block(document: Document, *, name: str) -> FileBlock:
    """A PDF as it is.

    Raises:
        OctavoError: the original cannot be read, or is another file by now.
    """
    with document.original.open() as source:
        return FileBlock(media_type="application/pdf", name=name, data=source_bytes(source))


def source_bytes(source: Source) -> bytes:
    """All bytes of an open document.

    Raises:
        SourceChanged: the file was written to since it was opened.
    """
    parts, offset = [], 0
    while part := os.pread(source.fd, _BLOCK, offset):
        parts.append(part)
        offset += len(part)
    source.check_unchanged()
    return b"".join(parts)
