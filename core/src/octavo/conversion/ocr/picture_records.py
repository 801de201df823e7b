"""The pictures inside an office document, as they are found."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field

MAX_SHOWN = 20_000
"""Places of one document that are looked at."""


REFERENCE_BEGINS = "!["
"""How a reference to a picture begins in markdown."""


class EmbeddedPicture(Model):
    """A picture, where it is shown."""

    page: int = Field(ge=1, description="Slide from 1; 1 in a document without pages.")
    part: str = Field(description="Name of the part that holds it.")

    @property
    def name(self) -> str:
        """The part's name without its folder."""
        return self.part.rpartition("/")[2]


class FoundPictures(Model):
    """The pictures of a document."""

    pictures: tuple[EmbeddedPicture, ...] = Field(description="In the order of the document.")
    beyond: int = Field(default=0, ge=0, description="Others that are first shown after `MAX_SHOWN` places.")
    looks_like: tuple[int, ...] = Field(
        default=(), description="Pages whose own words could be taken for a reference to a picture."
    )
