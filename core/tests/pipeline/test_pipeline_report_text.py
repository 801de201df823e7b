"""What of a report is told without asking."""

from __future__ import annotations

import octavo
import pytest
from octavo.conversion.report_text import why_low, worth_telling
from octavo_contracts import QualityFinding


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (
            {"quality_score": 0.36, "text_yield_score": 0.31, "table_integrity_score": 0.2},
            "text yield 0.31, tables 0.20",
        ),
        (
            {"quality_score": 0.49, "text_yield_score": 0.9},
            "conversions that look like this one often lose text; compare it with the original",
        ),
        ({"quality_score": 0.5, "text_yield_score": 0.1}, ""),
        ({"quality_score": None}, ""),
    ],
)
def test_a_low_score_is_explained_by_its_weak_parts(scores, said):
    report = octavo.convert(b"tides", name="tides.txt").result.quality_report
    assert why_low(report.model_copy(update=scores)) == said


def test_repairs_that_went_well_are_told_by_the_report_alone():
    def finding(flag, severity):
        return QualityFinding(flag=flag, message="x", severity=severity)

    note, repair, bad = (
        finding("type_mismatch", "note"),
        finding("tables_put_back", "note"),
        finding("tables_lost", "degraded"),
    )
    assert worth_telling([note, repair, bad]) == [bad, note]
