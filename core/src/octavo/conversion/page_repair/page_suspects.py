"""Finds suspect pages of a conversion from their own evidence."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from octavo_contracts import Conversion, DegradedFlag, Page, QualityAssessment, QualityEvidence
from octavo_text.tables.doubtful_tables import malformed_share

from ...builtins.quality.assess import FIXED_LAYOUT
from ...builtins.quality.thresholds import DEFAULT_THRESHOLDS, QualityThresholds
from ...settings.repair import DEFAULT_REPAIR, RepairSettings

_UNMAPPED = re.compile("\\(cid:\\d+\\)|(?:/[A-Za-z]{1,5}\\d{1,5}){3,}|[\ufffd\ue000-\uf8ff]")
"""What engines output for characters that the font does not identify: numbers, glyph names, private-use codes."""


@dataclass(frozen=True, kw_only=True)
class PageSuspect:
    """Why a page is suspect.

    Attributes:
        page: its number, from 1.
        flag: the degraded flag for it.
        why: the observation, in words.
    """

    page: int
    flag: str
    why: str


@dataclass(frozen=True, kw_only=True)
class PageState:
    """Defects and content of a page, measured from the page itself.

    Attributes:
        missing: share of the expected text that is missing, 0..1.
        malformed: share of its tables' rows that are malformed, 0..1.
        junk: share of its characters that are unmapped, 0..1.
        partial: whether the engine reported that it lost a part of the page.
        chars: text characters, without spaces and junk.
        tables: number of tables.
    """

    missing: float
    malformed: float
    junk: float
    partial: bool
    chars: int
    tables: int


def state_of(page: Page, *, expected: int | None, min_chars: int, partial: bool) -> PageState:
    """Measure one page.

    Args:
        page: complete, with its text.
        expected: characters of its text layer, if a second reading exists.
        min_chars: characters expected of a page without a second reading.
        partial: whether the engine reported that it lost a part of the page.
    """
    text = page.text or ""
    given = len(text.strip()) + sum(len(item.text) for item in page.hidden_text) + sum(map(len, page.furniture))
    wanted = min_chars if expected is None else expected
    rows = sum(len(table.rows) for table in page.tables)
    bad = sum(malformed_share(table) * len(table.rows) for table in page.tables)
    junk = sum(len(found[0]) for found in _UNMAPPED.finditer(text))
    visible = sum(map(len, text.split()))
    return PageState(
        missing=max(0.0, 1 - given / wanted) if wanted else 0.0,
        malformed=bad / rows if rows else 0.0,
        junk=junk / visible if visible else 0.0,
        partial=partial,
        chars=max(0, visible - junk),
        tables=len(page.tables),
    )


def partial_pages(conversion: Conversion) -> dict[int, str]:
    """Return the pages for which the engine reported a loss, with its messages."""
    return {
        warning.page: warning.message
        for warning in conversion.warnings
        if warning.page is not None and warning.code == DegradedFlag.PARTIAL_CONVERSION.value
    }


def expected_on(evidence: QualityEvidence, page: int) -> int | None:
    """Return the characters of a page's text layer, or None if they were not counted."""
    chars = evidence.expected_chars
    return chars[page - 1] if chars is not None and page <= len(chars) else None


def suspect_pages(
    conversion: Conversion,
    evidence: QualityEvidence,
    assessment: QualityAssessment,
    *,
    thresholds: QualityThresholds = DEFAULT_THRESHOLDS,
    settings: RepairSettings = DEFAULT_REPAIR,
    recognised: Collection[int] = (),
) -> dict[int, PageSuspect]:
    """Return the pages that another engine might convert better, by number.

    Only fixed-layout formats are judged: a slide or a sheet may be almost empty. Recognised pages are excluded:
    their text already comes from the page image.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source.
        assessment: the verdict on the conversion as a whole.
        thresholds: when flags are raised.
        settings: when a page is suspect.
        recognised: pages with recognised text.
    """
    if not settings.enabled or not conversion.paginated or evidence.media_type not in FIXED_LAYOUT:
        return {}
    lost = partial_pages(conversion)
    low = DegradedFlag.LOW_TEXT_YIELD.value
    sparse = any(finding.flag == low for finding in assessment.findings)
    found: dict[int, PageSuspect] = {}
    for page in conversion.pages:
        if page.number in recognised:
            continue
        expected = expected_on(evidence, page.number)
        state = state_of(page, expected=expected, min_chars=thresholds.min_chars_a_page, partial=page.number in lost)
        reason = _doubt(
            state, expected, sparse=sparse, thresholds=thresholds, settings=settings, lost=lost.get(page.number)
        )
        if reason is not None:
            found[page.number] = PageSuspect(page=page.number, flag=reason[0].value, why=reason[1])
    return found


def _doubt(
    state: PageState,
    expected: int | None,
    *,
    sparse: bool,
    thresholds: QualityThresholds,
    settings: RepairSettings,
    lost: str | None,
) -> tuple[DegradedFlag, str] | None:
    """Return the most serious doubt about a page, or None."""
    if lost is not None:
        return DegradedFlag.PARTIAL_CONVERSION, lost
    if state.junk > settings.max_page_junk:
        return DegradedFlag.LOW_TEXT_YIELD, f"{state.junk:.0%} of its characters are unmapped"
    if state.malformed > thresholds.max_malformed_rows:
        return DegradedFlag.TABLES_GARBLED, f"{state.malformed:.0%} of its tables' rows are malformed"
    if expected is not None and expected >= settings.min_layer_chars and state.missing > 1 - settings.min_page_yield:
        return (
            DegradedFlag.LOW_TEXT_YIELD,
            f"{1 - state.missing:.0%} of its text layer's {expected} characters were extracted",
        )
    # If the whole document has too little text, every page with too little is suspect, unless it had none to extract.
    if sparse and state.missing > 1 - thresholds.same_yield and (expected is None or expected > 0):
        return DegradedFlag.LOW_TEXT_YIELD, f"{state.chars} characters were extracted"
    return None
