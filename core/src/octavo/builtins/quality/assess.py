"""The built-in score: judges a conversion by its own evidence (QLT-1, QLT-3, CNV-2).

The score is the expected accuracy for the evidence, multiplied by the geometric mean of the partial scores. What cannot
be assessed is None, never 1. The thresholds are those of the specification and are settings.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from octavo_contracts import (
    Conversion,
    DegradedFlag,
    Page,
    QualityAssessment,
    QualityEvidence,
    QualityFinding,
)
from octavo_text.page_spans import pages_text
from octavo_text.tables.doubtful_tables import doubtful_gaps, malformed_share

from .agreement_signals import differing_readings
from .expected import Weights
from .office_signals import WHOLE_SIGHT
from .thresholds import DEFAULT_THRESHOLDS, QualityThresholds
from .unread_pictures import unread_pictures

if TYPE_CHECKING:
    from .structure_losses import StructureLoss

FIXED_LAYOUT = frozenset({"application/pdf", "image/png", "image/jpeg", "image/tiff", "image/gif", "image/webp"})
"""Formats with fixed pages: little text on such a page is suspicious, on a slide it is not."""

PLAIN = frozenset({"text/plain", "text/markdown"})
"""Formats whose text is their markup."""

_JUNK_CHAR = re.compile("[\ufffd\ue000-\uf8ff]")
_JUNK_NAME = re.compile(r"\(cid:\d+\)")


_OTHER_TABLES = (
    "Compare the tables with the original; another plugin may read them better: `octavo reconvert DOC --with PLUGIN`"
)
_REMEDIES = {
    DegradedFlag.LOW_TEXT_YIELD: "Reconvert with a heavier plugin, or run OCR on the pages",
    DegradedFlag.TABLES_LOST: _OTHER_TABLES,
    DegradedFlag.TABLES_GARBLED: _OTHER_TABLES,
    DegradedFlag.MISSING_PAGE_ANCHORS: "Reconvert with a plugin that keeps pages",
    DegradedFlag.OCR_NEEDED: "Install a plugin with the hook `ocr` and ingest the document again",
    DegradedFlag.OCR_LOW_CONFIDENCE: "Check the text against the page before relying on it",
    DegradedFlag.PARTIAL_CONVERSION: "Compare with the original, or reconvert with another plugin",
    DegradedFlag.HIDDEN_TEXT: "Text that readers cannot see was stored separately from the content",
    DegradedFlag.NO_CONTENT: "Check that the source is the document you meant",
    DegradedFlag.ENCODING_REPAIRED: "Save the file as UTF-8 if characters look wrong",
}


def assess(
    conversion: Conversion,
    evidence: QualityEvidence,
    thresholds: QualityThresholds = DEFAULT_THRESHOLDS,
    *,
    recognised: Collection[int] = (),
    unread: Collection[int] = (),
) -> QualityAssessment:
    """Score a conversion.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source.
        thresholds: thresholds for raising flags.
        recognised: pages with recognised text: their confidence is assessed instead of their yield, since a blank
            page or a photograph has no more text.
        unread: pages that need OCR and were not recognised: whatever text they have is not theirs.
    """
    findings: list[QualityFinding] = []
    anchors = _page_anchor_integrity(conversion, evidence, findings)
    whole = _table_integrity(conversion, thresholds, findings)
    tables = _both(whole, _filled_cells(conversion, evidence, thresholds, findings))
    kept = _tables_kept(conversion, evidence, thresholds, findings, frozenset(recognised))
    signs: dict[str, float] = {}
    lost = _lost_parts(conversion, evidence)
    if evidence.structure is not None or not _is_plain(conversion, evidence):
        from .loss_signals import losses

        signs = losses(conversion, evidence, recognised=recognised, lost=lost)
    text = _text_yield(conversion, evidence, thresholds, findings, frozenset(recognised), signs)
    if text is not None and unread:
        text = round(text * (1 - len(unread) / max(len(unread), len(conversion.pages) - len(recognised))), 4)
    _observe(conversion, evidence, thresholds, lost, findings)
    findings += unread_pictures(conversion, evidence, recognised)
    measured = (anchors, tables, text, _clean_share(conversion), _mean_confidence(evidence))
    parts = [value for value in measured if value is not None]
    return QualityAssessment(
        quality_score=_score(parts, signs),
        page_anchor_integrity=anchors,
        table_integrity_score=_both(tables, kept),
        text_yield_score=text,
        findings=tuple(findings),
    )


def observed(
    conversion: Conversion, evidence: QualityEvidence, thresholds: QualityThresholds = DEFAULT_THRESHOLDS
) -> tuple[QualityFinding, ...]:
    """Return the findings that do not depend on the scorer: lost parts, hidden text, warnings, doubtful OCR, differing readings.

    `assess` includes them. The report contains them whichever plugin scores the conversion.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source.
        thresholds: thresholds for raising flags.
    """
    findings: list[QualityFinding] = []
    _observe(conversion, evidence, thresholds, _lost_parts(conversion, evidence), findings)
    return tuple(findings)


def _lost_parts(conversion: Conversion, evidence: QualityEvidence) -> Sequence[StructureLoss]:
    """Return the structural parts that the conversion lacks; none if the source's parts were not counted."""
    if evidence.structure is None:
        return ()
    from .structure_losses import structure_losses

    return structure_losses(conversion, evidence)


