"""Which tables are looked for, where one has its place, and that the text stays as it was (CNV-2)."""

from __future__ import annotations

import pytest
from octavo_contracts import HiddenText, Page, Table
from octavo_text.tables.placed_tables import with_tables
from octavo_text.tables.sound_tables import sound_tables
from octavo_text.tables.table_in_code import is_in_code

ROWS = (("Station", "Gauge", "Depth"), ("Skagen", "north", "4.10"), ("Hirtshals", "west", "3.85"))
LINES = ("Station Gauge Depth", "Skagen north 4.10", "Hirtshals west 3.85")
ABOVE = "The keepers of the coast sent these figures in."
BELOW = "Both harbours were open through the winter."
MADE = "| Station | Gauge | Depth |\n| --- | --- | --- |\n| Skagen | north | 4.10 |\n| Hirtshals | west | 3.85 |"


def page(*lines, number=1, **fields):
    text = "\n".join(lines)
    return Page(number=number, **{"markdown": text, "text": text, **fields})


def tables(*rows):
    return [Table(rows=one) for one in rows]


def placed(first, *rows):
    """The page with another reading's tables, one after the other; None if one of them is no table or has no place."""
    sound = sound_tables(tables(*rows))
    made = first if sound else None
    for table in sound:
        made = None if made is None else with_tables(made, [table])
    assert made is None or made.text == first.text
    return made


def test_a_table_takes_the_place_of_the_lines_that_hold_its_words():
    made = placed(page(ABOVE, *LINES, BELOW), ROWS)
    assert made.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"
    assert made.tables == (Table(rows=ROWS),)


def test_the_words_may_stand_in_another_order_and_in_other_lines():
    columns = ("Station", "Skagen", "Hirtshals", "Gauge", "north", "west", "Depth", "4.10 3.85")
    assert placed(page(ABOVE, *columns), ROWS).markdown == f"{ABOVE}\n\n{MADE}\n"


@pytest.mark.parametrize(
    ("lines", "is_code"),
    [
        ((ABOVE, "```", *LINES, "```", BELOW), True),
        ((ABOVE, "~~~~text", "```", *LINES, "~~~~"), True),
        ((ABOVE, "```", "print(depth)", "```", *LINES, BELOW), False),
        ((ABOVE, "```", LINES[0], "```", *LINES[1:]), False),
        ((ABOVE, "Station: Gauge Depth", "```", LINES[1], "```", "Hirtshals: west 3.85"), True),
        ((ABOVE, "Station: Gauge Depth", "Skagen: north 4.10", "Hirtshals: west 3.85"), False),
        ((ABOVE, BELOW), False),
    ],
    ids=[
        "in a block",
        "in one with other fences",
        "below a block",
        "a third of it",
        "with entries around",
        "entries alone",
        "not at all",
    ],
)
def test_words_in_a_block_of_code_are_known_as_such(lines, is_code):
    """What a session prints stands in columns: a reading that saw the font of code there has more to say than a table."""
    assert is_in_code("\n".join(lines), tables(ROWS)) is is_code


def test_a_table_in_place_of_code_leaves_no_empty_fence_and_opens_none():
    fenced = placed(page(ABOVE, "```", *LINES, "```", BELOW), ROWS)
    assert fenced.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"
    half = placed(page(ABOVE, "```", "print(high)", *LINES, "print(low)", "```", BELOW), ROWS)
    assert half.markdown == f"{ABOVE}\n```\nprint(high)\n```\n\n{MADE}\n\n```\nprint(low)\n```\n{BELOW}\n"
    first = placed(page(ABOVE, LINES[0], "```", *LINES[1:], "```", BELOW), ROWS)
    assert first.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"


def test_a_line_that_says_more_than_its_table_stays_below_it():
    lines = (LINES[0], "Skagen north 4.10 doubtful", LINES[2])
    made = placed(page(*lines, BELOW), ROWS)
    assert made.markdown == f"{MADE}\n\nSkagen north 4.10 doubtful\n\n{BELOW}\n"


def test_a_caption_that_uses_the_tables_words_stays_above_it():
    caption = "Depth by station and gauge, Skagen and Hirtshals"
    made = placed(page(caption, "", *LINES), ROWS)
    assert made.markdown == f"{caption}\n\n{MADE}\n"


