"""Summaries of documents, stored with the version that they were made of (INT-1, INT-2).

A feature registers a maker of summaries under the entry-point group `octavo.summaries`. The library stores what it makes,
tells whether a stored summary is still valid, and has them made in the background where the settings ask for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .makers import SUMMARIES_GROUP, SummaryMaker, installed_makers
    from .stored_summary import StoredSummary, keep_summary, valid_summary
    from .version_texts import VersionTexts, texts_of

__all__ = [
    "SUMMARIES_GROUP",
    "StoredSummary",
    "SummaryMaker",
    "VersionTexts",
    "installed_makers",
    "keep_summary",
    "texts_of",
    "valid_summary",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "SUMMARIES_GROUP": "makers",
        "StoredSummary": "stored_summary",
        "SummaryMaker": "makers",
        "VersionTexts": "version_texts",
        "installed_makers": "makers",
        "keep_summary": "stored_summary",
        "texts_of": "version_texts",
        "valid_summary": "stored_summary",
    },
)