def _observe(
    conversion: Conversion,
    evidence: QualityEvidence,
    thresholds: QualityThresholds,
    lost: Sequence[StructureLoss],
    findings: list[QualityFinding],
) -> None:
    """Add the findings that do not depend on the scorer; see `observed`."""
    _structure(lost, findings)
    _hidden(conversion, thresholds, findings)
    _warned(conversion, findings)
    if evidence.agreements:
        findings += differing_readings(evidence.agreements)
    if (mean := _mean_confidence(evidence)) is not None:
        _doubtful(mean, thresholds, findings)


def _is_plain(conversion: Conversion, evidence: QualityEvidence) -> bool:
    """Return whether the source is text without markup, of which no conversion can lose structure, and nothing was reported."""
    return evidence.media_type in PLAIN and not conversion.warnings


def _mean_confidence(evidence: QualityEvidence) -> float | None:
    given = evidence.ocr_confidences
    return sum(given) / len(given) if given else None


def _doubtful(mean: float, thresholds: QualityThresholds, findings: list[QualityFinding]) -> None:
    if mean < thresholds.min_ocr_confidence:
        message = f"mean confidence of recognised pages is {mean:.2f}"
        findings.append(_finding(DegradedFlag.OCR_LOW_CONFIDENCE, message))


def _score(parts: Sequence[float], signs: Mapping[str, float]) -> float | None:
    """Return the geometric mean of the partial scores, times the expected accuracy; None if nothing was assessed."""
    if not parts:
        return None
    return round(math.prod(parts) ** (1 / len(parts)) * Weights.shipped().expected(signs), 4)


def _both(whole: float | None, kept: float | None) -> float | None:
    """Combine how well formed the tables are with the share of tables that were kept."""
    if whole is None or kept is None:
        return kept if whole is None else whole
    return round(whole * kept, 4)


def _page_anchor_integrity(
    conversion: Conversion, evidence: QualityEvidence, findings: list[QualityFinding]
) -> float | None:
    lost = DegradedFlag.MISSING_PAGE_ANCHORS
    if not conversion.paginated:
        if any(warning.code == lost for warning in conversion.warnings):
            return 0.0
        return None
    found = conversion.extensions.get("octavo.page_boundaries_found")
    if isinstance(found, int | float):
        return float(found)
    if evidence.source_page_count is not None and evidence.source_page_count != len(conversion.pages):
        findings.append(
            _finding(lost, f"the source has {evidence.source_page_count} pages, the conversion {len(conversion.pages)}")
        )
        return round(
            min(evidence.source_page_count, len(conversion.pages))
            / max(evidence.source_page_count, len(conversion.pages)),
            4,
        )
    return 1.0


