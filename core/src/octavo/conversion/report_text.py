"""What of a quality report a user is told without asking."""

from __future__ import annotations

from collections.abc import Sequence

from octavo_contracts import IngestionQualityReport, QualityFinding

LOW_SCORE = 0.5
"""A score below this is explained wherever it is shown."""
_WEAK_PART = 0.7
_IN_REPORT_ALONE = frozenset(
    {
        "form_fields",
        "headings_voted",
        "page_repaired",
        "readings_differ",
        "tables_put_back",
        "tables_undone",
        "text_layer_replaced",
    }
)
"""Flags of repairs that succeeded, and of evidence that the score contains: as notes they are in the report alone."""


def worth_telling(findings: Sequence[QualityFinding]) -> list[QualityFinding]:
    """The findings that a user should know without asking, what degrades the document first."""
    told = [one for one in findings if one.severity == "degraded" or one.flag not in _IN_REPORT_ALONE]
    return sorted(told, key=lambda one: one.severity != "degraded")


def why_low(report: IngestionQualityReport) -> str:
    """Why a score is low, for example "text yield 0.31, tables 0.20"; empty if the score is not low or was not computed.

    Where no partial score is weak, the score is low for what the text looks like: that is said in words.
    """
    if report.quality_score is None or report.quality_score >= LOW_SCORE:
        return ""
    parts = {
        "text yield": report.text_yield_score,
        "tables": report.table_integrity_score,
        "page anchors": report.page_anchor_integrity,
    }
    weak = [f"{name} {value:.2f}" for name, value in parts.items() if value is not None and value < _WEAK_PART]
    return ", ".join(weak) or "conversions that look like this one often lose text; compare it with the original"
