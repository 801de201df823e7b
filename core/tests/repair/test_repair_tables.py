"""Which tables are looked for, where one has its place, and that the text stays as it was (CNV-2)."""

from __future__ import annotations

import time

import pytest
from octavo.builtins.quality import assess
from octavo.conversion.page_repair import findings, lost_tables, origins, put_back, unseen_pages
from octavo_contracts import Conversion, HiddenText, Page, PageSight, QualityEvidence, Table

ROWS = (("Station", "Gauge", "Depth"), ("Skagen", "north", "4.10"), ("Hirtshals", "west", "3.85"))
LINES = ("Station Gauge Depth", "Skagen north 4.10", "Hirtshals west 3.85")
ABOVE = "The keepers of the coast sent these figures in."
BELOW = "Both harbours were open through the winter."
MADE = "| Station | Gauge | Depth |\n| --- | --- | --- |\n| Skagen | north | 4.10 |\n| Hirtshals | west | 3.85 |"


def page(*lines, number=1, **fields):
    text = "\n".join(lines)
    return Page(number=number, **{"markdown": text, "text": text, **fields})


def conversion(*pages, paginated=True, **fields):
    numbered = tuple(one.model_copy(update={"number": number}) for number, one in enumerate(pages, start=1))
    return Conversion(pages=numbered, paginated=paginated, engine_version="9", **fields)


def evidence(*rows):
    """A look at the first pages, each of which shows a table of so many rows."""
    sights = tuple(PageSight(page=number, table_rows=count) for number, count in enumerate(rows, start=1))
    return QualityEvidence(media_type="application/pdf", sights=sights)


def tables_page(*tables):
    return page("what the other engine read", tables=tuple(Table(rows=rows) for rows in tables))


def mended(first, *second, rows=(3,)):
    """What comes of a page, or pages, with the tables of another engine."""
    before = conversion(*first) if isinstance(first, list) else conversion(first)
    seen = evidence(*rows)
    wanted = unseen_pages(before, seen) | lost_tables(before, seen)
    merged = put_back(before, conversion(*second), wanted, engine="new", instead_of="old", tells_hidden=False)
    assert [one.text for one in merged.conversion.pages] == [one.text for one in before.pages]
    return merged


def refusal(first, *second):
    merged = mended(first, *second)
    assert merged.conversion.pages[0] == first
    assert merged.repairs == ()
    return merged.refusal


def test_a_table_takes_the_place_of_the_lines_that_hold_its_words():
    merged = mended(page(ABOVE, *LINES, BELOW), tables_page(ROWS))
    (made,) = merged.conversion.pages
    assert made.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"
    assert made.tables == (Table(rows=ROWS),)


def test_it_is_told_where_the_table_came_from_and_why():
    merged = mended(page(ABOVE, *LINES), tables_page(ROWS))
    (note,) = findings(merged.repairs)
    assert (note.flag, note.severity, note.page) == ("tables_put_back", "note", 1)
    assert note.message == "a table by new in the text by old: the source shows a table of about 3 rows"
    assert origins(merged.repairs) == {
        "tables_put_back": {
            "1": {
                "engine": "new",
                "engine_version": "9",
                "instead_of": "old",
                "because": "the source shows a table of about 3 rows",
                "tables": 1,
            }
        }
    }


def test_the_flag_goes_with_the_loss():
    first, seen = conversion(page(ABOVE, *LINES)), evidence(4)
    merged = put_back(
        first,
        conversion(tables_page(ROWS)),
        lost_tables(first, seen),
        engine="new",
        instead_of="old",
        tells_hidden=False,
    )
    flags = [{one.flag for one in assess(made, seen).findings} for made in (first, merged.conversion)]
    assert "tables_lost" in flags[0]
    assert "tables_lost" not in flags[1]


def test_the_words_may_stand_in_another_order_and_in_other_lines():
    columns = ("Station", "Skagen", "Hirtshals", "Gauge", "north", "west", "Depth", "4.10 3.85")
    assert mended(page(ABOVE, *columns), tables_page(ROWS)).conversion.pages[0].markdown == f"{ABOVE}\n\n{MADE}\n"


def test_a_line_that_says_more_than_its_table_stays_below_it():
    lines = (LINES[0], "Skagen north 4.10 doubtful", LINES[2])
    (made,) = mended(page(*lines, BELOW), tables_page(ROWS)).conversion.pages
    assert made.markdown == f"{MADE}\n\nSkagen north 4.10 doubtful\n\n{BELOW}\n"


def test_a_caption_that_uses_the_tables_words_stays_above_it():
    caption = "Depth by station and gauge, Skagen and Hirtshals"
    (made,) = mended(page(caption, "", *LINES), tables_page(ROWS)).conversion.pages
    assert made.markdown == f"{caption}\n\n{MADE}\n"


def test_two_tables_that_share_words_each_have_their_own_lines():
    other = (ROWS[0], ("Esbjerg", "west", "5.00"), ("Thyboron", "west", "2.75"))
    below = ("Station Gauge Depth", "Esbjerg west 5.00", "Thyboron west 2.75")
    (made,) = mended(page(*LINES, BELOW, *below), tables_page(ROWS, other)).conversion.pages
    assert [table.rows for table in made.tables] == [ROWS, other]
    assert made.markdown.startswith(f"{MADE}\n\n{BELOW}\n\n| Station |")
    assert made.markdown.count("Esbjerg") == 1