def _table_integrity(
    conversion: Conversion, thresholds: QualityThresholds, findings: list[QualityFinding]
) -> float | None:
    rows = bad = 0.0
    for page in conversion.pages:
        for table in page.tables:
            share = malformed_share(table)
            rows += len(table.rows)
            bad += share * len(table.rows)
            if share > thresholds.max_malformed_rows:
                message = f"{share:.0%} of a table's {len(table.rows)} rows do not have the header's number of cells"
                findings.append(_finding(DegradedFlag.TABLES_GARBLED, message, page=page.number))
    return round(1 - bad / rows, 4) if rows else None


def _filled_cells(
    conversion: Conversion, evidence: QualityEvidence, thresholds: QualityThresholds, findings: list[QualityFinding]
) -> float | None:
    """Flag tables that were derived from positions on the page, and most likely wrongly; return their share of filled cells.

    All tables count together: a sparse one among full ones is a table. Other formats define their cells, and many cells
    of a workbook are empty. None if the tables are not doubtful.
    """
    if evidence.media_type not in FIXED_LAYOUT:
        return None
    cells: Counter[int] = Counter()
    empty: Counter[int] = Counter()
    for page in conversion.pages:
        for table in page.tables:
            cells[page.number] += sum(map(len, table.rows))
            empty[page.number] += doubtful_gaps(table)
    limit = thresholds.max_empty_cells
    share = empty.total() / max(1, cells.total())
    if share <= limit:
        return None
    sparse = [number for number in cells if empty[number] > limit * cells[number]]
    where = f"most of them on {pages_text(sparse)}"
    message = f"{share:.0%} of the cells of its tables are empty, {where}: text may have been mistaken for tables"
    findings.append(_finding(DegradedFlag.TABLES_GARBLED, message, page=sparse[0] if len(sparse) == 1 else None))
    return round(1 - share, 4)


def _tables_kept(
    conversion: Conversion,
    evidence: QualityEvidence,
    thresholds: QualityThresholds,
    findings: list[QualityFinding],
    recognised: frozenset[int],
) -> float | None:
    """Return the share of inspected pages with a table that kept it; None if no page shows one.

    HTML is left out: it uses tables without data for layout.
    """
    shows_any = any(sight.table_rows >= thresholds.min_lost_rows for sight in evidence.sights)
    if not shows_any or evidence.media_type.endswith(("html", "html+xml")):
        return None
    from .evidence_pairs import pairs

    shown = [
        pair
        for pair in pairs(conversion, evidence)
        if pair.sight.table_rows >= thresholds.min_lost_rows and pair.sight.page not in recognised
    ]
    lost = [pair for pair in shown if not pair.has_table]
    for pair in lost:
        message = (
            f"the source shows a table of about {pair.sight.table_rows} rows, the conversion has none on this page"
        )
        page = pair.sight.page if conversion.paginated and pair.sight.page <= len(conversion.pages) else None
        findings.append(_finding(DegradedFlag.TABLES_LOST, message, page=page))
    return round(1 - len(lost) / len(shown), 4) if shown else None


