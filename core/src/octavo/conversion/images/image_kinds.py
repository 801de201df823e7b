"""Which documents have images that can be collected, and how."""

from __future__ import annotations

from enum import StrEnum

_OOXML = "application/vnd.openxmlformats-officedocument."
_MACROS = ("application/vnd.ms-word.", "application/vnd.ms-powerpoint.", "application/vnd.ms-excel.")


class ImageKind(StrEnum):
    """How the images of a document are found."""

    PDF = "pdf"
    OFFICE = "office"
    OPENDOCUMENT = "opendocument"
    BOOK = "book"
    NOTEBOOK = "notebook"
    PAGE = "page"
    MESSAGE = "message"
    """They are among the attachments that the converter gives."""


_KINDS = {
    "application/pdf": ImageKind.PDF,
    "application/epub+zip": ImageKind.BOOK,
    "application/x-ipynb+json": ImageKind.NOTEBOOK,
    "text/html": ImageKind.PAGE,
    "message/rfc822": ImageKind.MESSAGE,
    "application/mbox": ImageKind.MESSAGE,
    "application/vnd.ms-outlook": ImageKind.MESSAGE,
}


def image_kind(media_type: str | None) -> ImageKind | None:
    """How the images of a type of document are found; None: no images are read from documents of this type."""
    if media_type is None:
        return None
    if media_type.startswith(_OOXML) or (media_type.startswith(_MACROS) and media_type.endswith("12")):
        return ImageKind.OFFICE
    if media_type.startswith("application/vnd.oasis.opendocument."):
        return ImageKind.OPENDOCUMENT
    return _KINDS.get(media_type)
