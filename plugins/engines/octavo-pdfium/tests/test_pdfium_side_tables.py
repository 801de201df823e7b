"""Tables of figures that stand side by side, or beside a column of text, on documents made byte for byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import ConvertRequest, FileSource, HookContext, Page
from octavo_pdfium import plugin

Placed = tuple[str, float, float]
"""A text, and where it begins: points from the left, points from the bottom."""
Rows = Sequence[Sequence[str]]
Read = Callable[..., Page]

SHIPS = (("Ship", "Cargo", "Crew"), ("Skade", "120", "22"), ("Ymer", "140", "14"), ("Gefion", "160", "19"))
PORTS = (("Port", "Depth", "Berths"), ("Skagen", "8.5", "41"), ("Ran", "7.1", "36"), ("Freja", "9.3", "28"))
CREWS = (("Office", "Watch", "Keeper"), ("Light", "dawn", "Ane"), ("Gauge", "dusk", "Bo"), ("Boat", "14", "Kaj"))
PROSE = "the keeper read the gauge of the harbour at dawn and"


def grid(rows: Rows, left: float, top: float, *, pitch: float) -> list[Placed]:
    return [
        (cell, left + 70 * column, top - pitch * row)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
    ]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads one page with the given texts, painted in their order."""

    def call(*texts: Placed, size: float = 10, width: int = 612) -> Page:
        content = b"".join(show_text(text, left, bottom, size=size) for text, left, bottom in texts)
        file = tmp_path / "sample.pdf"
        file.write_bytes(PdfFile([PdfPage(content, width=width)]).to_bytes())
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60, options={"tables": True})
        source = FileSource(str(file), media_type="application/pdf")
        return plugin.convert(source, ConvertRequest(media_type="application/pdf"), context).pages[0]

    return call


def rows_of(page: Page) -> list[Rows]:
    return [table.rows for table in page.tables]


def words_of(text: str) -> list[str]:
    return sorted(text.replace("|", " ").replace("---", " ").split())


@pytest.mark.parametrize("across", [False, True])
def test_tables_with_captions_beside_each_other_are_two(read: Read, across: bool) -> None:
    """CNV-2: their rows are at the same heights, and the page may paint them table by table or row by row."""
    left = [("Table 1. Ships", 60, 620), *grid(SHIPS, 60, 600, pitch=16)]
    right = [("Table 2. Ports", 330, 620), *grid(PORTS, 330, 600, pitch=16)]
    texts = sorted([*left, *right], key=lambda one: (-one[2], one[1])) if across else [*left, *right]
    page = read(*texts)

    assert rows_of(page) == [SHIPS, PORTS]
    assert words_of(page.markdown) == words_of(page.text or "")


def test_tables_whose_rows_have_other_heights_are_two_without_captions(read: Read) -> None:
    """CNV-2: rows of the one stand between rows of the other, and none is joined to its neighbour."""
    page = read(*grid(SHIPS, 60, 600, pitch=24), *grid(PORTS, 330, 600, pitch=17))

    assert rows_of(page) == [SHIPS, PORTS]


def test_a_table_of_words_beside_one_of_figures_is_divided_at_the_gutter(read: Read) -> None:
    """CNV-2: a table of words alone is not found, as its rows have no figures."""
    captions = [("Table 1. Crews", 60, 620), ("Table 2. Ports", 330, 620)]
    page = read(*captions, *grid(CREWS, 60, 600, pitch=16), *grid(PORTS, 330, 600, pitch=16))

    assert rows_of(page) == [CREWS, PORTS]


def test_a_column_of_words_between_columns_of_figures_does_not_divide_a_table(read: Read) -> None:
    """CNV-2: without captions, and with its rows at the same heights, what stands together is one table."""
    rows = [(*ship, *port) for ship, port in zip(SHIPS, PORTS, strict=True)]
    page = read(*grid(rows, 60, 600, pitch=16))

    assert rows_of(page) == [tuple(rows)]


def test_a_table_beside_a_column_of_text_is_found(read: Read) -> None:
    """CNV-2: on a page of two columns the lines of one say nothing of the rows of the other."""
    above = [(PROSE, 330, 600 - 12 * place) for place in range(5)]
    text = [(PROSE, 60, 600 - 12 * place) for place in range(12)]
    page = read(*text, *above, *grid(SHIPS, 330, 520, pitch=12))

    assert rows_of(page) == [SHIPS]
    assert words_of(page.markdown) == words_of(page.text or "")


def test_the_caption_of_a_table_is_no_row_of_it(read: Read) -> None:
    """CNV-2: the line stays above the table."""
    page = read(("Table 7. Ships of the harbour", 60, 616), *grid(SHIPS, 60, 600, pitch=16))

    assert rows_of(page) == [SHIPS]
    assert page.markdown.startswith("Table 7. Ships of the harbour\n\n| Ship |")


def test_the_time_of_a_page_of_very_many_columns_is_bounded(read: Read) -> None:
    """CNV-2: of the 1,600 free strips of a row the widest are compared; with all of them the page takes half a minute."""
    texts = [("a", 20 + 6.8 * column, 600 - 8 * row) for row in range(3) for column in range(1600)]
    figures = [("1", 20 + 20 * place, 500) for place in range(6)]
    begun = time.process_time()
    page = read(*texts, *figures, size=3, width=12000)

    assert time.process_time() - begun < 6
    assert len((page.text or "").split()) > 4000
