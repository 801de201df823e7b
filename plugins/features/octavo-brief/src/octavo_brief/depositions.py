"""Reads questions and answers of a deposition, each with page and line as lawyers cite them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo.text.canonical import CanonicalText
from octavo_contracts import Span

from .quoting import Line, Quoted, quote

LEAST = 4
"""Minimum number of questions in a deposition."""
_TURN = re.compile(r"^(?:(?P<line>\d{1,2})\s+)?(?P<who>[QA])[.:]\s*(?=\S)")
_BARE_TURN = re.compile(r"^(?P<line>\d{1,2})\s+(?P<who>[QA])\s+(?=\S)")
"""Without a full stop the letter may be a word, so the line must be numbered."""
_NUMBER = re.compile(r"^(?P<line>\d{1,2})(?:\s+|$)")
_SPEAKER = re.compile(r"^(?:\d{1,2}\s+)?(?:MR|MS|MRS|DR|THE (?:WITNESS|COURT|REPORTER|VIDEOGRAPHER))\.?\s")
_BY = re.compile(r"^(?:\d{1,2}\s+)?(?:BY\s+M[RS]S?\b|EXAMINATION|CROSS|REDIRECT|RECROSS)")
OPENING = 60
"""Number of lines searched for a title."""
_OF = re.compile(r"\bdeposition of:?", re.IGNORECASE)
_NAME = re.compile(r"\s*(?:\d{1,2}\s+)?(?P<name>[^\W\da-z_][\w.'’-]*(?:\s+[^\W\da-z_][\w.'’-]*){1,4})")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A question and its answer.

    Attributes:
        question: text of the question, from the mark Q to the next mark.
        answer: text of the answer; None if there is none before the next question.
        page: page of the question, from 1.
        line: line number of the question as printed; None if lines are not numbered.
    """

    question: Quoted
    answer: Quoted | None
    page: int
    line: int | None

    @property
    def citation(self) -> str:
        """Page and line, as in '12:7'."""
        return f"{self.page}:{self.line}" if self.line is not None else str(self.page)


@dataclass(frozen=True, kw_only=True)
class Testimony:
    """A deposition.

    Attributes:
        witness: name of the witness according to the title, or None.
        exchanges: questions in order.
    """

    witness: Quoted | None
    exchanges: tuple[Exchange, ...]


def testimony(text: CanonicalText, lines: Sequence[Line]) -> Testimony | None:
    """Return the questions and answers, or None if there are too few for a deposition.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    turns = _turns(text, lines)
    exchanges: list[Exchange] = []
    for place, (who, number, line, span) in enumerate(turns):
        if who != "Q":
            continue
        following = turns[place + 1] if place + 1 < len(turns) else None
        answer = following[3] if following is not None and following[0] == "A" else None
        exchanges.append(
            Exchange(
                question=quote(text, span.start, span.end),
                answer=quote(text, answer.start, answer.end) if answer is not None else None,
                page=line.page,
                line=number,
            )
        )
    if len(exchanges) < LEAST:
        return None
    return Testimony(witness=_witness(text, lines), exchanges=tuple(exchanges))


def _witness(text: CanonicalText, lines: Sequence[Line]) -> Quoted | None:
    """Return the name after 'deposition of', in the same line or the next one."""
    for place, line in enumerate(lines[:OPENING]):
        begun = _OF.search(line.text)
        if begun is None:
            continue
        named, after = line, begun.end()
        if not line.text[after:].strip() and place + 1 < len(lines):
            named, after = lines[place + 1], 0
        if name := _NAME.match(named.text, after):
            start = named.span.start
            return quote(text, start + name.start("name"), start + name.end("name"))
    return None


def _turns(text: CanonicalText, lines: Sequence[Line]) -> list[tuple[str, int | None, Line, Span]]:
    """Return speaker, line number, line of the mark, and words up to the next mark or speaker on the page."""
    turns: list[tuple[str, int | None, Line, Span]] = []
    open_turn = False
    for line in lines:
        mark = _TURN.match(line.text) or _BARE_TURN.match(line.text)
        if mark is not None:
            number = int(mark["line"]) if mark["line"] else None
            span = Span(start=line.span.start + mark.end(), end=line.span.end)
            turns.append((mark["who"], number, line, span))
            open_turn = True
        elif _SPEAKER.match(line.text) or _BY.match(line.text):
            open_turn = False
        elif open_turn and turns[-1][2].page == line.page and not _NUMBER.fullmatch(line.text):
            who, number, first, span = turns[-1]
            turns[-1] = (who, number, first, Span(start=span.start, end=line.span.end))
    return [turn for turn in turns if turn[3].of(text.text).strip()]
