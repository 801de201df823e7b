"""Finds what a testimony is about: names, exhibits and recurring noun phrases, each with the questions that mention it (CLS-10).

No model reads the text. A phrase counts as a noun phrase where it follows an article or a possessive, and as a topic where
several exchanges have it: what is said once, and what may be no noun, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import Span
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint
from octavo_text.stopwords import STOPWORDS

from .quoting import Quoted, quote

MOST = 40
"""Maximum number of topics of one witness."""
_MOST_COMPARED = 500
"""Phrases of one witness that are compared with each other."""
_LEAST_OF_WORD = 3
"""Exchanges that must have a single word; a phrase of several words or a name needs one less."""
_REST = r"[\w’'-]*"
_WORD = rf"[^\W\d_]{_REST}"
_EXHIBIT = re.compile(
    r"\b(?:[Ee]xhibit|EXHIBIT|Ex\.)(?: [Nn]o\.?| number)? ?(?P<mark>\d{1,4}(?:-?[A-Z])?|[A-Z]{1,2})\b"
)
_NAME = re.compile(
    rf"(?<![.?!:“\"] )\b(?:(?:Mr|Ms|Mrs|Dr|Professor|Captain|Judge)\.? )?[A-Z][a-z]{_REST}(?: [A-Z][a-z]{_REST}){{0,3}}"
)
"""Words with capitals inside a sentence; at its beginning a capital says nothing."""
_PHRASE = re.compile(
    rf"\b(?:the|a|an|this|that|these|those|your|my|his|her|its|our|their|any|which)\s+(?=(?P<run>{_WORD}(?:\s+{_WORD}){{0,3}}))",
    re.IGNORECASE,
)
"""The run is looked at, not consumed: in "that the ferry" the second article has a run of its own."""
_OF_COURT = """
question questions answer answers record counsel objection form testimony witness deposition transcript court reporter
sir ma'am madam mr mrs ms dr yes no yeah okay right correct true sure
"""
_OF_SPEECH = """
well know knew think thought believe recall remember say said says saying tell told talk talked ask asked mean see saw
look looked looking go going went gone get got come came take took taken make made give gave given want wanted need
needed use used like please thank thanks
"""
_OF_TIME = """
day days time times date year years month months week weeks hour hours minute minutes moment morning afternoon evening
night today yesterday beginning end
"""
_GENERAL = """
thing things way ways kind sort lot bit couple number part point fact case matter reason idea rest side place name names
people person anybody somebody nobody anything something nothing everything anyone someone everyone page pages line lines
word words first second third next last previous earlier later new old good bad whole entire certain different specific
particular general actual exact full one two three four five six seven eight nine ten many much several little least best
better
"""
_SPOKEN = frozenset(" ".join((_OF_COURT, _OF_SPEECH, _OF_TIME, _GENERAL)).split())
"""Words that every testimony has, whatever it is about."""


@dataclass(frozen=True, kw_only=True)
class Topic:
    """What several exchanges of one witness are about.

    Attributes:
        name: the words, where they first occur.
        witness: name of the witness; None if the document does not say.
        exchanges: places in `Testimony.exchanges`, from 0, in order.
    """

    name: Quoted
    witness: str | None
    exchanges: tuple[int, ...]


def topics_of(
    text: CanonicalText, exchanges: Sequence[tuple[int, Sequence[Span]]], *, witness: str | None
) -> tuple[Topic, ...]:
    """Return the topics of one witness: the most frequent first.

    Args:
        text: the canonical text.
        exchanges: for each exchange its place, and the spans of question and answer.
        witness: name of the witness.
    """
    seen: dict[str, dict[int, Span]] = {}
    for place, spans in exchanges:
        checkpoint()
        for span in spans:
            for key, found in _mentions(text.text, span):
                seen.setdefault(key, {}).setdefault(place, found)
    own = {name for part in (witness or "").casefold().split() for name in (part, f"{part}'s")}
    often = [key for key, places in seen.items() if len(places) >= _least(key) and not set(key.split()) <= own]
    often.sort(key=lambda key: (-len(seen[key]), min(span.start for span in seen[key].values())))
    kept = {key: seen[key] for key in often[:_MOST_COMPARED]}
    whole = [key for key in kept if not _is_part(key, kept)]
    return tuple(
        Topic(
            name=_quoted(text, min(kept[key].values(), key=lambda span: span.start)),
            witness=witness,
            exchanges=tuple(sorted(kept[key])),
        )
        for key in whole[:MOST]
    )


def _quoted(text: CanonicalText, span: Span) -> Quoted:
    return quote(text, span.start, span.end)


def _least(key: str) -> int:
    if key.startswith("exhibit "):
        return 1
    return _LEAST_OF_WORD if " " not in key else _LEAST_OF_WORD - 1


def _is_part(key: str, kept: dict[str, dict[int, Span]]) -> bool:
    """Whether a longer topic has the words, in as many exchanges."""
    return any(
        len(other) > len(key) and f" {key} " in f" {other} " and len(places) >= len(kept[key])
        for other, places in kept.items()
    )


def _mentions(text: str, span: Span) -> list[tuple[str, Span]]:
    """Key and place of the exhibits, names and noun phrases in a stretch."""
    found = [
        (f"exhibit {match['mark'].casefold()}", Span(start=match.start(), end=match.end()))
        for match in _EXHIBIT.finditer(text, span.start, span.end)
    ]
    for match in _PHRASE.finditer(text, span.start, span.end):
        found += _prefixes(text, match)
    for match in _NAME.finditer(text, span.start + 1, span.end):
        words = match.group().casefold().replace(".", "").split()
        if len(words) > 1 and not set(words) & STOPWORDS and not words[0].startswith("exhibit"):
            found.append((" ".join(words), Span(start=match.start(), end=match.end())))
    return found


def _prefixes(text: str, match: re.Match[str]) -> list[tuple[str, Span]]:
    """The run of words after an article, up to the first that carries no meaning, and each shorter run from its start."""
    found: list[tuple[str, Span]] = []
    words: list[str] = []
    for one in re.finditer(_WORD, text[match.start("run") : match.end("run")]):
        word = one.group().casefold().removesuffix("'s").removesuffix("’s")
        if word in STOPWORDS or word in _SPOKEN or len(word) < 3 or word.endswith("ly"):
            break
        words.append(word)
        found.append((" ".join(words), Span(start=match.start("run"), end=match.start("run") + one.end())))
    return found