def test_two_tables_that_share_words_each_have_their_own_lines():
    other = (ROWS[0], ("Esbjerg", "west", "5.00"), ("Thyboron", "west", "2.75"))
    below = ("Station Gauge Depth", "Esbjerg west 5.00", "Thyboron west 2.75")
    made = placed(page(*LINES, BELOW, *below), ROWS, other)
    assert [table.rows for table in made.tables] == [ROWS, other]
    assert made.markdown.startswith(f"{MADE}\n\n{BELOW}\n\n| Station |")
    assert made.markdown.count("Esbjerg") == 1


def test_what_stands_between_the_lines_of_two_tables_stays_between_them():
    """A reader may have several tables and their titles as one table: each title is above its own."""
    other = (("Station", "Gauge", "Depth"), ("Esbjerg", "west", "5.00"), ("Thyboron", "west", "2.75"))
    rows = (
        "| Harbours | in the north |  |",
        "| --- | --- | --- |",
        *(f"| {' | '.join(row)} |" for row in ROWS),
        "| Harbours | in the south |  |",
        *(f"| {' | '.join(row)} |" for row in other),
    )
    below = "| Station | Gauge | Depth |\n| --- | --- | --- |\n| Esbjerg | west | 5.00 |\n| Thyboron | west | 2.75 |"
    made = with_tables(page(ABOVE, "", *rows, "", BELOW), tables(ROWS, other))
    assert made.markdown == (
        f"{ABOVE}\n\nHarbours in the north\n\n{MADE}\n\nHarbours in the south\n\n{below}\n\n{BELOW}\n"
    )
    assert [table.rows for table in made.tables] == [ROWS, other]


def test_tables_are_in_the_order_of_the_page_however_they_are_given():
    other = (("Ship", "Cargo"), ("Freja", "timber"))
    made = placed(page("Ship Cargo", "Freja timber", BELOW, *LINES), ROWS, other)
    assert [table.rows for table in made.tables] == [other, ROWS]


def test_rows_of_one_cell_around_a_table_and_empty_columns_are_not_of_it():
    loose = ((ABOVE, "", "", ""), *((a, "", b, c) for a, b, c in ROWS), (BELOW, "", "", ""))
    made = placed(page(ABOVE, *LINES, BELOW), loose)
    assert made.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"


def test_cells_are_written_as_the_text_they_are():
    rows = (("Ship", "Marks"), ("Freja", "*A*|B"))
    made = placed(page("Ship Marks", "Freja *A*|B"), rows)
    assert made.markdown.splitlines()[-1] == r"| Freja | \*A\*\|B |"


@pytest.mark.parametrize(
    "rows",
    [
        (("Aalborg", "Gauge", "Depth"), ("Grenaa", "east", "7.20"), ("Ebeltoft", "south", "1.15")),
        (("Station", "Gauge", "Depth"),),
        (("Station",), ("Skagen",), ("Hirtshals",)),
        (("", ""), ("", "")),
    ],
    ids=["words that are not there", "one row", "one column", "empty"],
)
def test_what_is_no_table_of_the_page_is_not_taken(rows):
    assert placed(page(ABOVE, *LINES), rows) is None


def test_a_list_of_contents_is_no_table_and_a_table_with_leading_dots_is_one():
    contents = (("1", "Gauges . . . . . . 4"), ("1.1", "Tides . . . . . . . 5"), ("", "Index ........ 9"))
    assert placed(page(*(" ".join(row) for row in contents)), contents) is None
    dotted = (("Depth", "2024", "2025"), ("Skagen ......", "4.10", "4.12"), ("Esbjerg .....", "5.00", "5.03"))
    assert placed(page(*(" ".join(row) for row in dotted)), dotted) is not None


def test_a_table_whose_words_are_scattered_over_the_page_is_not_taken():
    prose = ["Nothing was seen from the tower before the fog came down on the strand that morning."] * 3
    scattered = (LINES[0], *prose, LINES[1], *prose, LINES[2])
    assert placed(page(*scattered), ROWS) is None


def test_of_a_page_that_hides_text_no_table_brings_in_a_word_that_is_not_shown():
    hiding = page(ABOVE, *LINES, hidden_text=(HiddenText(text="bribed", why="white"),))
    shows = (*ROWS[:2], ("Hirtshals", "west bribed", "3.85"))
    assert placed(hiding, shows) is None
    assert placed(hiding, ROWS) is not None
