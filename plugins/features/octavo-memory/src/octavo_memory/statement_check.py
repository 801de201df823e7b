"""Compares a statement with a passage by words, figures and negations, without a model (RET-4).

The comparison recognises a statement that keeps the words of its source. A paraphrase in other words is left undecided; it
is never called contradicted for that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from octavo_contracts import Span
from octavo_digest.sentences import sentence_spans
from octavo_text.canonical import CanonicalText

from .terms import terms_of

SUPPORTS: Final = 0.8
"""Least share of a claim's terms in a supporting sentence."""

RESEMBLES: Final = 0.6
"""Least share of a claim's terms, figures apart, in a sentence that can contradict it."""

TOUCHES: Final = 0.5
"""Least share of a claim's terms in a sentence that supports a part of it."""

_FIGURE: Final = re.compile(r"\d+(?:[.,' ]\d+)*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?")
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|cannot|hardly|nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne|"
    r"pas|jamais|aucun|aucune|sans|nunca|ningún|ninguna|sin|senza|mai|nessun|nessuna|niet|geen|nooit|zonder)\b|n['’]t\b",
    re.IGNORECASE,
)

_CLAUSE: Final = re.compile(r"[,;:–—]+(?=\s)|\s(?:and|but|while|und|aber|et|mais|y|pero)\s")


class Support(StrEnum):
    """How a passage stands to a claim."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Result for one claim.

    Attributes:
        claim: the claim, a sentence of the statement.
        support: how the passage stands to it.
        because: what was found, as a part of a sentence; empty if it is supported.
    """

    claim: str
    support: Support
    because: str = ""


def check_statement(statement: str, passage: str, *, context: str, language: str) -> tuple[Finding, ...]:
    """Compare each sentence of a statement with a passage.

    Args:
        statement: the statement.
        passage: the anchored passage.
        context: text around the passage, with the passage.
        language: language of the source, for stems.
    """
    units = _units(passage, language)
    units += [unit for unit in _units(context, language) if unit not in units]
    return tuple(_check(claim, units, language) for claim in _sentences(statement))


def figures_of(text: str) -> frozenset[str]:
    """The numbers of a text, without the separators of thousands."""
    found = []
    for match in _FIGURE.findall(text):
        if _GROUPED.fullmatch(match):
            found.append(re.sub(r"[,' ]", "", match))
        else:
            found.extend(match.split(" "))
    return frozenset(found)


def is_negated(text: str) -> bool:
    """Whether a sentence has an odd number of negations."""
    return len(_NEGATION.findall(text)) % 2 == 1


@dataclass(frozen=True)
class _Unit:
    """One sentence of a source, two neighbouring ones, or the passage."""

    terms: frozenset[str]
    figures: frozenset[str]
    sentences: tuple[str, ...]


def _units(text: str, language: str) -> list[_Unit]:
    sentences = _sentences(text)
    groups = [(one,) for one in sentences] + list(pairwise(sentences))
    return [
        _Unit(frozenset(terms_of(" ".join(group), language=language)), figures_of(" ".join(group)), group)
        for group in groups
    ]


def _sentences(text: str) -> tuple[str, ...]:
    spans = sentence_spans(CanonicalText(text=text, pages=(Span(start=0, end=len(text)),)))
    return tuple(span.of(text) for span in spans)


def _check(claim: str, units: list[_Unit], language: str) -> Finding:
    terms = frozenset(terms_of(claim, language=language))
    figures = figures_of(claim)
    if not terms or not units:
        return Finding(claim=claim, support=Support.UNDECIDED, because="the claim has no words to compare")
    near = [unit for unit in units if len(terms & unit.terms) >= SUPPORTS * len(terms) and figures <= unit.figures]
    agreeing = {_agrees(claim, terms, unit, language) for unit in near}
    if True in agreeing:
        return Finding(claim=claim, support=Support.SUPPORTED)
    if agreeing == {False}:
        return Finding(claim=claim, support=Support.CONTRADICTED, because="one of the two is negated")
    if near:
        told = "the source has a negation, and the comparison cannot tell what it negates"
        return Finding(claim=claim, support=Support.PARTLY, because=told)
    best = max(units, key=lambda unit: (len(terms & unit.terms), -len(unit.terms)))
    wording = frozenset(term for term in terms if not any(map(str.isdigit, term)))
    missing = figures - best.figures
    share = len(wording & best.terms) / len(wording) if wording else 0.0
    if missing and best.figures - figures and share >= RESEMBLES:
        told = f"the claim has {', '.join(sorted(missing))}, the source {', '.join(sorted(best.figures - figures))}"
        return Finding(claim=claim, support=Support.CONTRADICTED, because=told)
    if len(terms & best.terms) >= TOUCHES * len(terms):
        lacking = ", ".join(sorted(missing)) if missing else f"{len(terms - best.terms)} of {len(terms)} words"
        return Finding(claim=claim, support=Support.PARTLY, because=f"the source lacks {lacking}")
    return Finding(claim=claim, support=Support.UNDECIDED, because="the source has other words")


def _agrees(claim: str, terms: frozenset[str], unit: _Unit, language: str) -> bool | None:
    """Whether the claim and the part of the unit that says it are both negated, or both not.

    The part is the clause that has the claim's terms: a negation in another clause does not count. None: the terms are spread
    over clauses, and only one of the two has a negation.
    """

    def shared(part: str) -> int:
        return len(terms & frozenset(terms_of(part, language=language)))

    clauses = [clause for sentence in unit.sentences for clause in _CLAUSE.split(sentence) if clause.strip()]
    nearest = max(clauses, key=shared)
    if shared(nearest) >= SUPPORTS * len(terms):
        return is_negated(claim) == is_negated(nearest)
    whole = max(unit.sentences, key=shared)
    return True if is_negated(claim) == is_negated(whole) else None