def test_tables_are_in_the_order_of_the_page_however_they_are_given():
    other = (("Ship", "Cargo"), ("Freja", "timber"))
    (made,) = mended(page("Ship Cargo", "Freja timber", BELOW, *LINES), tables_page(ROWS, other)).conversion.pages
    assert [table.rows for table in made.tables] == [other, ROWS]


def test_rows_of_one_cell_around_a_table_and_empty_columns_are_not_of_it():
    loose = ((ABOVE, "", "", ""), *((a, "", b, c) for a, b, c in ROWS), (BELOW, "", "", ""))
    (made,) = mended(page(ABOVE, *LINES, BELOW), tables_page(loose)).conversion.pages
    assert made.markdown == f"{ABOVE}\n\n{MADE}\n\n{BELOW}\n"


def test_cells_are_written_as_the_text_they_are():
    rows = (("Ship", "Marks"), ("Freja", "*A*|B"))
    (made,) = mended(page("Ship Marks", "Freja *A*|B"), tables_page(rows)).conversion.pages
    assert made.markdown.splitlines()[-1] == r"| Freja | \*A\*\|B |"


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ((("Aalborg", "Gauge", "Depth"), ("Grenaa", "east", "7.20"), ("Ebeltoft", "south", "1.15")), "not found"),
        ((("Station", "Gauge", "Depth"),), "no table"),
        ((("Station",), ("Skagen",), ("Hirtshals",)), "no table"),
        ((("", ""), ("", "")), "no table"),
    ],
    ids=["words that are not there", "one row", "one column", "empty"],
)
def test_what_is_no_table_of_the_page_is_not_taken(rows, why):
    assert why in refusal(page(ABOVE, *LINES), tables_page(rows))


def test_a_list_of_contents_is_no_table_and_a_table_with_leading_dots_is_one():
    contents = (("1", "Gauges . . . . . . 4"), ("1.1", "Tides . . . . . . . 5"), ("", "Index ........ 9"))
    assert "no table" in refusal(page(*(" ".join(row) for row in contents)), tables_page(contents))
    dotted = (("Depth", "2024", "2025"), ("Skagen ......", "4.10", "4.12"), ("Esbjerg .....", "5.00", "5.03"))
    assert mended(page(*(" ".join(row) for row in dotted)), tables_page(dotted)).repairs


def test_a_table_whose_words_are_scattered_over_the_page_is_not_taken():
    prose = ["Nothing was seen from the tower before the fog came down on the strand that morning."] * 3
    scattered = (LINES[0], *prose, LINES[1], *prose, LINES[2])
    assert refusal(page(*scattered), tables_page(ROWS)) == "page 1: its tables were not found in the text"


def test_of_a_page_that_hides_text_no_table_brings_in_a_word_that_is_not_shown():
    hiding = page(ABOVE, *LINES, hidden_text=(HiddenText(text="bribed", why="white"),))
    shows = (*ROWS[:2], ("Hirtshals", "west bribed", "3.85"))
    assert "not found" in refusal(hiding, tables_page(shows))
    assert mended(hiding, tables_page(ROWS)).repairs


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (conversion(page("", kind="whole"), paginated=False), "it has no pages, the first conversion 1"),
        (conversion(tables_page(ROWS), tables_page(ROWS)), "it has 2 pages, the first conversion 1"),
    ],
)
def test_an_engine_that_counts_other_pages_is_not_believed(second, why):
    first = conversion(page(*LINES))
    wanted = lost_tables(first, evidence(3))
    merged = put_back(first, second, wanted, engine="new", instead_of="old", tells_hidden=False)
    assert (merged.conversion, merged.refusal) == (first, f"page 1: {why}")


def test_only_pages_that_show_a_table_and_have_none_lost_theirs():
    kept = page(*LINES, tables=(Table(rows=ROWS),))
    first = conversion(page(*LINES), page(ABOVE), kept, page(*LINES), page(*LINES))
    assert list(lost_tables(first, evidence(3, 2, 9, 5, 5), recognised=[4])) == [1, 5]
    assert list(unseen_pages(first, evidence(3), recognised=[4])) == [2, 5]


def test_a_document_without_pages_has_no_place_for_tables():
    assert lost_tables(conversion(page(*LINES, kind="whole"), paginated=False), evidence(9)) == {}


def test_pages_that_nobody_looked_at_get_their_tables_too():
    first = [page(*LINES), page(BELOW, *LINES)]
    merged = mended(first, tables_page(ROWS), tables_page(ROWS))
    assert [(one.page, one.because) for one in merged.repairs] == [
        (1, "the source shows a table of about 3 rows"),
        (2, "inspected pages of the document lost their tables"),
    ]


def test_reasons_are_told_once_with_their_pages():
    first = [page(*LINES) for _ in range(12)]
    merged = mended(first, *[page("nothing")] * 12)
    assert merged.refusal == "pages 1, 2, 3, 4, 5, 6, 7, 8 and 4 more: it has no table on this page either"


def test_looking_for_many_tables_on_a_long_page_takes_no_more_than_seconds():
    """Linear in the words of the page for each table, and given up where both are beyond what documents have."""
    long = page(*(f"{word} tide gauge {word % 7}" for word in range(5_000)))
    rows = tuple((f"{word}", "tide", f"{word % 7}") for word in range(0, 2000, 2))
    started = time.process_time()
    assert "not found" in refusal(long, tables_page(*[rows] * 200))
    assert mended(long, tables_page(*[rows] * 20)).conversion.pages[0].text == long.text
    assert time.process_time() - started < 15
