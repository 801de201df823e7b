"""Tables of one sheet apart, their titles above them (CNV-7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import xlsxwriter
from octavo_contracts import Conversion, Page


@pytest.fixture
def page(tmp_path: Path, convert_file: Callable[..., Conversion]) -> Callable[..., Page]:
    """Convert a sheet of rows that begin at places such as 'A4'; 'A1:C1' is merged."""

    def run(blocks: dict[str, Sequence[Sequence[object]]]) -> Page:
        with xlsxwriter.Workbook(str(tmp_path / "sheet.xlsx")) as book:
            sheet = book.add_worksheet("S")
            for place, rows in blocks.items():
                if ":" in place:
                    sheet.merge_range(place, rows[0][0])
                    continue
                column, first = ord(place[0]) - 65, int(place[1:]) - 1
                for offset, row in enumerate(rows):
                    sheet.write_row(first + offset, column, row)
        return convert_file(tmp_path / "sheet.xlsx").pages[0]

    return run


SALES = [["Region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4]]
COSTS = [["Item", "Price"], ["Pen", 1], ["Ink", 4]]


def test_tables_of_a_sheet_stand_apart_under_their_titles(page: Callable[..., Page]) -> None:
    """CNV-7: below each other and side by side; a title is no header, a note no row."""
    made = page(
        {
            "A1": [["Annual report"]],
            "A3": [["Sales"], *SALES],
            "F4": [["Who", "Age"], ["Ann", 31], ["Bob", 44]],
            "A9": [["Costs"], *COSTS],
            "A14": [["Figures are preliminary."]],
        }
    )
    assert made.markdown == (
        "## S\n\nAnnual report\n\nSales\n\n"
        "| Region | Q1 | Q2 |\n| --- | --- | --- |\n| North | 1 | 2 |\n| South | 3 | 4 |\n\n"
        "| Who | Age |\n| --- | --- |\n| Ann | 31 |\n| Bob | 44 |\n\nCosts\n\n"
        "| Item | Price |\n| --- | --- |\n| Pen | 1 |\n| Ink | 4 |\n\nFigures are preliminary.\n"
    )
    assert [table.rows[0] for table in made.tables] == [("Region", "Q1", "Q2"), ("Who", "Age"), ("Item", "Price")]


def test_the_places_of_tables_and_titles_are_told(page: Callable[..., Page], tmp_path: Path, convert_file) -> None:  # type: ignore[no-untyped-def]  # fixture
    """CNV-7: each cell can be found in its sheet again."""
    page({"B2": [["Sales"], *SALES], "C8": COSTS})
    (facts,) = convert_file(tmp_path / "sheet.xlsx").metadata.fields["sheets"]
    assert facts["tables"] == [{"first_row": 3, "first_column": 2}, {"first_row": 8, "first_column": 3}]
    assert facts["texts"] == [{"row": 2, "column": 2, "text": "Sales"}]


@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param({"A1": SALES, "A5": [["East", 5, 6]]}, id="more rows after an empty one"),
        pytest.param({"A1": SALES, "A5": [["Abroad"]], "A7": [["East", 5, 6]]}, id="a label between rows"),
        pytest.param({"A1": [["Assets", 2022, 2023], ["Cash", 5, 6]], "A4": [["Debt", 7, 8]]}, id="a statement"),
        pytest.param(
            {"A1": [["Name"], ["Ann"], ["Bob"]], "C1": [[2022], [5], [6]], "E1": [[2023], [7], [8]]}, id="margins"
        ),
        pytest.param({"A1": [["Invoice"], ["Number", 17], ["Sum", 250]]}, id="a form"),
        pytest.param({"A1": [["one"], ["two"], ["three"]]}, id="a list"),
        pytest.param({"B1": [["2023"]], "A2": SALES}, id="a header of two rows"),
    ],
)
def test_what_belongs_together_stays_one_table(
    page: Callable[..., Page], blocks: dict[str, Sequence[Sequence[object]]]
) -> None:
    """CNV-7: empty rows and columns inside a table do not cut it in two."""
    made = page(blocks)
    assert len(made.tables) == 1
    texts = {str(cell) for rows in blocks.values() for row in rows for cell in row}
    assert {cell for row in made.tables[0].rows for cell in row if cell} == texts


def test_a_title_merged_over_the_columns_stands_above_any_table(page: Callable[..., Page]) -> None:
    """CNV-7: what spans the table names it."""
    made = page({"A1:B1": [["Invoice"]], "A2": [["Number", 17], ["Sum", 250]]})
    assert made.markdown == "## S\n\nInvoice\n\n| Number | 17 |\n| --- | --- |\n| Sum | 250 |\n"


def test_footnotes_are_paragraphs(page: Callable[..., Page]) -> None:
    """CNV-7: lines of prose below a table are no table."""
    notes = [[f"({letter}) A remark about some of the figures."] for letter in "abcde"]
    made = page({"A1": SALES, "A6": notes})
    assert made.markdown.endswith("| South | 3 | 4 |\n\n" + "\n\n".join(note[0] for note in notes) + "\n")
