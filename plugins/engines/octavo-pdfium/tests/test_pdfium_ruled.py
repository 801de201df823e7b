"""Tables that the plugin `pdfium` finds by the lines between their cells, on documents made byte for byte (CNV-2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import ConvertRequest, FileSource, HookContext, Page
from octavo_pdfium import plugin

Read = Callable[..., Page]
XS = (72, 172, 272, 372)
YS = (700, 664, 628, 592)
TEXTS = (
    *(("Port", 76, 684), ("District", 176, 684), ("Keeper", 276, 684)),
    *(
        ("Brekka and", 76, 652),
        ("the old pier", 76, 638),
        ("North", 176, 652),
        ("appointed by", 276, 652),
        ("the council", 276, 638),
    ),
    *(("Holm", 76, 612), ("South", 176, 612), ("elected", 276, 612)),
)
ROWS = (
    ("Port", "District", "Keeper"),
    ("Brekka and the old pier", "North", "appointed by the council"),
    ("Holm", "South", "elected"),
)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads one page with the given drawing and texts; keyword arguments go to the page."""

    def call(drawing: str, texts: Sequence[tuple[str, float, float]] = TEXTS, **parts: Any) -> Page:
        content = drawing.encode() + b"".join(show_text(text, left, bottom, size=10) for text, left, bottom in texts)
        file = tmp_path / "sample.pdf"
        file.write_bytes(PdfFile([PdfPage(content, **parts)]).to_bytes())
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60, options={"tables": True})
        source = FileSource(str(file), media_type="application/pdf")
        return plugin.convert(source, ConvertRequest(media_type="application/pdf"), context).pages[0]

    return call


def level(ys: Sequence[float], left: float, right: float) -> str:
    """Level lines."""
    return "".join(f"{left} {y} m {right} {y} l S\n" for y in ys)


def upright(xs: Sequence[float], top: float, bottom: float) -> str:
    """Upright lines."""
    return "".join(f"{x} {top} m {x} {bottom} l S\n" for x in xs)


def rows_of(page: Page) -> list[tuple[tuple[str, ...], ...]]:
    return [table.rows for table in page.tables]


GRID = level(YS, XS[0], XS[-1]) + upright(XS, YS[0], YS[-1])


def test_cells_are_what_lines_enclose(read: Read) -> None:
    """A cell of several lines is one, and the columns are known from the page's layout."""
    page = read(GRID, (("The keepers of the harbour.", 72, 740), *TEXTS, ("So it was in March.", 72, 560)))
    assert rows_of(page) == [ROWS]
    assert page.tables[0].columns_seen == 3
    assert page.markdown.startswith("The keepers of the harbour.\n\n| Port | District | Keeper |\n")
    assert page.markdown.endswith("| Holm | South | elected |\n\nSo it was in March.")


@pytest.mark.parametrize(
    "drawing",
    [
        "".join(f"{left} {below} 100 36 re S\n" for left in XS[:3] for below in YS[1:]),
        "".join(f"{left + 0.75} {below + 0.75} 98.5 34.5 re f\n" for left in XS[:3] for below in YS[1:]).join(
            ("0.9 g\n", "0 g\n")
        ),
        "".join(f"{x} 592 0.5 108 re f\n" for x in XS) + "".join(f"72 {y} 300 0.5 re f\n" for y in YS),
        "1 0 0 1 72 592 cm "
        + level((0, 36, 72, 108), 0, 300)
        + upright((0, 100, 200, 300), 108, 0)
        + "1 0 0 1 -72 -592 cm\n",
        level(YS, XS[0], XS[-1]) + upright(XS[1:3], YS[0], YS[-1]),
        level(YS, XS[0] + 1, XS[-1])
        + upright((72, 170.5, 272, 372), 700, 664)
        + upright((72, 173, 271, 373), 664, 592),
    ],
    ids=["framed cells", "filled cells", "thin areas", "moved", "open at the sides", "drawn a little apart"],
)
def test_lines_are_drawn_in_many_ways(read: Read, drawing: str) -> None:
    """As lines, as thin areas, as frames or grounds of cells; with or without the outer ones."""
    assert rows_of(read(drawing)) == [ROWS]


