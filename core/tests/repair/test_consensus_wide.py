"""Tables of which a reading makes one together with the text between them (CNV-2)."""

from __future__ import annotations

from octavo.conversion.consensus.merge_readings import merge_readings, reading_of
from octavo_contracts import Conversion, Page, Table
from octavo_contracts.authoring import pipe_table
from octavo_text.markdown import plain_text
from octavo_text.tables.placed_tables import with_scattered_tables, with_tables

STORES = (("Country", "Leased", "Owned"), ("Denmark", "14,393", "3,168"), ("Norway", "1,496", "988"))
OFFICERS = (
    ("Name", "Age", "Position"),
    ("Ada Quay", "47", "Keeper"),
    ("Ben Pier", "50", "Treasurer"),
    ("Cora Mole", "46", "Harbour master"),
)
BETWEEN = (
    "We own the offices in the harbour, and rent others to support and carry out the business of the coast.",
    "For the proceedings of the year see the notes to the statements, which are included in the annual report.",
)
HEAD, FOOT = "The stores of the year are these.", "The officers were appointed in the spring of the year."


def page(*blocks: str | tuple[tuple[str, ...], ...]) -> Page:
    """A page of paragraphs and tables."""
    markdown = "\n\n".join(block if isinstance(block, str) else pipe_table(block) for block in blocks)
    tables = tuple(Table(rows=block) for block in blocks if not isinstance(block, str))
    return Page(number=1, markdown=markdown, text=plain_text(markdown), tables=tables)


def merged(*pages: Page) -> Page:
    """The page that the readers make together."""
    conversions = [Conversion(pages=(one,), paginated=True) for one in pages]
    readings = [
        reading_of(one, engine=name, tells_hidden=True, reads_tables=True)
        for name, one in zip(("one", "two", "three"), conversions, strict=False)
    ]
    return merge_readings(conversions[0], readings, [1], shown={}).conversion.pages[0]


def test_tables_of_two_places_are_each_put_where_they_stand() -> None:
    lines = [" ".join(row) for row in STORES], [" ".join(row) for row in OFFICERS]
    text = "\n\n".join((HEAD, "\n".join(lines[0]), *BETWEEN, "\n".join(lines[1]), FOOT))
    first = Page(number=1, markdown=text, text=text)
    tables = [Table(rows=STORES), Table(rows=OFFICERS)]

    assert with_tables(first, tables) is None
    made = with_scattered_tables(first, tables)
    assert made is not None
    wanted = "\n\n".join((HEAD, pipe_table(STORES), *BETWEEN, pipe_table(OFFICERS), FOOT))
    assert made.markdown.strip() == wanted


def test_a_table_with_the_running_text_between_two_replaces_neither() -> None:
    """With two readers, only the long cells show that the text between the tables belongs to neither."""
    right = page(HEAD, STORES, *BETWEEN, OFFICERS, FOOT)
    wide = page(HEAD, (*STORES, (BETWEEN[0], BETWEEN[1], "Not applicable."), *OFFICERS), FOOT)

    assert merged(right, wide).tables == right.tables
    assert all(text in merged(wide, right).markdown for text in BETWEEN)
