"""The evidence in a conversion as numbers: what the calibrated score is made of.

Every number says something of the conversion or of the document's form; none says which engine made it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from octavo_contracts import Conversion, DocumentClassification, Page, QualityEvidence, RoutingType, Table

from octavo.classify.text_tables import table_rows

from . import signals

SAMPLED_PAGES = 6
SAMPLED_CHARS = 2500
"""Pages, and characters of each, that are looked at closely: the cost is the same for ten pages and for ten thousand."""

Features = Mapping[str, float]
"""Name → value; a name that is missing was not assessed."""


def features(
    conversion: Conversion,
    evidence: QualityEvidence,
    *,
    classification: DocumentClassification | None = None,
    recognised: Collection[int] = (),
) -> dict[str, float]:
    """The numbers that describe a conversion.

    Args:
        conversion: complete, with a text on every page.
        evidence: what is known of the source.
        classification: what the classifier saw on the pages themselves, or None.
        recognised: pages that were read by recognition.
    """
    pages = _sample(conversion.pages)
    texts = [(page.text or "")[:SAMPLED_CHARS] for page in pages]
    text = "\n".join(texts)
    words = text.split()
    found = {f"is_{_family(evidence.media_type)}": 1.0}
    found["log_chars"] = math.log10(1 + sum(len(page.text or "") for page in conversion.pages) / len(conversion.pages))
    if words:
        found |= _words(text, texts, words)
        found |= _structure([page.markdown[: 2 * SAMPLED_CHARS] for page in pages], texts, words)
    found |= _tables([table for page in conversion.pages for table in page.tables], words)
    found |= _coverage(conversion, evidence, recognised)
    if classification is not None:
        found |= _against(classification, found)
    return found


def damaged_share(numbers: Features) -> float:
    """The share of the characters that are no text a reader could use; none of these numbers where there is no text."""
    return min(1.0, sum(numbers.get(name, 0.0) for name in ("junk", "mojibake", "letters_apart", "run_together")))


def _sample(pages: Sequence[Page]) -> list[Page]:
    if len(pages) <= SAMPLED_PAGES:
        return list(pages)
    return [pages[index * (len(pages) - 1) // (SAMPLED_PAGES - 1)] for index in range(SAMPLED_PAGES)]


_FAMILIES = {
    "application/pdf": "pdf",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "message/rfc822": "email",
    "application/mbox": "email",
    "application/vnd.ms-outlook": "email",
    "text/csv": "sheet",
    "text/tab-separated-values": "sheet",
}


def _family(media_type: str) -> str:
    """The form of the document: conversions of one form compare best with each other."""
    if media_type in _FAMILIES:
        return _FAMILIES[media_type]
    if media_type.startswith("image/"):
        return "image"
    for mark, family in (
        ("spreadsheet", "sheet"),
        ("ms-excel", "sheet"),
        ("presentation", "slides"),
        ("powerpoint", "slides"),
    ):
        if mark in media_type:
            return family
    if "word" in media_type or "opendocument.text" in media_type or media_type == "application/rtf":
        return "document"
    return "other"


def _words(text: str, texts: Sequence[str], words: Sequence[str]) -> dict[str, float]:
    return {
        "junk": signals.junk_share(text),
        "mojibake": signals.mojibake_share(text),
        "letters_apart": signals.letters_apart_share(text),
        "run_together": signals.run_together_share(words),
        "odd_words": signals.odd_words_share(words),
        "short_words": signals.short_words_share(words),
        "hyphenation": signals.hyphenation_share(text),
        "invisible": signals.invisible_share(text),
        "furniture": signals.furniture_share(texts),
        "repeated": signals.repeated_share(words),
        "log_line": math.log10(1 + signals.line_length(text)),
        "log_words": math.log10(1 + len(words)),
    }


def _structure(markdowns: Sequence[str], texts: Sequence[str], words: Sequence[str]) -> dict[str, float]:
    lines = [line for markdown in markdowns for line in markdown.splitlines() if line.strip()]
    headings = sum(line.startswith("#") for line in lines)
    rows = sum(line.startswith("|") or line.lstrip().startswith("<t") for line in lines)
    items = sum(line.lstrip().startswith(("- ", "* ", "+ ")) for line in lines)
    figures = sum(sum(table_rows(text)) for text in texts)
    count = max(1, len(lines))
    return {
        "heading_share": headings / count,
        "no_headings": float(not headings and len(words) > 150),
        "row_share": rows / count,
        "item_share": items / count,
        "figures_outside": max(0.0, figures - rows) / max(1, sum(text.count("\n") + 1 for text in texts)),
        "link_share": min(1.0, 20 * sum(line.count("](") for line in lines) / max(1, len(words))),
    }


def _tables(tables: Sequence[Table], words: Sequence[str]) -> dict[str, float]:
    from .assess import malformed_share

    rows = sum(len(table.rows) for table in tables)
    if not rows:
        return {}
    cells = [cell for table in tables for row in table.rows[:100] for cell in row]
    return {
        "malformed": sum(malformed_share(table) * len(table.rows) for table in tables) / rows,
        "empty_cells": sum(not cell.strip() for cell in cells) / max(1, len(cells)),
        "log_cells": math.log10(1 + len(cells)),
        "cell_words": math.log10(1 + sum(len(cell.split()) for cell in cells) / max(1, len(cells))),
    }


def _against(seen: DocumentClassification, found: Mapping[str, float]) -> dict[str, float]:
    """What the classifier saw on the pages and the conversion does not show: a second, cheap reading of the document."""
    rows = found.get("row_share", 0.0)
    return {
        "tables_lost": float(seen.has_tables and rows == 0),
        "tables_kept": float(seen.has_tables and rows > 0),
        "tables_invented": float(not seen.has_tables and rows > 0),
        "charts": float(seen.has_charts),
        "forms": float(seen.has_form_fields),
        "visual": {"low": 0.0, "medium": 0.5, "high": 1.0}[seen.visual_importance],
        "log_pages": math.log10(1 + (seen.page_count or 0)),
        "table_heavy": float(seen.routing_type is RoutingType.TABLE_HEAVY_FILING),
        "image_heavy": float(seen.routing_type is RoutingType.IMAGE_HEAVY_PDF),
    }


def _coverage(conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int]) -> dict[str, float]:
    count = len(conversion.pages)
    empty = sum(not (page.text or "").strip() for page in conversion.pages)
    found = {"empty_pages": empty / count, "recognised": len(recognised) / count}
    pictures = sum(page.has_images for page in conversion.pages)
    found["pictures"] = pictures / count
    if evidence.ocr_confidences:
        found["ocr_confidence"] = sum(evidence.ocr_confidences) / len(evidence.ocr_confidences)
        found["ocr_lowest"] = min(evidence.ocr_confidences)
    given = sum(len("".join((page.text or "").split())) for page in _sample(conversion.pages))
    if evidence.expected_chars and sum(evidence.expected_chars) and len(evidence.expected_chars) == count:
        expected = sum(evidence.expected_chars[page.number - 1] for page in _sample(conversion.pages))
        if expected:
            found["yield"] = min(2.0, given / expected)
    found["hidden"] = float(any(page.hidden_text for page in conversion.pages))
    found["warned"] = min(1.0, len(conversion.warnings) / 5)
    return found