def _text_yield(
    conversion: Conversion,
    evidence: QualityEvidence,
    thresholds: QualityThresholds,
    findings: list[QualityFinding],
    recognised: frozenset[int],
    signs: Mapping[str, float],
) -> float | None:
    if evidence.media_type not in FIXED_LAYOUT:
        if not any(_chars(page) for page in conversion.pages):
            findings.append(_finding(DegradedFlag.NO_CONTENT, "the document contains no text"))
        return None
    # Text that was separated as hidden was read, not lost.
    judged = [page for page in conversion.pages if page.number not in recognised]
    if not judged:
        return None
    given = [
        _chars(page) + sum(len(item.text) for item in page.hidden_text) + sum(map(len, page.furniture))
        for page in judged
    ]
    expected = evidence.expected_chars
    if expected is not None:
        expected = tuple(expected[page.number - 1] for page in judged)
    if (seen := _seen_whole(evidence)) is not None and not recognised:
        # This is counted; the density of a page times its area would only be an estimate.
        score = min(1.0, sum(given) / seen)
        missed_nothing = score >= thresholds.same_yield
    elif expected is not None and sum(expected) > 0:
        score = min(1.0, sum(given) / sum(expected))
        missed_nothing = score >= thresholds.same_yield and min(expected) > 0
    else:
        score = min(1.0, sum(given) / (thresholds.min_chars_a_page * len(given)))
        missed_nothing = False
    average = sum(given) / max(len(given), (evidence.source_page_count or 0) - len(recognised))
    if average < thresholds.min_chars_a_page and not missed_nothing:
        findings.append(_finding(DegradedFlag.LOW_TEXT_YIELD, f"{average:.0f} characters per page on average"))
    elif (missing := signs.get("words_missing", 0.0)) > thresholds.max_missing_words:
        message = f"{missing:.0%} of the words of a second reading of its pages are missing"
        findings.append(_finding(DegradedFlag.LOW_TEXT_YIELD, message))
    return round(score, 4)


def _seen_whole(evidence: QualityEvidence) -> int | None:
    """Return the characters of the source if every page was inspected and none was truncated; else None."""
    texts = [sight.text for sight in evidence.sights]
    # White space is not counted: its amount depends on the reader.
    seen = [sum(map(len, text.split())) for text in texts]
    whole = len(seen) == evidence.source_page_count and all(seen) and all(len(text) < WHOLE_SIGHT for text in texts)
    return sum(seen) if whole else None


def _structure(losses: Sequence[StructureLoss], findings: list[QualityFinding]) -> None:
    """Add the lost parts, apart from those that another finding reports already."""
    raised = {finding.flag for finding in findings}
    findings += [finding for loss in losses if (finding := loss.finding()).flag not in raised]


def _hidden(conversion: Conversion, thresholds: QualityThresholds, findings: list[QualityFinding]) -> None:
    for page in conversion.pages:
        if page.hidden_text:
            kinds = ", ".join(sorted({item.why for item in page.hidden_text}))
            count = sum(len(item.text) for item in page.hidden_text)
            finding = _finding(
                DegradedFlag.HIDDEN_TEXT, f"{count} characters that readers cannot see ({kinds})", page=page.number
            )
            slight = count < thresholds.min_hidden_chars
            findings.append(finding.model_copy(update={"severity": "note"}) if slight else finding)


def _warned(conversion: Conversion, findings: list[QualityFinding]) -> None:
    raised = {(finding.flag, finding.page) for finding in findings}
    for warning in conversion.warnings:
        if (warning.code, warning.page) not in raised and warning.code in set(DegradedFlag):
            findings.append(_finding(DegradedFlag(warning.code), warning.message, page=warning.page))


def _clean_share(conversion: Conversion) -> float | None:
    total = sum(_chars(page) for page in conversion.pages)
    if not total:
        return None
    junk = sum(_junk(page.text) for page in conversion.pages if page.text)
    return round(max(0.0, 1 - junk / total), 4)


def _junk(text: str) -> int:
    """Count the characters in a text that its font did not map."""
    names = len(_JUNK_NAME.findall(text)) if "(cid:" in text else 0
    return names if text.isascii() else names + len(_JUNK_CHAR.findall(text))


def _chars(page: Page) -> int:
    return len((page.text if page.text is not None else page.markdown).strip())


def _finding(flag: DegradedFlag, message: str, *, page: int | None = None) -> QualityFinding:
    return QualityFinding(flag=flag.value, message=message, page=page, remedy=_REMEDIES.get(flag, ""))
