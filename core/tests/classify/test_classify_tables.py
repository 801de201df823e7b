"""Web pages and workbooks can be table-heavy filings as PDF files can (CLS-9)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import octavo
import pytest
from octavo.conversion.inspection import routing_types_of
from octavo.runtime import Runtime
from octavo_contracts import DocumentClassification, RoutingType
from octavo_library import Library

FORM = "<p>SECURITIES AND EXCHANGE COMMISSION</p><p>FORM 10-K</p><p>Commission file number 1-23</p>"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def page(*tables: int, before: str = "<p>The gauges of the coast.</p>") -> bytes:
    made = "".join(f"<table>{'<tr><td>1990</td><td>3.25</td></tr>' * rows}</table>" for rows in tables)
    return f"<!doctype html><html><body><h1>Levels</h1>{before}{made}</body></html>".encode()


@pytest.mark.parametrize(
    ("data", "routing"),
    [
        (page(8, 8, 8, 8), RoutingType.TABLE_HEAVY_FILING),
        (page(8, 8, 8), RoutingType.HTML),
        (page(7, 7, 8, 8), RoutingType.HTML),
        (page(1, before=FORM), RoutingType.TABLE_HEAVY_FILING),
    ],
    ids=["four tables of 32 rows", "three tables", "thirty rows", "a report to the commission"],
)
def test_a_page_full_of_tables_is_table_heavy(
    verdict: Callable[..., DocumentClassification], data: bytes, routing: RoutingType
) -> None:
    assert verdict(data, "a.html").routing_type == routing


def test_a_table_heavy_page_is_read_by_an_engine_for_pages(runtime: Runtime) -> None:
    """The profiles name one: nothing of the tables or of the text is lost by the other route."""
    made = octavo.convert(page(8, 8, 8, 8), name="levels.html", runtime=runtime)
    assert made.result.classification is not None
    assert made.result.classification.routing_type == RoutingType.TABLE_HEAVY_FILING
    assert made.result.quality_report.selected_tool == "trafilatura"
    assert "The gauges of the coast." in made.markdown
    assert made.markdown.count("| 1990 | 3.25 |") == 32


def test_a_workbook_is_table_heavy_where_a_user_says_so(runtime: Runtime, tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["Year", "Level"])
    book.active.append([1990, 3.25])
    book.save(tmp_path / "levels.xlsx")
    with Library.open(tmp_path / "library", runtime=runtime) as library:
        document = library.ingest(tmp_path / "levels.xlsx").document
        before = document.result.classification
        document.set_type("sec_filing")
        document.reconvert()
        again = library.document(document.id).result
    assert before is not None
    assert before.routing_type == RoutingType.SPREADSHEET
    assert again.classification is not None
    assert again.classification.routing_type == RoutingType.TABLE_HEAVY_FILING
    assert again.quality_report.selected_tool == "calamine"


def test_a_rule_for_table_heavy_documents_can_name_an_engine_for_pages() -> None:
    for media_type in ("text/html", XLSX):
        assert RoutingType.TABLE_HEAVY_FILING in routing_types_of(media_type)
    assert routing_types_of("text/markdown") == {RoutingType.MARKDOWN}
