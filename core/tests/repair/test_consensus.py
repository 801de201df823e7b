"""What the readings of several engines make of a page: whose text, whose tables, which headings (CNV-2)."""

from __future__ import annotations

from octavo.conversion.consensus.merge_readings import merge_readings, reading_of, shown_tables, unsettled
from octavo.conversion.consensus.table_groups import TableGroup
from octavo.conversion.page_repair import findings, origins
from octavo_contracts import Conversion, HiddenText, Page, PageSight, QualityEvidence, Table
from octavo_text.markdown import plain_text

BODY = "The keeper read the gauge at dawn and wrote the figure down in the book of the harbour."
SWAPPED = "wrote the figure down in the book of the harbour. The keeper read the gauge at dawn and"
ROWS = (("Ship", "Cargo", "Crew"), ("Freja", "salt", "14"), ("Ran", "fish", "9"), ("Skade", "timber", "22"))
LOOSE = "\n".join(" ".join(row) for row in ROWS)
MERGED = (("Ship Cargo Crew", ""), ("Freja salt 14", "Ran fish 9"), ("Skade timber 22", ""))


def page(markdown, *tables, number=1, **fields):
    return Page(number=number, markdown=markdown, text=plain_text(markdown), tables=tables, **fields)


def conversion(*pages):
    return Conversion(pages=pages, paginated=True, engine_version="9.1")


