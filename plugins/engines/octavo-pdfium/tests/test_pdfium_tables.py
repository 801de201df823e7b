"""Tables of figures that the plugin `pdfium` finds by the places of the words, on documents made byte for byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import ConvertRequest, FileSource, HookContext, Page
from octavo_pdfium import plugin

Placed = tuple[str, float, float]
"""A text, and where it begins: points from the left, points from the bottom."""
Read = Callable[..., Page]

INCOME: Sequence[Placed] = (
    ("Net sales", 72, 640),
    ("14,544", 300, 640),
    ("14,694", 400, 640),
    ("Net income", 72, 624),
    ("805", 315, 624),
    ("1,048", 404, 624),
    ("Interest expense", 72, 608),
    ("(135)", 309, 608),
    ("(259)", 409, 608),
)
ROWS = (("Net sales", "14,544", "14,694"), ("Net income", "805", "1,048"), ("Interest expense", "(135)", "(259)"))


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads one page with the given texts; keyword arguments go to the page."""

    def call(*texts: Placed, tables: bool = True, size: float = 10, **parts: Any) -> Page:
        content = b"".join(show_text(text, left, bottom, size=size) for text, left, bottom in texts)
        file = tmp_path / "sample.pdf"
        file.write_bytes(PdfFile([PdfPage(content, **parts)]).to_bytes())
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60, options={"tables": tables})
        source = FileSource(str(file), media_type="application/pdf")
        return plugin.convert(source, ConvertRequest(media_type="application/pdf"), context).pages[0]

    return call


MARKED = (
    b"BT /F1 12 Tf 72 740 Td (Ada Quay) Tj /F1 7 Tf 5 Ts (4) Tj /F1 12 Tf 0 Ts (, Ben Pier) Tj /F1 7 Tf 5 Ts (2) Tj "
    b"/F1 12 Tf 0 Ts ( wrote it.) Tj ET "
)
"""A line with two raised marks, behind which it goes on: PDFium ends a line at each."""


def rows_of(page: Page) -> list[tuple[tuple[str, ...], ...]]:
    return [table.rows for table in page.tables]


def test_figures_under_each_other_are_columns_and_the_text_stays_as_it_was(read: Read) -> None:
    """CNV-2: cells by the places of the words, without a line; the table stands where its lines stood."""
    above, below = ("The figures of the year are in millions.", 72, 700), ("They were not audited.", 72, 560)
    page = read(above, *INCOME, below)

    assert rows_of(page) == [ROWS]
    assert page.markdown == (
        "The figures of the year are in millions.\n\n"
        "| Net sales | 14,544 | 14,694 |\n| --- | --- | --- |\n"
        "| Net income | 805 | 1,048 |\n| Interest expense | (135) | (259) |\n\n"
        "They were not audited."
    )
    assert page.text == read(above, *INCOME, below, tables=False).text


def test_tables_are_looked_for_only_if_the_option_asks_for_them(read: Read) -> None:
    """CNV-2: without the option the page is read as before."""
    page = read(*INCOME, tables=False)

    assert page.tables == ()
    assert "|" not in page.markdown


def test_signs_far_from_their_figure_belong_to_it(read: Read) -> None:
    """CNV-2: currency signs at a column's left edge and per cent signs apart make no columns of their own."""
    signs = (("$", 270, 640), ("$", 370, 640), ("%", 334, 608), ("%", 434, 608))
    page = read(*INCOME, *signs)

    assert rows_of(page) == [
        (("Net sales", "$14,544", "$14,694"), ROWS[1], ("Interest expense", "(135)%", "(259)%")),
    ]


def test_a_heading_over_several_lines_is_one_row(read: Read) -> None:
    """CNV-2: lines of a heading without a gap between them are joined, column by column."""
    heading = (("Comparable", 390, 668), ("Reported", 295, 657), ("currency", 395, 657))
    page = read(*heading, *INCOME)

    assert rows_of(page) == [(("", "Reported", "Comparable currency"), *ROWS)]


def test_a_heading_over_two_columns_stands_in_the_first_of_them(read: Read) -> None:
    """CNV-2: it may begin left of the figures, but not among the labels."""
    heading = (("Twelve months ended June 30,", 270, 673), ("2022", 305, 655), ("2023", 405, 655))
    page = read(*heading, *INCOME)

    assert rows_of(page) == [(("", "Twelve months ended June 30,", ""), ("", "2022", "2023"), *ROWS)]


def test_a_heading_between_rows_begins_another_table(read: Read) -> None:
    """CNV-2: cells without a label over the figures belong to the rows below them."""
    lower = [(text, left, bottom - 90) for text, left, bottom in INCOME]
    heading = (("Reported", 295, 566), ("Adjusted", 398, 566))
    page = read(*INCOME, *heading, *lower)

    assert rows_of(page) == [ROWS, (("", "Reported", "Adjusted"), *ROWS)]


def test_a_label_of_two_lines_is_one_cell(read: Read) -> None:
    """CNV-2: a line that goes on in lower case belongs to the label above it."""
    wrapped = (
        ("Income attributable to", 72, 592),
        ("non-controlling interests", 80, 581),
        ("10", 320, 581),
        ("12", 420, 581),
    )
    page = read(*INCOME, *wrapped)

    assert rows_of(page) == [(*ROWS, ("Income attributable to non-controlling interests", "10", "12"))]


def test_figures_painted_column_by_column_are_in_their_rows(read: Read) -> None:
    """CNV-2: the places of the words decide, not the order in which the file has them."""
    page = read(*sorted(INCOME, key=lambda placed: (placed[1] > 290, placed[1] > 390, -placed[2])))

    assert rows_of(page) == [ROWS]


