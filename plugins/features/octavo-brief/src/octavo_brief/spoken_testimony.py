"""Reads questions and answers in the transcript of a recorded deposition, where no Q and A mark them (CLS-10).

Where the transcript names its speakers, a turn with a question mark is a question, and the next speaker's turn is its answer.
Where it does not, nobody can tell who speaks: the sentence after a question is its answer, and no more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from octavo.builtins.classification.document_types import TypeEvidence, document_type
from octavo_contracts import Span
from octavo_digest.sentences import sentence_spans
from octavo_text.canonical import CanonicalText

from .quoting import Line
from .turns import Turn

_NAMED = re.compile(r"(?P<who>[^\W\da-z_][\w.'’ -]{0,40}):\s+(?=\S)")
_SHARE = 0.5
"""Least share of lines with a time, and of those with a speaker."""


def spoken_turns(text: CanonicalText, lines: Sequence[Line]) -> list[Turn]:
    """Return the turns of a recorded deposition; none if the document is no transcript with times, or no deposition.

    Args:
        text: the canonical text.
        lines: lines of the document.
    """
    timed = [line for line in lines if line.clock is not None]
    if not timed or len(timed) < _SHARE * len(lines) or not _is_deposition(text):
        return []
    named = sum(1 for line in timed if _NAMED.match(line.text))
    return _by_speaker(text, timed) if named >= _SHARE * len(timed) else _by_sentence(text, timed)


def _is_deposition(text: CanonicalText) -> bool:
    pages = [page.of(text.text) for page in text.pages]
    evidence = TypeEvidence(pages=pages, media_type="text/plain", is_spoken=True)
    return document_type(evidence).document_type == "deposition"


def _by_speaker(text: CanonicalText, timed: Sequence[Line]) -> list[Turn]:
    """Return the turns of transcripts with speakers: a question, and what the next speaker says.

    Who speaks most often after a question is the one who answers, and asks nothing: "In the town, you mean?" is an answer.
    """
    turns: list[Turn] = []
    speakers: list[str | None] = []
    last: str | None = None
    for line in timed:
        mark = _NAMED.match(line.text)
        who = mark["who"].casefold() if mark is not None else last
        span = Span(start=line.span.start + (mark.end() if mark is not None else 0), end=line.span.end)
        is_question = "?" in span.of(text.text)
        if turns and who == last and turns[-1].line.page == line.page:
            joined = Span(start=turns[-1].span.start, end=span.end)
            turns[-1] = replace(turns[-1], span=joined, is_question=turns[-1].is_question or is_question)
        else:
            turns.append(Turn(is_question=is_question, number=None, line=line, span=span))
            speakers.append(who)
        last = who
    after = Counter(who for turn, who in zip(turns, speakers[1:], strict=False) if turn.is_question)
    answers = max(after, key=lambda who: after[who], default=None)
    return [
        replace(turn, is_question=False) if who == answers else turn for turn, who in zip(turns, speakers, strict=True)
    ]


def _by_sentence(text: CanonicalText, timed: Sequence[Line]) -> list[Turn]:
    """Return the questions of transcripts without speakers, each followed by the next sentence."""
    turns: list[Turn] = []
    place = 0
    is_open = False
    for span in sentence_spans(text):
        while place + 1 < len(timed) and timed[place + 1].span.start <= span.start:
            place += 1
        is_question = span.of(text.text).rstrip().endswith("?")
        if is_question or is_open:
            turns.append(Turn(is_question=is_question, number=None, line=timed[place], span=span))
        is_open = is_question
    return turns
