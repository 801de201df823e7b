"""Collects the images of a document. Called by name in the sandbox."""

from __future__ import annotations

import zipfile
from xml.etree import ElementTree

from octavo_contracts import HookContext, SourceCorrupt, SourceView

from ..ocr.embedded import CONTAINER_ERRORS
from .image_kinds import ImageKind, image_kind
from .image_records import CollectedImages, CollectRequest
from .image_set import ImageSet


def collect_images(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Collect the images of a document.

    Args:
        payload: a `CollectRequest`.
        source: the document.
        context: unused.

    Returns:
        `CollectedImages`.

    Raises:
        SourceCorrupt: the container cannot be read.
        SourceEncrypted: the document needs a password.
    """
    request = CollectRequest.read(payload)
    media_type = source.media_type or ""
    kind = image_kind(media_type)
    if kind is ImageKind.PDF:
        from .pdf_images import collect_from_pdf

        found = ImageSet()
        collect_from_pdf(source.read_bytes(), password=request.password, into=found)
        return found.collected().to_json().encode()
    if kind in (ImageKind.NOTEBOOK, ImageKind.PAGE):
        from .package_images import collect_from_notebook, collect_from_page

        read = collect_from_notebook if kind is ImageKind.NOTEBOOK else collect_from_page
        return read(source.read_bytes()).to_json().encode()
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            return _from_archive(archive, kind, media_type).to_json().encode()
    except (*CONTAINER_ERRORS, ElementTree.ParseError) as error:
        raise SourceCorrupt(f"cannot find the images of the document: {error}") from error


def _from_archive(archive: zipfile.ZipFile, kind: ImageKind | None, media_type: str) -> CollectedImages:
    from .office_images import collect_from_office
    from .package_images import collect_from_book, collect_from_opendocument

    if kind is ImageKind.OPENDOCUMENT:
        return collect_from_opendocument(archive, media_type=media_type)
    if kind is ImageKind.BOOK:
        return collect_from_book(archive)
    return collect_from_office(archive, media_type=media_type)
