"""Records of the images that a document holds."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field

MAX_IMAGES = 2_000
"""Most different images of one document."""
MAX_TOTAL_BYTES = 100 << 20
"""Most bytes of all images of one document: the answer of a worker is limited."""
MIN_SIDE = 16
"""Images of a PDF with a shorter side, in pixels, are left out: rules, bullets and tiles of a background."""


class ImageFile(Model):
    """One image, once, however often the document shows it."""

    name: str = Field(description="The document's own name of it, or an empty text.")
    extension: str = Field(description="By content, with its dot; `.bin` for a type that is not known.")
    data: bytes = Field(description="The bytes (base64url in JSON).")


class ImageUse(Model):
    """A place at which a document shows an image."""

    image: int = Field(ge=0, description="Index of the image.")
    page: int | None = Field(
        default=None, ge=1, description="Page, slide or sheet from 1; null where that is not known."
    )
    description: str = Field(default="", description="The document's own description of it.")


class CollectedImages(Model):
    """The images of a document."""

    images: tuple[ImageFile, ...] = Field(default=(), description="The different images.")
    uses: tuple[ImageUse, ...] = Field(default=(), description="Where they are shown, in the order of the document.")
    unread: int = Field(
        default=0, ge=0, description="Uses whose image could not be decoded or lies outside of the document."
    )
    beyond: int = Field(default=0, ge=0, description="Uses of images that are beyond the limits.")
    looks_like: tuple[int, ...] = Field(default=(), description="Pages whose text resembles a reference to an image.")

    def without_pages(self) -> CollectedImages:
        """The same images for a conversion that has no pages."""
        return self.model_copy(update={"uses": tuple(use.model_copy(update={"page": None}) for use in self.uses)})


class CollectRequest(Model):
    """What a worker is asked for."""

    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")
