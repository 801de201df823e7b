"""What decides where readings of a page differ little, or agree on what the page cannot mean (CNV-2)."""

from __future__ import annotations

import pytest
from octavo.conversion.consensus.merge_readings import merge_readings, reading_of, unsettled
from octavo.conversion.form_fields import FORM_FIELDS
from octavo_contracts import BoundingBox, Box, Conversion, ConversionWarning, Page, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour."
SWAPPED = "wrote the figure down in the book of the harbour. The keeper read the gauge at dawn and"
ROWS = (
    ("Port", "Depth", "Ships"),
    *((name, f"{at}.{at + 3}", f"{at * 31}") for at, name in enumerate(("Brekka", "Holm", "Vik", "Ness"), 3)),
)
STACKED = (ROWS[0], tuple(" ".join(row[column] for row in ROWS[1:]) for column in range(3)))


def page(markdown, *tables):
    return Page(number=1, markdown=markdown, text=plain_text(markdown), tables=tables)


def pipes(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def table_page(rows, *, before=BODY):
    return page(f"{before}\n\n{pipes(rows)}\n", Table(rows=rows))


def conversion(only, *warnings):
    return Conversion(pages=(only,), paginated=True, warnings=warnings, engine_version="9.1")


def readings_of(*pages):
    names = ("one", "two", "three", "four")
    made = [conversion(each) for each in pages]
    return made[0], [reading_of(each, engine=name, tells_hidden=True) for name, each in zip(names, made, strict=False)]


def merged(*pages):
    """The page that the readers make together."""
    first, readings = readings_of(*pages)
    return merge_readings(first, readings, [1], shown={}).conversion.pages[0]


def disputed(*pages, tables_only=False):
    return unsettled(readings_of(*pages)[1], [1], tables_only=tables_only, shown={}) == [1]


def test_readers_that_agree_on_whole_columns_in_one_cell_each_are_not_enough():
    """Two readers that see the lines between columns alone agree on a grid that the page does not mean."""
    assert disputed(table_page(STACKED), table_page(STACKED), tables_only=True)
    assert not disputed(table_page(ROWS), table_page(ROWS), tables_only=True)
    made = merged(table_page(STACKED), table_page(STACKED), table_page(ROWS), table_page(ROWS))
    assert made.tables == (Table(rows=ROWS),)


def test_of_two_tables_in_one_place_the_larger_is_not_punished_for_its_words():
    """Two readings have no majority about the extent of a table."""
    parts = ROWS[:2], ROWS[3:]
    cut = page(
        f"{BODY}\n\n{pipes(parts[0])}\n\n{' '.join(ROWS[2])}\n\n{pipes(parts[1])}",
        *(Table(rows=part) for part in parts),
    )
    assert merged(table_page(ROWS), cut).tables == (Table(rows=ROWS),)


def test_a_table_with_the_same_rows_and_further_ones_is_taken():
    rows = (*ROWS, *((f"Port {at}", f"{at}.5", f"{at + 100}") for at in range(20, 50)))
    lines = "\n\n".join(" ".join(row) for row in rows[:2])
    cut = page(f"{BODY}\n\n{lines}\n\n{pipes(rows[2:])}\n", Table(rows=rows[2:]))
    made = merged(cut, table_page(rows))
    assert made.tables == (Table(rows=rows),)
    assert made.markdown.count("Brekka") == 1


def test_a_line_of_one_cell_is_no_further_row():
    rows = (*ROWS, *((f"Port {at}", f"{at}.5", f"{at + 100}") for at in range(20, 50)))
    noted = (*rows[:10], ("Southern ports", "", ""), *rows[10:])
    own = page(
        f"{BODY}\n\n{pipes(rows[:10])}\n\nSouthern ports\n\n{pipes(rows[10:])}",
        Table(rows=rows[:10]),
        Table(rows=rows[10:]),
    )
    assert merged(own, table_page(noted)).tables == own.tables


@pytest.mark.parametrize(("seen", "taken"), [(None, False), (3, True)], ids=["guessed", "of the layout"])
def test_columns_of_the_pages_layout_are_taken_before_guessed_ones(seen, taken):
    """Lines between cells say more than the places of words: they tell which lines of text are one cell."""
    head = ("Port", "District", "Keeper")
    more = tuple((f"Port {letter}", f"District {letter}", f"Keeper {letter}") for letter in "ABCDE")
    lines = (head, ("Brekka and", "North", "appointed"), ("pier", "", ""), *more)
    cells = (head, ("Brekka and pier", "North", "appointed"), *more)
    other = page(f"{BODY}\n\n{pipes(cells)}\n", Table(rows=cells, columns_seen=seen))
    made = merged(table_page(lines), other)
    assert made.tables[0].rows == (cells if taken else lines)


@pytest.mark.parametrize("cut", [False, True], ids=["in one line", "in a heading a line"])
def test_whole_sentences_are_a_heading_only_if_every_reader_says_so(cut):
    sentences = "The keeper of the harbour read the gauge. Every figure that he saw went into the book"
    heading = f"## {sentences[:41]}\n\n## {sentences[42:]}" if cut else f"## {sentences}"
    large = page(f"# Tides\n\n{heading}\n\n{BODY}")
    plain = page(f"# Tides\n\n{sentences}\n\n{BODY}")
    assert merged(large, large, plain).markdown == plain.markdown
    assert "##" in merged(large, large, large).markdown


def test_a_short_heading_with_an_abbreviation_stays():
    marked = page(f"# Tides\n\n## Water at St. Mary approx. in ft. and in.\n\n{BODY}")
    made = merged(marked, marked, page(f"# Tides\n\nWater at St. Mary approx. in ft. and in.\n\n{BODY}"))
    assert made.markdown == marked.markdown


def test_a_heading_has_the_level_that_most_readers_give_it():
    flat = page(f"# Tides\n\n{BODY}\n\n# Gauges\n\n{BODY}")
    deep = page(f"# Tides\n\n{BODY}\n\n## Gauges\n\n{BODY}")
    assert disputed(flat, deep)
    assert merged(flat, deep, deep).markdown == deep.markdown
    assert merged(flat, deep).markdown == flat.markdown


def test_outlines_that_begin_at_other_levels_are_the_same():
    first = page(f"# Tides\n\n## Gauges\n\n{BODY}")
    assert not disputed(first, page(f"## Tides\n\n### Gauges\n\n{BODY}"))


def test_values_of_form_fields_stay_in_their_places_though_most_readers_pass_fields_over():
    """The host adds the values to the others' pages, in a last paragraph: that is no witness of where they stand."""
    labels, values = ("Port", "Master", "Cargo"), ("Brekka", "Freja Holm", "salt and timber")
    filled = "\n\n".join(f"{label}: {value}" for label, value in zip(labels, values, strict=True))
    empty = "\n\n".join(f"{label}:" for label in labels)
    added = "\n".join(f"{label}: {value}" for label, value in zip(labels, values, strict=True))
    place = BoundingBox(left=1, top=1, right=9, bottom=9)
    boxes = tuple(Box(kind="form_field", box=place, text=value) for value in values)
    reads = page(f"{BODY}\n\n{filled}\n\n{SWAPPED}").model_copy(update={"boxes": boxes})
    text = f"{BODY}\n\n{empty}\n\n{SWAPPED}\n\n{added}"
    passes_over = Page(number=1, markdown=text, text=text)
    note = ConversionWarning(code=FORM_FIELDS, message="3 values are filled in", page=1)
    made = merge_readings(
        conversion(reads),
        [
            reading_of(conversion(reads), engine="one", tells_hidden=True),
            *(reading_of(conversion(passes_over, note), engine=name, tells_hidden=True) for name in ("two", "three")),
        ],
        [1],
        shown={},
    )
    assert made.conversion.pages[0].text == reads.text


def test_the_same_words_in_more_cells_of_the_same_grid_are_the_better_table():
    joined = (("Port", "Depth Ships", ""), *ROWS[1:])
    own = page(f"{BODY}\n\n{pipes(joined)}\n", Table(rows=joined))
    assert merged(own, table_page(ROWS)).tables == (Table(rows=ROWS),)
    assert merged(table_page(ROWS), own).tables == (Table(rows=ROWS),)


def test_each_of_two_tables_has_what_the_other_lacks():
    lacks_a_row = ROWS[:-1]
    lacks_cells = (("Port", "", ""), *ROWS[1:])
    line = " ".join(ROWS[-1])
    first = page(f"{BODY}\n\n{pipes(lacks_a_row)}\n\n{line}\n", Table(rows=lacks_a_row))
    second = page(f"{BODY}\n\nDepth Ships\n\n{pipes(lacks_cells)}\n", Table(rows=lacks_cells))
    for pages in ((first, second), (second, first)):
        made = merged(*pages)
        assert made.tables == (Table(rows=ROWS),)
        assert (made.markdown.count(ROWS[-1][0]), made.markdown.count("Ships")) == (1, 1)


def test_a_note_beside_a_table_and_cells_that_differ_stay_as_the_page_has_them():
    noted = (*ROWS, ("Depths in fathoms", "", ""))
    other = (*ROWS[:-1], (ROWS[-1][0], "9.9", ""))
    own = table_page(ROWS)
    assert merged(own, page(f"{BODY}\n\n{pipes(noted)}\n", Table(rows=noted))).tables == own.tables
    assert merged(own, table_page(other)).tables == own.tables


def test_tables_that_share_few_rows_are_not_mixed():
    other = (ROWS[0], ROWS[1], ("Holm", "7.0", "1"), ("Vik", "8.0", "2"), ("Ness", "9.0", "3"), ("Skar", "1.0", "4"))
    assert merged(table_page(ROWS), table_page(other)).tables == (Table(rows=ROWS),)


def test_lines_of_text_between_which_words_stand_in_columns_are_no_table():
    lines = [f"The {word} was read at dawn" for word in ("gauge", "glass", "tide", "wind", "sky", "moon")]
    small = (("north", "west", "south"), ("early", "", "late"))
    spread = (small[0], *((line, "", "") for line in lines), small[1])
    text = "\n\n".join([" ".join(small[0]), *lines, "early late"])
    spanning = page(f"{pipes(spread)}\n", Table(rows=spread))
    own = page("\n\n".join([*lines, pipes(small)]) + "\n", Table(rows=small))
    assert merged(own, spanning, page(text)).tables == (Table(rows=small),)
