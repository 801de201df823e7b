"""Records of the pictures inside an office document."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field

MAX_SHOWN = 20_000
"""Maximum number of picture uses that are examined in a document."""


REFERENCE_BEGINS = "!["
"""Start of a picture reference in markdown."""


class EmbeddedPicture(Model):
    """One use of a picture in a document."""

    page: int = Field(ge=1, description="Slide from 1; 1 in a document without pages.")
    part: str = Field(description="Name of the part that holds it.")

    @property
    def name(self) -> str:
        """The part's name without its folder."""
        return self.part.rpartition("/")[2]


class FoundPictures(Model):
    """The pictures of a document."""

    pictures: tuple[EmbeddedPicture, ...] = Field(description="In the order of the document.")
    beyond: int = Field(default=0, ge=0, description="Pictures first shown after `MAX_SHOWN` uses.")
    looks_like: tuple[int, ...] = Field(default=(), description="Pages whose text resembles a picture reference.")
