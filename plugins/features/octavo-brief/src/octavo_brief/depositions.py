"""Reads questions and answers of a deposition, each with the page and line, or the time, by which lawyers cite them.

Of a transcript of speech, the questions are those with a question mark: see `spoken_testimony`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText

from .quoting import Line, Quoted, quote
from .spoken_testimony import spoken_turns
from .topics import Topic, topics_of
from .turns import Turn
from .witnesses import Witness, introduction, witnesses_of

LEAST = 4
"""Minimum number of questions in a deposition."""
_TURN = re.compile(r"^(?:(?P<line>\d{1,2})\s+)?(?P<who>[QA])[.:]\s*(?=\S)")
_BARE_TURN = re.compile(r"^(?P<line>\d{1,2})\s+(?P<who>[QA])\s+(?=\S)")
"""Without a full stop the letter may be a word, so the line must be numbered."""
_NUMBER = re.compile(r"^(?P<line>\d{1,2})(?:\s+|$)")
_SPEAKER = re.compile(r"^(?:\d{1,2}\s+)?(?:MR|MS|MRS|DR|THE (?:WITNESS|COURT|REPORTER|VIDEOGRAPHER))\.?\s")
_BY = re.compile(r"^(?:\d{1,2}\s+)?(?:BY\s+M[RS]S?\b|EXAMINATION|CROSS|REDIRECT|RECROSS)")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A question and its answer.

    Attributes:
        question: text of the question, from the mark Q to the next mark.
        answer: text of the answer; None if there is none before the next question.
        page: page of the question, from 1.
        line: line number of the question as printed; None if lines are not numbered.
        clock: when the question was spoken, as `00:12:30`; None if the document has no times.
        witness: name of the witness; None if the document does not say.
    """

    question: Quoted
    answer: Quoted | None
    page: int
    line: int | None
    clock: str | None = None
    witness: str | None = None

    @property
    def citation(self) -> str:
        """Page and line, as in '12:7', or the time of a recording."""
        if self.clock is not None:
            return self.clock
        return f"{self.page}:{self.line}" if self.line is not None else str(self.page)


@dataclass(frozen=True, kw_only=True)
class Testimony:
    """A deposition, or another testimony by questions and answers.

    Attributes:
        witness: name of the first witness, or None.
        exchanges: questions in order.
        topics: what the exchanges are about, by witness, the most frequent topic of each first.
    """

    witness: Quoted | None
    exchanges: tuple[Exchange, ...]
    topics: tuple[Topic, ...] = ()


def testimony(text: CanonicalText, lines: Sequence[Line]) -> Testimony | None:
    """Return the questions and answers, or None if there are too few for a deposition.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    exchanges = _exchanges(text, _turns(text, lines))
    if len(exchanges) < LEAST:
        exchanges = _exchanges(text, spoken_turns(text, lines))
    if len(exchanges) < LEAST:
        return None
    answered = [(one.question.value, one.answer) for one in exchanges if one.answer is not None]
    witnesses = witnesses_of(text, lines, answered)
    exchanges = [replace(one, witness=_witness_of(one, witnesses)) for one in exchanges]
    names = dict.fromkeys(one.witness for one in exchanges)
    topics = tuple(topic for name in names for topic in topics_of(text, _said_by(exchanges, name), witness=name))
    return Testimony(
        witness=witnesses[0].name if witnesses else None,
        exchanges=tuple(exchanges),
        topics=topics,
    )


def _exchanges(text: CanonicalText, turns: Sequence[Turn]) -> list[Exchange]:
    found: list[Exchange] = []
    for place, turn in enumerate(turns):
        if not turn.is_question:
            continue
        following = turns[place + 1] if place + 1 < len(turns) else None
        answer = following.span if following is not None and not following.is_question else None
        found.append(
            Exchange(
                question=quote(text, turn.span.start, turn.span.end),
                answer=quote(text, answer.start, answer.end) if answer is not None else None,
                page=turn.line.page,
                line=turn.number,
                clock=turn.line.clock,
            )
        )
    return found


def _witness_of(exchange: Exchange, witnesses: Sequence[Witness]) -> str | None:
    """Return the witness whose testimony the exchange is."""
    assert exchange.question.span is not None  # it is quoted from the text
    start = exchange.question.span.start
    own = [witness for witness in witnesses if witness.start <= start]
    return own[-1].name.value if own else None


def _said_by(exchanges: Sequence[Exchange], name: str | None) -> list[tuple[int, list[Span]]]:
    """Place and spans of the exchanges of one witness."""
    found = []
    for place, one in enumerate(exchanges):
        if one.witness == name:
            quoted = [one.question, *([one.answer] if one.answer is not None else [])]
            found.append((place, [said.span for said in quoted if said.span is not None]))
    return found


def _turns(text: CanonicalText, lines: Sequence[Line]) -> list[Turn]:
    """Return the turns that are marked Q and A, each with the words up to the next mark or speaker on the page."""
    turns: list[Turn] = []
    open_turn = False
    for place, line in enumerate(lines):
        mark = _TURN.match(line.text) or _BARE_TURN.match(line.text)
        if mark is not None:
            number = int(mark["line"]) if mark["line"] else None
            span = Span(start=line.span.start + mark.end(), end=line.span.end)
            turns.append(Turn(is_question=mark["who"] == "Q", number=number, line=line, span=span))
            open_turn = True
        elif _SPEAKER.match(line.text) or _BY.match(line.text) or introduction(lines, place):
            open_turn = False
        elif open_turn and turns[-1].line.page == line.page and not _NUMBER.fullmatch(line.text):
            turns[-1] = replace(turns[-1], span=Span(start=turns[-1].span.start, end=line.span.end))
    return [turn for turn in turns if turn.span.of(text.text).strip()]
