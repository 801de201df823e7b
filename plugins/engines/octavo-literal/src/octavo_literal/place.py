"""Positions of possible values in a text."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Position of a possible value; the value itself is parsed only when it is needed.

    Attributes:
        start: of the value, code points.
        end: of the value.
        context_start: start of the whole match of a pattern whose group is the value; None: the value is the match.
    """

    start: int
    end: int
    context_start: int | None = None

    @property
    def match_start(self) -> int:
        """Return where the text that was matched begins."""
        return self.start if self.context_start is None else self.context_start
