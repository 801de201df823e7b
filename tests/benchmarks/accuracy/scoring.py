"""One document's accuracy: the mean of what its truths say of a reading, 0..1."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from . import records
from .claims import claims_score
from .headings import heading_similarity
from .manifest import Document, Truth
from .markup import structure, text_of
from .outcomes import outcome_score
from .reading import Reading
from .tables import tables_score
from .words import edit_similarity, normalised, order_similarity, token_f1, words

COUNTED = ("text", "tables", "headings", "claims", "records", "outcome", "speech")
"""The parts that make the accuracy. `order` is shown beside them: the edit distance within `text` knows of order already."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """How near a reading comes to the truth.

    Attributes:
        accuracy: mean of the counted parts; 0 for a failure.
        parts: each part that the truths speak of; `order` besides.
    """

    accuracy: float
    parts: dict[str, float]


def score(document: Document, reading: Reading) -> Score:
    """Hold a reading to the truths of its document. A failure is 0, but where failing is what was asked."""
    kinds = {truth.kind for truth in document.truths}
    # An outcome is that of a reader without the password; who opened the document with it is held to what it says.
    opened = document.password is not None and reading.conversion is not None and kinds > {"outcome_json"}
    wants_outcome = "outcome_json" in kinds and not opened
    found: dict[str, list[float]] = {}
    for truth in document.truths:
        if wants_outcome is not (truth.kind == "outcome_json"):
            continue
        for part, value in MEASURES[truth.kind](truth, reading, document.language).items():
            failed = reading.conversion is None and truth.kind != "outcome_json"
            found.setdefault(part, []).append(0.0 if failed else value)
    parts = {part: sum(values) / len(values) for part, values in found.items()}
    counted = [parts[part] for part in COUNTED if part in parts]
    return Score(accuracy=sum(counted) / len(counted) if counted else 0.0, parts=parts)


def _text_parts(truth: str, given: str, language: str) -> dict[str, float]:
    truth, given = normalised(truth), normalised(given)
    wanted, found = words(truth, language=language), words(given, language=language)
    return {
        "text": (token_f1(wanted, found) + edit_similarity(truth, given)) / 2,
        "order": order_similarity(wanted, found),
    }


def _text(truth: Truth, reading: Reading, language: str) -> dict[str, float]:
    return _text_parts(truth.text(), reading.text, language)


def _markdown(truth: Truth, reading: Reading, language: str) -> dict[str, float]:
    markdown = truth.text()
    parts = _text_parts(text_of(markdown), reading.text, language)
    wanted, found = structure(markdown), structure(reading.markdown)
    if wanted.headings:
        parts["headings"] = heading_similarity(wanted.headings, found.headings)
    if wanted.tables:
        parts["tables"] = tables_score(wanted.tables, found.tables, complete=True)
    return parts


def _cells(truth: Truth, reading: Reading, _: str) -> dict[str, float]:
    wanted = records.grids_of_cells(truth.data())
    return {"tables": tables_score(wanted, structure(reading.markdown).tables, complete=False)}


def _claims(truth: Truth, reading: Reading, _: str) -> dict[str, float]:
    held = claims_score(truth.data(), reading)
    return {} if held is None else {"claims": held}


def _speech(truth: Truth, reading: Reading, language: str) -> dict[str, float]:
    wanted, found = (
        words(re.sub(r"[^\w\s']", " ", normalised(text)).upper(), language=language)
        for text in (truth.text(), reading.text)
    )
    return {"speech": max(0.0, 1 - Levenshtein.distance(wanted, found) / max(1, len(wanted)))}


MEASURES: dict[str, Callable[[Truth, Reading, str], dict[str, float]]] = {
    "text": _text,
    "markdown": _markdown,
    "cells_json": _cells,
    "assertions_json": _claims,
    "transcript": _speech,
    "grid_json": lambda truth, reading, _: {"records": records.workbook_score(truth.data(), reading)},
    "email_json": lambda truth, reading, _: {"records": records.email_score(truth.data(), reading)},
    "article_json": lambda truth, reading, _: {"records": records.article_score(truth.data(), reading)},
    "expected_html": lambda truth, reading, _: {"text": records.expected_html_score(truth.text(), reading)},
    "page_text_json": lambda truth, reading, _: {"text": records.page_texts_score(truth.data(), reading)},
    "outcome_json": lambda truth, reading, _: {"outcome": outcome_score(truth.data(), reading)},
}
"""The kinds of truth that say what a converted text is to hold → how it is measured. Others speak of digests and entities."""
