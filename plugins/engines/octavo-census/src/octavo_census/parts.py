"""Collects the parts that a reader finds, up to a limit."""

from __future__ import annotations

from octavo_contracts import PartKind, SourcePart

MAX_PARTS = 5000
"""Entries of one document; a reader goes on counting nothing more."""
TEXT_CHARS = 120
"""Characters of a part's text that are kept for the search in a conversion."""


class PartList:
    """The parts of one document.

    Attributes:
        parts: the parts, in the order in which they were added.
        is_full: whether a part was left out because of `MAX_PARTS`.
    """

    def __init__(self) -> None:
        self.parts: list[SourcePart] = []
        self.is_full = False

    def add(
        self,
        kind: PartKind,
        text: str = "",
        *,
        page: int | None = None,
        level: int | None = None,
        target: str = "",
        count: int = 1,
    ) -> None:
        """Add a part; see `SourcePart` for the fields. White space of the text is folded."""
        if len(self.parts) >= MAX_PARTS:
            self.is_full = True
        elif count > 0:
            short = " ".join(text[: 4 * TEXT_CHARS].split())[:TEXT_CHARS]
            self.parts.append(
                SourcePart(kind=kind, text=short, page=page, level=level, target=target[:2000], count=count)
            )
