"""Thresholds of the built-in score, which are settings. In a module of their own: settings are read without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class QualityThresholds:
    """Thresholds for raising flags.

    Attributes:
        min_chars_a_page: below this average a fixed-layout document has a low text yield (CNV-2).
        max_malformed_rows: above this share of malformed rows tables are garbled (CNV-2).
        max_empty_cells: above this share of empty cells the tables of a fixed layout are garbled: lines of text were
            mistaken for rows.
        max_missing_words: above this share of missing words of a second reading the text is a different one.
        min_lost_rows: a page that shows a table of at least this many rows, and has none in the conversion, lost it.
        same_yield: a conversion with at least this share of a second reading's text missed nothing.
        min_ocr_confidence: below this mean, recognised text is doubtful (OCR-5).
        min_hidden_chars: fewer hidden characters on a page are only noted: a comma beyond the margin hides nothing.
    """

    min_chars_a_page: int = 200
    max_malformed_rows: float = 0.30
    max_empty_cells: float = 0.35
    max_missing_words: float = 0.70
    min_lost_rows: int = 4
    same_yield: float = 0.90
    min_ocr_confidence: float = 0.70
    min_hidden_chars: int = 20


DEFAULT_THRESHOLDS = QualityThresholds()
