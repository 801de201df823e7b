"""The structural parts of a source document, counted before its conversion and compared with the markdown (QLT-2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ._model import Model

PartKindName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""A kind of part: one of `PartKind`, or one added by a newer minor version or a plugin."""


class PartKind(StrEnum):
    """Kinds of structural parts. Readers must accept kinds that are not in this list."""

    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CELL = "cell"
    LINK = "link"
    IMAGE = "image"
    EQUATION = "equation"
    NOTE = "note"
    COMMENT = "comment"
    CHANGE = "change"
    TEXT_BOX = "text_box"
    CHART = "chart"
    CODE_BLOCK = "code_block"
    QUOTE = "quote"


class SourcePart(Model):
    """One structural part of a source, or several equal ones."""

    kind: PartKindName = Field(description="Kind of part.")
    page: int | None = Field(default=None, ge=1, description="Page, slide or sheet, from 1; null if there are none.")
    level: int | None = Field(default=None, ge=1, description="Level of a heading or list item, from 1.")
    text: str = Field(
        default="",
        max_length=200,
        description="Beginning of its text, by which it is searched for in a conversion; empty if it is only counted.",
    )
    target: str = Field(default="", max_length=2000, description="Target of a link.")
    count: int = Field(default=1, ge=1, description="Number of parts that this entry stands for.")


class SourceStructure(Model):
    """The structural parts that a reader of its own found in a source: what a conversion should contain."""

    parts: tuple[SourcePart, ...] = Field(default=(), description="The parts, in reading order within each kind.")
    is_complete: bool = Field(
        default=True,
        description="False if the source may have more parts: the reader stopped at a limit, or does not look for each kind.",
    )

    def count(self, kind: str) -> int:
        """Return the number of parts of a kind."""
        return sum(part.count for part in self.parts if part.kind == kind)
