"""Readings that take what a session prints in columns for a table (CNV-2)."""

from __future__ import annotations

import pytest
from octavo.conversion.consensus.merge_readings import merge_readings, reading_of
from octavo_contracts import Conversion, Page, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour. " * 4
ROWS = (("Ship", "Cargo", "Crew"), ("Skade", "120", "22"), ("Ymer", "140", "14"), ("Gefion", "160", "19"))
LINES = "\n".join("  ".join(row) for row in ROWS)


def reading(engine: str, printed: str, *tables: Table):
    markdown = f"{BODY}\n\n{printed}\n\n{BODY}"
    page = Page(number=1, markdown=markdown, text=plain_text(markdown), tables=tables)
    return reading_of(Conversion(pages=(page,), paginated=True), engine=engine, tells_hidden=True, reads_tables=True)


@pytest.mark.parametrize(("printed", "has_table"), [(f"```\n{LINES}\n```", False), (LINES, True)], ids=["code", "text"])
def test_a_table_of_another_reading_replaces_no_code(printed, has_table):
    """CNV-2: the reader that has it as code saw its font; lines of text may be a table that the reader missed."""
    pipes = "\n".join(f"| {' | '.join(row)} |" for row in (ROWS[0], ("---",) * 3, *ROWS[1:]))
    readings = [
        reading("one", printed),
        reading("two", pipes, Table(rows=ROWS)),
        reading("three", pipes, Table(rows=ROWS)),
    ]
    first = Conversion(pages=(readings[0].pages[1].page,), paginated=True)

    made = merge_readings(first, readings, [1], shown={1: True}).conversion.pages[0]
    assert bool(made.tables) is has_table
    assert (printed in made.markdown) is not has_table
