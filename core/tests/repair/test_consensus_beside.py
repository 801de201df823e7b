"""Readings that take two tables which stand side by side for one (CNV-2)."""

from __future__ import annotations

from octavo.conversion.consensus.merge_readings import merge_readings, reading_of
from octavo_contracts import Conversion, Page, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour. " * 8
BELOW = "The ships lay in the harbour until the ice broke in March of the following year. " * 8
SHIPS = (("Ship", "Cargo", "Crew"), ("Skade", "120", "22"), ("Ymer", "140", "14"), ("Gefion", "160", "19"))
PORTS = (("Port", "Depth", "Berths"), ("Skagen", "8.5", "41"), ("Ran", "7.1", "36"), ("Freja", "9.3", "28"))
BESIDE = tuple((*ship, *port) for ship, port in zip(SHIPS, PORTS, strict=True))
CAPTIONED = (("Table 1. Ships", "", "", "Table 2. Ports", "", ""), *BESIDE)
THIRD = (("Light", "Height"), ("Hals", "31"), ("Udby", "18"), ("Egense", "24"))


def pipes(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def page(*tables, below=()):
    markdown = "\n\n".join([BODY, *map(pipes, tables), BELOW, *map(pipes, below)])
    found = tuple(Table(rows=rows) for rows in (*tables, *below))
    return Page(number=1, markdown=markdown, text=plain_text(markdown), tables=found)


def merged(*pages):
    conversions = [Conversion(pages=(one,), paginated=True) for one in pages]
    readings = [
        reading_of(one, engine=name, tells_hidden=True)
        for name, one in zip(("one", "two", "three", "four"), conversions, strict=False)
    ]
    return merge_readings(conversions[0], readings, [1], shown={}).conversion.pages[0]


def rows_of(made):
    return [table.rows for table in made.tables]


def test_the_reading_that_has_two_captioned_tables_apart_is_taken_with_its_text():
    """CNV-2: two readings with rows of both tables in their texts are not two witnesses."""
    made = merged(page(CAPTIONED), page(CAPTIONED), page(SHIPS, PORTS))
    assert rows_of(made) == [SHIPS, PORTS]
    assert "Skade 120 22 Ymer 140 14" in " ".join(made.text.split())


def test_captioned_tables_are_divided_where_no_reading_has_them_apart():
    """CNV-2: the captions say that there are two; they stay on the page."""
    made = merged(page(CAPTIONED), page(CAPTIONED), page(CAPTIONED))
    assert rows_of(made) == [SHIPS, PORTS]
    assert "Table 1. Ships" in made.markdown
    assert "Table 2. Ports" in made.markdown


def test_text_between_divided_tables_and_a_further_one_stays_between_them():
    """CNV-2: one reading joins all three tables, so that they are of one part of the page."""
    apart = page(CAPTIONED, below=(THIRD,))
    mashed = (*CAPTIONED, *((*row, "", "", "", "") for row in THIRD))
    made = merged(apart, apart, page(mashed))
    assert rows_of(made) == [SHIPS, PORTS, THIRD]
    assert (
        made.markdown.index("| Freja |") < made.markdown.index("until the ice broke") < made.markdown.index("| Hals |")
    )


def test_a_table_that_one_reading_cuts_between_two_columns_is_no_pair_of_tables():
    """CNV-2: the right half has no labels of its own, so the text of a reading with whole rows stays."""
    rows = (("Ship", "2024", "2025", "2026"), ("Skade", "120", "22", "41"), ("Ymer", "140", "14", "36"))
    one = (*rows, ("Ran", "160 19", "28", ""), ("Freja", "180 17", "23", ""), ("Skjold", "110 12", "25", ""))
    two = (*rows, ("Ran", "160", "19 28", ""), ("Freja", "180", "17 23", ""), ("Skjold", "110", "12 25", ""))
    left = (*(row[:2] for row in rows), ("Ran", "160"), ("Freja", "180"), ("Skjold", "110"))
    right = (*(row[2:] for row in rows), ("19", "28"), ("17", "23"), ("12", "25"))
    made = merged(page(one), page(two), page(left, right))
    assert rows_of(made) == [left, right]
    assert "Skade 120 22 41" in " ".join(made.text.split())