@pytest.mark.parametrize(("rotate", "matrix"), [(90, "0 1 -1 0 {0} {1}"), (270, "0 -1 1 0 {2} {3}")])
def test_a_table_on_a_page_of_landscape_is_read_as_it_is_shown(tmp_path: Path, rotate: int, matrix: str) -> None:
    """CNV-2: large tables are printed across a page that is turned for the screen."""
    content = ""
    for text, left, bottom in INCOME:
        top = 612 - (bottom - 100)
        where = matrix.format(top, left, 612 - top, 792 - left)
        shown = text.replace("(", "\\(").replace(")", "\\)")
        content += f"BT /F1 10 Tf {where} Tm ({shown}) Tj ET\n"
    file = tmp_path / "landscape.pdf"
    file.write_bytes(PdfFile([PdfPage(content.encode(), rotate=rotate)]).to_bytes())
    context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60, options={"tables": True})
    source = FileSource(str(file), media_type="application/pdf")
    conversion = plugin.convert(source, ConvertRequest(media_type="application/pdf"), context)

    assert rows_of(conversion.pages[0]) == [ROWS]


def test_running_text_with_figures_is_no_table(read: Read) -> None:
    """CNV-2: figures between words of a sentence make no column."""
    sentences = (
        ("In 2022 net sales were 14,544 million and net income was 805 million, after 1,048 in 2023.", 72, 640),
        ("Of 43 states 44 had 25 tests with 12 parts; 39 of 50 schools took 18 of them in 2006.", 72, 626),
        ("Some 31 of 52 weeks had 7 days of rain, and 21 of 30 days in June 2007 had none of it.", 72, 612),
    )

    assert read(*sentences).tables == ()


def test_a_list_of_contents_is_no_table(read: Read) -> None:
    """CNV-2: leaders to the number of a page are no cells."""
    lines = [(f"{place} Chapter {place} " + ". " * 30, 72, 640 - 14 * place) for place in range(1, 7)]
    numbers = [(str(11 * place), 420, 640 - 14 * place) for place in range(1, 7)]

    assert read(*lines, *numbers).tables == ()


def test_two_tables_of_other_columns_stay_two(read: Read) -> None:
    """CNV-2: a line in larger type, or other columns, begin another table."""
    lower = [(text, left + (38 if left > 200 else 0), bottom - 120) for text, left, bottom in INCOME]
    page = read(*INCOME, ("The same for the quarter that ended in June of the year before.", 72, 560), *lower)

    assert rows_of(page) == [ROWS, ROWS]


def test_text_beside_a_table_leaves_the_page_without_it(read: Read) -> None:
    """CNV-2: no word of the page is lost: a table that shares its lines with other text is not taken."""
    beside = [
        (f"and the keeper wrote in his book of the light that day {place}", 440, 640 - 16 * place) for place in range(3)
    ]
    page = read(*INCOME, *beside, size=6)

    assert sorted(page.markdown.replace("|", " ").replace("---", " ").split()) == sorted((page.text or "").split())


def test_a_page_of_very_many_words_is_not_searched_for_tables(read: Read) -> None:
    """CNV-2: the time of a page is bounded: above 5,000 words there are no tables."""
    many = [(" ".join(["12"] * 60), 20, 780 - 8 * place) for place in range(90)]
    page = read(*many, size=4)

    assert page.tables == ()
    assert len((page.text or "").split()) == 5400


def test_raised_marks_above_a_table_move_none_of_its_lines(tmp_path: Path) -> None:
    """Lines that PDFium divides are one again; the lines of a table are counted as they are."""
    content = MARKED + b"".join(show_text(text, left, bottom, size=10) for text, left, bottom in INCOME)
    content += show_text("They were not audited.", 72, 570, size=10) + show_text(
        "Another year follows.", 72, 554, size=10
    )
    file = tmp_path / "sample.pdf"
    file.write_bytes(PdfFile([PdfPage(content)]).to_bytes())
    context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60, options={"tables": True})
    source = FileSource(str(file), media_type="application/pdf")
    page = plugin.convert(source, ConvertRequest(media_type="application/pdf"), context).pages[0]

    assert rows_of(page) == [ROWS]
    assert page.markdown.startswith("Ada Quay4, Ben Pier2 wrote it.")
    assert page.markdown.rstrip().endswith("They were not audited.\nAnother year follows.")
    assert page.markdown.count("Net sales") == 1


def test_row_numbers_right_before_the_labels_are_a_column_if_both_have_a_head(read: Read) -> None:
    """The gap is narrow, but wider than a space: the numbers are aligned, as are the labels and the two heads."""
    labels = ("Super Kite", "Turbo Flyer", "Bare Bone Kit")
    texts: list[Placed] = [("No", 92.8, 656), ("Goods", 110, 656), ("Pieces", 293, 656), ("Price", 400, 656)]
    for at, label in enumerate(labels):
        texts += [(str(at + 1), 100, 640 - 16 * at), (label, 110, 640 - 16 * at)]
        texts += [(str(at + 4), 316, 640 - 16 * at), (f"{at + 2}0.00", 398, 640 - 16 * at)]

    rows = tuple((str(at + 1), label, str(at + 4), f"{at + 2}0.00") for at, label in enumerate(labels))
    assert rows_of(read(*texts)) == [(("No", "Goods", "Pieces", "Price"), *rows)]

    one_head: list[Placed] = [("Numbered goods", 92.8, 656), *texts[2:]]
    glued = tuple((f"{number} {label}", *figures) for number, label, *figures in rows)
    assert rows_of(read(*one_head)) == [(("Numbered goods", "Pieces", "Price"), *glued)]