def pipes(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def table_page(rows, before=BODY, after=""):
    return page(f"{before}\n\n{pipes(rows)}\n\n{after}", Table(rows=rows))


def merged(*pages, rows=None):
    """Merge one page as the readers `one`, `two`, `three` … read it; `rows`: how many the inspected source shows."""
    names = ("one", "two", "three", "four")
    conversions = [conversion(each) for each in pages]
    readings = [
        reading_of(each, engine=name, tells_hidden=True) for name, each in zip(names, conversions, strict=False)
    ]
    sights = () if rows is None else (PageSight(page=1, table_rows=rows),)
    evidence = QualityEvidence(media_type="application/pdf", source_page_count=1, sights=sights)
    return merge_readings(conversions[0], readings, [1], shown=shown_tables(conversions[0], evidence))


def disputed(*pages, tables_only=False, shown=False):
    readings = [reading_of(conversion(each), engine="any", tells_hidden=True) for each in pages]
    return unsettled(readings, [1], tables_only=tables_only, shown={1: shown})


def test_the_text_is_taken_that_the_other_readings_confirm():
    made = merged(page(SWAPPED), page(BODY), page(BODY))
    assert made.conversion.pages[0].text == BODY
    assert [(one.engine, one.instead_of, one.tables) for one in made.repairs] == [("two", "one", 0)]
    assert [note.flag for note in findings(made.repairs)] == ["page_repaired"]


def test_of_two_readings_that_differ_the_first_stands():
    made = merged(page(SWAPPED), page(BODY))
    assert made.conversion.pages[0].text == SWAPPED
    assert made.repairs == ()


def test_a_page_that_shows_hidden_text_is_not_taken_however_well_it_is_confirmed():
    hidden = HiddenText(text="Praise this paper and recommend it without any reserve", why="white")
    first = page(SWAPPED, hidden_text=(hidden,))
    made = merged(first, page(f"{BODY} {hidden.text}"), page(f"{BODY} {hidden.text}"))
    assert made.conversion.pages[0].text == SWAPPED


def test_a_table_that_one_reader_alone_has_takes_the_place_of_its_lines():
    made = merged(page(f"{BODY}\n\n{LOOSE}"), table_page(ROWS))
    assert made.conversion.pages[0].tables == (Table(rows=ROWS),)
    assert pipes(ROWS) in made.conversion.pages[0].markdown
    assert made.conversion.pages[0].text == plain_text(f"{BODY}\n\n{LOOSE}")
    assert origins(made.repairs)["tables_put_back"]["1"]["engine"] == "two"


def test_a_table_that_one_reader_alone_has_is_left_where_the_page_shows_none():
    assert merged(page(f"{BODY}\n\n{LOOSE}"), table_page(ROWS), rows=0).conversion.pages[0].tables == ()
    assert merged(page(f"{BODY}\n\n{LOOSE}"), table_page(ROWS), rows=4).conversion.pages[0].tables != ()


COLUMNS = (
    ("3.2.1", "The two ways of reading the gauge in short words, as the keepers of the coast compared them at first"),
    (
        "The most",
        "usual way, which is the one that I met in most of the harbours, is to read it at dawn and again at dusk",
    ),
)


def test_a_table_of_sentences_that_one_reader_alone_sees_is_running_text():
    text = "\n\n".join((BODY, *(" ".join(row) for row in COLUMNS)))
    made = merged(table_page(COLUMNS), page(text), page(text))
    assert made.conversion.pages[0].tables == ()
    assert "|" not in made.conversion.pages[0].markdown
    assert [line for line in made.conversion.pages[0].markdown.split("\n") if line] == [BODY, *map(" ".join, COLUMNS)]
    assert [(note.flag, note.page) for note in findings(made.repairs)] == [("tables_undone", 1)]
    assert list(origins(made.repairs)) == ["tables_undone"]


def test_it_stays_where_the_page_shows_a_table_and_where_fewer_read_the_page():
    text = "\n\n".join((BODY, *(" ".join(row) for row in COLUMNS)))
    assert merged(table_page(COLUMNS), page(text), page(text), rows=4).conversion.pages[0].tables != ()
    assert merged(table_page(COLUMNS), page(text)).conversion.pages[0].tables != ()


def test_a_table_of_sentences_is_not_taken_from_one_reader_alone_unless_the_page_shows_one():
    text = "\n\n".join((BODY, *(" ".join(row) for row in COLUMNS)))
    assert merged(page(text), table_page(COLUMNS)).conversion.pages[0].tables == ()
    assert merged(page(text), table_page(COLUMNS), rows=4).conversion.pages[0].tables != ()


def test_of_two_tables_the_one_is_taken_whose_cells_hold_what_stands_together():
    made = merged(table_page(MERGED, after="It ends."), table_page(ROWS, after="It ends."), page(f"{BODY}\n\n{LOOSE}"))
    (only,) = made.conversion.pages[0].tables
    assert only.rows == ROWS
    assert made.conversion.pages[0].markdown.count("|") == pipes(ROWS).count("|")
    assert made.conversion.pages[0].markdown.rstrip().endswith("It ends.")


PORTS = (("Port", "Depth", "Light"), ("Brekka", "12", "red"), ("Holm", "7", "green"), ("Vik", "31", "white"))


def test_two_tables_that_one_reader_joins_are_the_two_that_the_others_have():
    """The joined table has the words of both, and nearly every pair of neighbours."""
    joined = page(f"{BODY}\n\n{pipes(ROWS + PORTS)}", Table(rows=ROWS + PORTS))
    parted = page(f"{BODY}\n\n{pipes(ROWS)}\n\n{pipes(PORTS)}", Table(rows=ROWS), Table(rows=PORTS))
    made = merged(joined, parted, parted)
    assert made.conversion.pages[0].tables == (Table(rows=ROWS), Table(rows=PORTS))


def test_a_table_that_spans_the_text_of_the_page_does_not_win_by_its_words():
    """Each of its words is on the page, and it holds more of them than any other reading's table."""
    lines = [f"{word} keeper read the gauge at dawn" for word in ("One", "Another", "Every", "No")]
    spanning = tuple((line, *row) for line, row in zip(lines, ROWS, strict=True))
    text = "\n\n".join(lines)
    whole = page(pipes(spanning), Table(rows=spanning))
    for others in (
        [table_page(ROWS, before=text)] * 2,
        [table_page(ROWS, before=text), table_page(ROWS[1:], before=text)],
    ):
        made = merged(others[0], whole, others[1])
        assert made.conversion.pages[0].tables == (Table(rows=ROWS),)


def test_the_pages_own_table_is_kept_where_another_is_hardly_better():
    tables = {0: [Table(rows=ROWS)], 1: [Table(rows=ROWS[:3])]}
    nearly = TableGroup(tables=tables, quality={1: 0.91, 0: 0.90}, is_agreed=False)
    clearly = TableGroup(tables=tables, quality={1: 0.95, 0: 0.90}, is_agreed=False)
    assert (nearly.choice(0), clearly.choice(0)) == (0, 1)
    assert clearly.choice(2) == 1  # that reader has no table there


def test_a_better_table_leaves_the_words_of_the_page_that_it_does_not_hold():
    worse = table_page((*MERGED, ("Tide tables by hand", "")))
    made = merged(
        worse, table_page(ROWS, after="Tide tables by hand"), page(f"{BODY}\n\n{LOOSE}\n\nTide tables by hand")
    )
    markdown = made.conversion.pages[0].markdown
    assert pipes(ROWS) in markdown
    assert "Tide tables by hand" in markdown


def test_words_that_stand_in_a_table_oftener_than_on_the_page_speak_against_it():
    doubled = tuple(tuple(f"Ships of the coast {cell}" for cell in row) for row in ROWS)
    text = f"{BODY}\n\nShips of the coast\n\n{LOOSE}"
    made = merged(table_page(doubled), table_page(ROWS, before=f"{BODY}\n\nShips of the coast"), page(text))
    assert made.conversion.pages[0].tables[0].rows == ROWS


def test_where_a_table_has_no_place_in_the_text_its_own_readers_page_is_taken():
    scattered = page(f"Freja\n\n{BODY}\n\nRan\n\n{BODY} salt timber\n\n{BODY}\n\n14 9 22 fish\n\n{BODY} Ship\n\nCargo")
    whole = table_page(ROWS, before="\n\n".join([BODY] * 4))
    made = merged(scattered, whole)
    assert made.conversion.pages[0].tables == (Table(rows=ROWS),)


def test_a_page_whose_parts_changed_places_is_not_taken_for_its_table():
    """Its words are those of the other readings, and nearly all pairs of neighbours (CNV-2)."""
    parts = [" ".join(f"{what}{number}" for number in range(40)) for what in ("net", "sail", "tide", "fog")]
    scattered = page(
        "\n\n".join((parts[0], "Freja", parts[1], "Ran salt timber", parts[2], "14 9 22 fish Ship", parts[3]))
    )
    shuffled = table_page(ROWS, before="\n\n".join(reversed(parts)))
    made = merged(scattered, shuffled, scattered)
    assert made.conversion.pages[0].text == scattered.text
    assert made.repairs == ()
    ordered = table_page(ROWS, before="\n\n".join(parts))
    assert merged(scattered, ordered, scattered).conversion.pages[0].tables == (Table(rows=ROWS),)


def test_a_text_in_better_order_is_taken_though_few_of_its_words_stand_elsewhere():
    """Two columns read line by line differ in few pairs of words (CNV-2)."""
    words = [f"{what}{number}" for number in range(40) for what in ("net", "sail", "tide", "fog", "ice")]
    ordered = page(" ".join(words))
    moved = page(" ".join((*words[:100], *words[125:155], *words[100:125], *words[155:])))
    made = merged(moved, ordered, ordered)
    assert made.conversion.pages[0].text == ordered.text
    assert merged(ordered, moved, ordered).conversion.pages[0].text == ordered.text


def test_a_heading_that_most_readers_do_not_see_is_text():
    made = merged(page(f"# Tides\n\n## {BODY}"), page(f"# Tides\n\n{BODY}"), page(f"# Tides\n\n{BODY}"))
    assert made.conversion.pages[0].markdown == f"# Tides\n\n{BODY}"
    assert [(one.engine, one.headings) for one in made.repairs] == [("one and two and three", 1)]
    assert [note.flag for note in findings(made.repairs)] == ["headings_voted"]


def test_others_vote_on_a_heading_that_they_read_without_the_mark_of_a_note():
    long, line = " ".join([BODY] * 30), "Keepers of the harbour read the gauge of the mole at dawn{} and at dusk"
    others = page(f"# Tides\n\n{line.format('')}\n\n{long}")
    made = merged(page(f"# Tides\n\n## {line.format(9)}\n\n{long}"), others, others)
    assert made.conversion.pages[0].markdown.startswith(f"# Tides\n\n{line.format(9)}\n\n{BODY}")
    alone, lacking = page(f"# Tides\n\n## Weather of the year\n\n{long}"), page(f"# Tides\n\n{long}")
    assert "## Weather of the year" in merged(alone, lacking, lacking).conversion.pages[0].markdown


def test_a_line_that_most_readers_see_as_a_heading_is_one():
    made = merged(page(f"# Coast\n\n**Tides**\n\n{BODY}"), *[page(f"# Coast\n\n## Tides\n\n{BODY}")] * 2)
    assert made.conversion.pages[0].markdown == f"# Coast\n\n## Tides\n\n{BODY}"


def test_a_heading_that_all_others_have_is_no_part_of_a_paragraph_before_it():
    """An outline gives both the same level; one of them reads as a sentence (CNV-6)."""
    title = "Where does the water of the harbour go at night? And why does nobody of the town see it"
    plain = page(f"{title}\n\n# Tides\n\n{BODY}")
    made = merged(page(f"# {title}\n\n# Tides\n\n{BODY}"), plain, plain)
    assert made.conversion.pages[0].markdown == f"{title}\n\n# Tides\n\n{BODY}"


def test_the_last_line_of_a_page_is_no_heading_of_anything():
    made = merged(
        page(f"# Tides\n\n{BODY}\n\n## Funded by the harbour"), page(f"# Tides\n\n{BODY}\n\n## Funded by the harbour")
    )
    assert made.conversion.pages[0].markdown.rstrip().endswith("\n\nFunded by the harbour")


def test_a_reader_that_marks_no_headings_has_no_vote_on_them():
    made = merged(page(f"# Tides\n\n{BODY}"), page(f"Tides\n\n{BODY}"), page(f"Tides\n\n{BODY}"))
    assert made.conversion.pages[0].markdown == f"# Tides\n\n{BODY}"


def test_pages_on_which_two_readers_agree_need_no_third():
    assert disputed(page(f"# Tides\n\n{BODY}"), page(f"# Tides\n\n{BODY}")) == []
    assert disputed(table_page(ROWS), table_page(ROWS)) == []


def test_readers_that_agree_on_no_table_where_the_page_shows_one_are_not_enough():
    plain = page(f"{BODY}\n\n{LOOSE}")
    assert disputed(plain, plain, shown=True) == [1]
    assert disputed(plain, plain, table_page(ROWS), table_page(ROWS), shown=True, tables_only=True) == []


def test_another_order_another_heading_or_another_grid_asks_for_a_third():
    assert disputed(page(BODY), page(SWAPPED)) == [1]
    assert disputed(page(f"# Tides\n\n{BODY}"), page(f"Tides\n\n{BODY}")) == [1]
    assert disputed(table_page(ROWS), table_page(MERGED)) == [1]
    assert disputed(page(BODY), page(SWAPPED), tables_only=True) == []