def test_a_cell_over_two_columns_has_its_text_in_the_first(read: Read) -> None:
    """Its line is not drawn there."""
    drawing = level(YS, 72, 372) + upright((72, 172, 372), 700, 592) + upright((272,), 664, 592)
    texts = [
        ("Where and by whom", 176, 684) if text == "District" else (text, x, y)
        for text, x, y in TEXTS
        if text != "Keeper"
    ]
    assert rows_of(read(drawing, texts)) == [(("Port", "Where and by whom", ""), *ROWS[1:])]


def test_a_title_and_a_note_within_the_frame_are_no_rows(read: Read) -> None:
    """They are text before and behind the table."""
    drawing = GRID + level((724, 568), 72, 372) + upright((72, 372), 724, 568)
    page = read(
        drawing, (("Exhibit 9: the keepers", 76, 708), *TEXTS, ("Source: the register of the harbour", 76, 576))
    )
    assert rows_of(page) == [ROWS]
    assert page.markdown.startswith("Exhibit 9: the keepers\n\n|")
    assert page.markdown.endswith("|\n\nSource: the register of the harbour")


def test_rows_of_figures_need_no_lines_between_them(read: Read) -> None:
    """Only the heading and the columns are ruled; the lines of the cells are at the same heights."""
    figures = (("Brekka", "3.4", "93"), ("Holm", "4.7", "124"), ("Vik", "5.1", "155"), ("Ness", "6.2", "186"))
    texts = [
        *(("Port", 76, 684), ("Depth", 176, 684), ("Ships", 276, 684)),
        *((cell, x + 4, 650 - 14 * at) for at, row in enumerate(figures) for x, cell in zip(XS, row, strict=False)),
    ]
    drawing = level((700, 664, 592), 72, 372) + upright(XS, 700, 592)
    assert rows_of(read(drawing, texts)) == [(("Port", "Depth", "Ships"), *figures)]


def test_a_quarter_turned_page_has_its_tables(read: Read) -> None:
    """Lines are turned with the words."""
    texts = "".join(f"BT /F1 10 Tf 0 1 -1 0 {1300 - y} {x} Tm ({text}) Tj ET\n" for text, x, y in TEXTS)
    turned = "".join(f"{1300 - y} {XS[0]} m {1300 - y} {XS[-1]} l S\n" for y in YS)
    turned += "".join(f"{1300 - YS[0]} {x} m {1300 - YS[-1]} {x} l S\n" for x in XS)
    page = read(turned + texts, (), width=842, height=842, rotate=90)
    assert rows_of(page) == [ROWS]


@pytest.mark.parametrize(
    "drawing",
    [
        level((700, 592), 72, 372) + upright((72, 372), 700, 592),
        level(YS, 72, 372),
        level(YS, 72, 372) + upright((72, 90, 186, 290, 372), 700, 592),
        level(YS, 72, 82) + upright((72, 77, 82), 700, 592),
        level(range(100, 700, 5), 72, 572) + upright(range(72, 572, 5), 700, 100),
    ],
    ids=["a frame around text", "lines under text", "lines across words", "a decoration", "graph paper"],
)
def test_other_lines_are_no_table(read: Read, drawing: str) -> None:
    """Words are in cells that lines enclose, and no line crosses them."""
    assert not rows_of(read(drawing))


def test_a_grid_below_headings_without_lines_is_part_of_a_table(read: Read) -> None:
    """It is left to readers that see the headings: their table has more."""
    headings = (("Port", 76, 704), ("District", 176, 704), ("Keeper", 276, 704))
    texts = [
        *headings,
        *(one for one in TEXTS if one[2] < 680),
        ("Vik", 76, 684),
        ("West", 176, 684),
        ("named", 276, 684),
    ]
    assert not rows_of(read(GRID, texts))
