"""Tables that some readers divide, rows that stand twice, accents beside their letters, formulas as headings (CNV-2)."""

from __future__ import annotations

import pytest
from octavo.conversion.consensus.merge_readings import merge_readings, reading_of
from octavo_contracts import Conversion, Page, Table
from octavo_text.markdown import plain_text
from octavo_text.tables.placed_tables import with_tables

HEAD = ("($ million)", "2022", "2023")
ROWS = (
    ("Net sales", "3,909", "3,673"),
    ("Cost of sales", "(3,115)", "(2,951)"),
    ("Gross profit", "794", "722"),
    ("Research and development", "(24)", "(25)"),
    ("Operating income", "252", "325"),
    ("Interest expense", "(35)", "(70)"),
)
BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour."


def page(markdown, *tables):
    return Page(number=1, markdown=markdown, text=plain_text(markdown), tables=tables)


def pipes(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def with_parts(*parts):
    """A page with a table for each part."""
    return page("\n\n".join((BODY, *map(pipes, parts))) + "\n", *(Table(rows=rows) for rows in parts))


def merged(*pages):
    made = [Conversion(pages=(each,), paginated=True, engine_version="1") for each in pages]
    readings = [
        reading_of(each, engine=name, tells_hidden=True)
        for name, each in zip(("one", "two", "three", "four"), made, strict=False)
    ]
    return merge_readings(made[0], readings, [1], shown={}).conversion.pages[0]


def test_a_table_that_most_readers_divide_is_taken_whole():
    """A part that begins with a row of figures has no header: it goes on the table before it."""
    divided = [with_parts((HEAD, *ROWS[:at]), ROWS[at:]) for at in (2, 3, 4)]
    made = merged(divided[0], with_parts((HEAD, *ROWS)), *divided[1:])
    assert made.tables == (Table(rows=(HEAD, *ROWS)),)


def test_two_tables_with_headers_of_their_own_stay_two():
    two = with_parts((HEAD, *ROWS[:3]), (("Balance sheet", "2022", "2023"), *ROWS[3:]))
    joined = with_parts((HEAD, *ROWS[:3], ("Balance sheet", "2022", "2023"), *ROWS[3:]))
    assert len(merged(joined, two, two).tables) == 2


def test_a_row_of_a_placed_table_does_not_stand_below_it_again():
    """A reader that ends a table a row too early may have that row in one line with the sum."""
    short = page(
        f"{BODY}\n\n{pipes((HEAD, *ROWS[:5]))}\n\nInterest expense (35) (70) 255.00\n", Table(rows=(HEAD, *ROWS[:5]))
    )
    made = with_tables(short, [Table(rows=(HEAD, *ROWS))])
    assert made.markdown == f"{BODY}\n\n{pipes((HEAD, *ROWS))}\n\n255.00\n"


NAMES = (
    "We thank J{0} Min{1}{2} and N{0}ndor Farkas{1}, who helped Bo{3}ena and Ren{4} with the figures of the harbour."
)
SOUND = NAMES.format("á", "áč", "", "ž", "é")
LOOSE = NAMES.format("´ a", "´ a", "ˇ c", "ˇ z", "´ e")


@pytest.mark.parametrize(("readings", "taken"), [((LOOSE, LOOSE, SOUND), SOUND), ((LOOSE, LOOSE, f"{BODY} é"), LOOSE)])
def test_a_text_with_its_accents_on_their_letters_is_taken(readings, taken):
    """Two readers that leave accents beside letters confirm each other; another text is not taken for its accents."""
    made = merged(*(page(f"{BODY} {BODY} {BODY}\n\n{text}\n") for text in readings))
    assert made.text.split("\n\n")[-1] == taken


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("∑ζ<sub>n</sub> = c(g, R)", False),
        (r"$\{\lambda _{g}\}_{g\in R}$ where", False),
        ("Proof of the sum formula ∑ a = b", True),
        ("Tides", True),
        ("Quarter Months % Change % Change 2022 2021 Reported Currency 2022 2021 Reported Currency", False),
        ("Fiscal years ended January 31,", False),
        ("Depth 303.9 million 12.6 of 35.0 boats and 24.7 tides 65 to 69", False),
        ("18 U.S.C. Section 1350, as adopted pursuant to Section 906 of the Sarbanes-Oxley Act of 2002", True),
        ("Sales of $3.2 billion compared to $2.7 billion in the quarter of a year ago", True),
    ],
)
def test_formulas_and_heads_of_tables_are_no_headings(line, is_heading):
    marked, plain = page(f"# {line}\n\n{BODY}\n"), page(f"{line}\n\n# {BODY[:20]}\n\n{BODY}\n")
    assert merged(marked, marked, plain).markdown.startswith("# ") == is_heading


def test_a_heading_without_letters_is_a_paragraph():
    made = page(f"# Tides\n\n## ....\n\n{BODY}\n\n```\n# .\n```\n")
    assert merged(made, made, made).markdown.split("\n\n")[:2] == ["# Tides", "...."]
    assert "# ." in merged(made, made, made).markdown
