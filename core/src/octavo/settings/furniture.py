"""Settings of furniture: running heads, feet and page numbers, which repeat over the pages of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class FurnitureSettings:
    """What happens to lines that repeat at the edges of pages.

    They stay in both texts by default: a reader who looks for the words of the page finds all of them.

    Attributes:
        apart: whether they are kept apart from the two texts, in the field `furniture` of their pages.
        min_pages: minimum number of pages on which a line repeats.
    """

    apart: bool = False
    min_pages: Annotated[int, Field(ge=2)] = 3


FURNITURE_APART = FurnitureSettings(apart=True)
