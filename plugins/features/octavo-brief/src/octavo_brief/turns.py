"""A turn of a testimony: what one speaker says before the other one does."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import Span

from .quoting import Line


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A question or an answer.

    Attributes:
        is_question: whether it is a question.
        number: line number of its beginning as printed, or None.
        line: the line of its beginning.
        span: its words.
    """

    is_question: bool
    number: int | None
    line: Line
    span: Span
