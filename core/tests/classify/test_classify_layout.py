"""How the lines of a page stand: tables without rules, headings by size, columns; and what is kept of a look (QLT-3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.builtins.classification.classifier import look
from octavo.builtins.classification.page_layout import UNSEEN, Box, Layout, layout_of_runs
from octavo.builtins.classification.text_sample import SEEN_CHARS, sight_of_text
from octavo.formats import refine
from octavo_contracts import FileSource

WIDTH = 600.0


def line(at: int, *cells: tuple[float, float], height: float = 10.0) -> list[Box]:
    """Cells (left, right) of one line; lines are 14 points apart."""
    top = 780.0 - 14 * at
    return [(left, top, right, top - height) for left, right in cells]


def prose(count: int, *, first: int = 0) -> list[Box]:
    return [box for at in range(count) for box in line(first + at, (50, 300), (303, 550))]


def test_cells_under_each_other_are_rows_of_a_table() -> None:
    rows = [box for at in range(5) for box in line(10 + at, (60, 120), (200, 240), (300, 330))]
    assert layout_of_runs(prose(10) + rows, width=WIDTH).table_rows == 5


def test_running_text_is_no_table() -> None:
    assert layout_of_runs(prose(30), width=WIDTH).table_rows == 0


def test_columns_of_names_and_of_narrow_text_are_no_table() -> None:
    """No line has a short cell; a label or a number in half of the lines makes rows."""
    names = [box for at in range(12) for box in line(at, (60, 220), (300, 470))]
    columns = [box for at in range(12) for box in line(at, (54, 200), (228, 390), (402, 550))]
    assert [layout_of_runs(runs, width=WIDTH).table_rows for runs in (names, columns)] == [0, 0]
    labelled = [box for at in range(12) for box in line(at, (60, 100 if at % 2 else 220), (300, 470))]
    assert layout_of_runs(labelled, width=WIDTH).table_rows == 12


def test_two_rows_are_no_table() -> None:
    rows = [box for at in range(2) for box in line(10 + at, (60, 120), (200, 240))]
    assert layout_of_runs(prose(10) + rows, width=WIDTH).table_rows == 0


def test_cells_that_do_not_stand_under_each_other_are_no_table() -> None:
    rows = [box for at in range(6) for box in line(at, (60 + 23 * at, 90 + 23 * at), (200 + 31 * at, 240 + 31 * at))]
    assert layout_of_runs(rows, width=WIDTH).table_rows == 0


def test_columns_of_running_text_are_columns_and_no_table() -> None:
    runs = [box for at in range(20) for box in line(at, (50, 290), (310, 550))]
    found = layout_of_runs(runs, width=WIDTH)
    assert (found.columns, found.table_rows) == (2, 0)


def test_lines_set_larger_than_the_body_are_counted() -> None:
    runs = line(0, (50, 200), height=13.0) + prose(20, first=2) + line(23, (50, 220), height=13.0)
    assert layout_of_runs(runs, width=WIDTH).larger_lines == 2


@pytest.mark.parametrize("runs", [[], [(5.0, 10.0, 5.0, 0.0)], [(5.0, 10.0, 9.0, 9.5)]])
def test_a_page_without_lines_shows_nothing(runs: list[Box]) -> None:
    assert layout_of_runs(runs, width=WIDTH) == UNSEEN


def test_a_look_at_a_pdf_keeps_the_text_and_the_table_of_its_pages(
    make_pdf: Callable[..., bytes], page_text: Callable[..., bytes], tmp_path: Path
) -> None:
    placed = b"".join(
        b"BT /F1 10 Tf %d %d Td (%s) Tj ET " % (x, 700 - 14 * row, cell)
        for row in range(6)
        for x, cell in ((60, b"station"), (200, b"north"), (300, b"calm"))
    )
    path = tmp_path / "gauges.pdf"
    path.write_bytes(make_pdf(page_text(), placed))
    source = FileSource(path, media_type="application/pdf")
    sights = look(source, refine(source)).sights
    assert [(sight.page, sight.table_rows >= 5) for sight in sights] == [(1, False), (2, True)]
    assert "keeper" in sights[0].text


def test_a_look_keeps_the_beginning_of_a_text_and_no_half_characters() -> None:
    sight = sight_of_text("a\ud800b" + "c" * 9000)
    assert sight.text.startswith("abc")
    assert len(sight.text) <= SEEN_CHARS


def test_the_score_of_a_layout_is_the_share_of_pictures_tables_and_headings() -> None:
    """CNV-3."""
    plain = Layout(lines=40)
    table = Layout(lines=40, table_rows=30, larger_lines=2)
    assert plain.score(picture_share=0.0) == 0.0
    assert plain.score(picture_share=0.5) == 0.5
    assert table.score(picture_share=0.0) == pytest.approx(0.8)
    assert table.score(picture_share=0.5) == pytest.approx(0.9)
    assert Layout().score(picture_share=0.25) == 0.25
