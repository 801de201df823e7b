"""Readings that share a fault: rows stacked in one cell, a second table that was missed, levels in a tie (CNV-2)."""

from __future__ import annotations

from octavo.conversion.consensus.merge_readings import merge_readings, reading_of, unsettled
from octavo_contracts import Conversion, Page, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour. " * 8
HEAD = ("Office", "Station", "Price")
APART = (HEAD, ("Skagen", "134", "20.1"), ("Ran", "719", "31.6"), ("Freja", "182", "18.6"))
STACKED = (HEAD, ("Skagen Ran Freja", "134 719 182", "20.1 31.6 18.6"))
SECOND = (("Ship", "Cargo", "Crew"), ("Skade", "timber", "22"), ("Ymer", "salt", "14"), ("Gefion", "fish", "9"))


def pipes(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def page(*tables, before=BODY):
    markdown = "\n\n".join([before, *map(pipes, tables)])
    found = tuple(Table(rows=rows) for rows in tables)
    return Page(number=1, markdown=markdown, text=plain_text(markdown), tables=found)


def readings_of(*pages):
    conversions = [Conversion(pages=(one,), paginated=True) for one in pages]
    return [
        reading_of(one, engine=name, tells_hidden=True)
        for name, one in zip(("one", "two", "three", "four"), conversions, strict=False)
    ]


def merged(*pages):
    first = Conversion(pages=(pages[0],), paginated=True)
    return merge_readings(first, readings_of(*pages), [1], shown={}).conversion.pages[0]


def is_disputed(*pages):
    return unsettled(readings_of(*pages), [1], tables_only=True, shown={}) == [1]


def test_two_readings_with_stacked_rows_lose_against_the_one_that_has_them_apart():
    """CNV-2: the table and the plain text are those of the reading with the rows apart."""
    made = merged(page(STACKED), page(STACKED), page(APART))
    assert [table.rows for table in made.tables] == [APART]
    assert "Skagen 134 20.1" in " ".join(made.text.split())


def test_stacked_rows_stay_where_every_reading_has_them():
    """CNV-2: no reading is left out for a fault that all share."""
    made = merged(page(STACKED), page(STACKED), page(STACKED))
    assert [table.rows for table in made.tables] == [STACKED]


def test_a_reading_with_many_more_words_in_its_table_disputes_the_agreed_one():
    """CNV-2: two readings agree on the first table of a page, the third has another one in it."""
    mashed = (*APART, *SECOND)
    assert is_disputed(page(APART), page(APART), page(mashed))
    assert not is_disputed(page(APART), page(APART), page(APART))


YEARS = (("Region", "2022", "2023", "Change"), ("North", "3,393", "3,540", "4"), ("South", "289", "265", "(8)"))
IN_ONE_ROW = (("Region 2022 2023", "Change"), ("North 3,393 3,540 4 South 289 265", "4 (8)"))
PARTLY = (YEARS[0], ("North South", "3,393 289", "3,540 265", "4 (8)"))


def lines(rows):
    return "\n\n".join([BODY, *(" ".join(row) for row in rows)])


def test_a_row_that_is_two_rows_of_another_reading_loses_though_its_cells_are_full():
    """CNV-2: figures of two rows stand in several cells of the one."""
    for joined in (IN_ONE_ROW, PARTLY):
        empty = (YEARS[0], *((row[0], "", *row[1:3], "", row[3]) for row in YEARS[1:]))
        empty = (("Region", "", "2022", "2023", "", "Change"), *empty[1:])
        made = merged(page(joined), page(joined), page(empty))
        assert ("North", "3,393", "3,540", "4") in made.tables[0].rows


def test_a_table_that_one_reading_sees_is_not_put_in_where_lines_of_text_have_its_rows_apart():
    """CNV-2: the lines of the text are better than cells with figures of two rows."""
    more = tuple((name, *row[1:]) for name in ("East", "West", "Isles", "Inland") for row in YEARS[1:2])
    text = Page(number=1, markdown=lines(YEARS + more), text=lines(YEARS + more))
    assert [table.rows for table in merged(text, text, page(YEARS + more)).tables] == [YEARS + more]
    assert merged(text, text, page(PARTLY + more)).tables == ()


def test_several_figures_in_a_cell_stay_where_no_reading_has_rows_of_their_own():
    """A value with its range below it is one cell."""
    ranges = (YEARS[0], ("North", "3,393 3,201", "3,540 3,322", "4"), ("South", "289 255", "265 249", "(8)"))
    below = (YEARS[0], ("North", "3,393", "3,540", "4"), ("", "3,201", "3,322", ""), *ranges[2:])
    assert [table.rows for table in merged(page(ranges), page(ranges), page(below)).tables] == [ranges]
