"""Splits a question into sub-queries without a model (RES-1)."""

from __future__ import annotations

import re
from collections.abc import Collection

from octavo_contracts import Span
from octavo_digest.sentences import sentence_spans
from octavo_text.canonical import CanonicalText
from octavo_text.words import query_words

MAX_SUB_QUERIES = 6
"""Sub-queries of a question, with the question itself."""
_PARTS = re.compile(
    r"[?!;。？！；]+|,\s+(?:and|und|et|y|or)\s+|\s+(?:and|und|et)\s+(?=(?:how|what|why|when|where|who|which)\b)",
    re.I,
)
_QUESTION_WORD = re.compile(
    r"(?:(?:at|by|for|from|in|of|on|since|to|until|with)\s+)?(?:how|what|when|where|which|who|whom|whose|why)\b", re.I
)
_LEAST_WORDS = 2


def sub_queries(question: str) -> tuple[str, ...]:
    """The question, then its parts that ask for less than the whole; each once."""
    whole = " ".join(question.split())
    parts = [part.strip(" ,.:") for sentence in _sentences(whole) for part in _PARTS.split(sentence)]
    queries = {query_words(whole): whole}
    for part in parts:
        words = query_words(part)
        if len(words) >= _LEAST_WORDS and set(words) != set(query_words(whole)):
            queries.setdefault(words, part)
    return tuple(queries.values())[:MAX_SUB_QUERIES]


def _sentences(text: str) -> list[str]:
    """The sentences of a line; the full stop of "U.S." ends none."""
    spans = sentence_spans(CanonicalText(text=text, pages=(Span(start=0, end=len(text)),)))
    return [text[span.start : span.end] for span in spans]


def follow_up(question: str, missing: Collection[str]) -> str | None:
    """The query of the next round: words of the question that no source has answered; None where there are none."""
    words = [word for word in query_words(question) if word in missing]
    return " ".join(words) or None


def heading_of(query: str, question: str) -> str:
    """A sub-query as a heading: a part of a question begins with a capital letter, and ends as a question does."""
    heading = query[:1].upper() + query[1:]
    is_asked = _QUESTION_WORD.match(query) is not None and question.rstrip().endswith(("?", "？"))
    return f"{heading}?" if is_asked and heading[-1:] not in "?？!.;" else heading
