"""Put back tables that a conversion lost: another engine's, in the place of the lines that hold their words (CNV-2).

    lost = lost_tables(first, evidence)          which pages show a table and have none
    merged = put_back(first, second, lost, …)    the second engine's tables in the first one's pages

The text of a page is not touched: it stays the first engine's, letter by letter, with its offsets. A table is believed only where its
words stand together in that text, so that nothing comes in that the first engine did not read, or that it kept apart as hidden.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from octavo_contracts import Conversion, DegradedFlag, Page, QualityEvidence, Table
from octavo_contracts.authoring import escape, pipe_table

from ...builtins.quality.evidence_pairs import pairs
from ...builtins.quality.texts import words
from .merge_pages import Merged, PageRepair
from .page_suspects import PageSuspect
from .placing import Place, find_place

MIN_ROWS = 2
MIN_COLUMNS = 2
MAX_SEARCH = 2_000_000
"""Words of pages times the tables looked for in each, over a whole document: what is above it stays as it was. A filing of 300
pages stays far below; looking for this much takes some seconds."""

_LEADER = re.compile(r"(?:[.\u2026\u00b7] ?){4}")
"""Dots that lead from a title to its page."""

Rows = tuple[tuple[str, ...], ...]


def lost_tables(
    conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int] = ()
) -> dict[int, PageSuspect]:
    """The pages that show a table where the conversion has none, by number.

    A row less is enough than for the flag: what is put back is held against the page word by word.

    Args:
        conversion: complete, with a text on every page.
        evidence: what is known of the source; pages that nobody looked at are not among those found.
        recognised: pages whose text was recognised: their lines are not those of the file.
    """
    if not conversion.paginated:
        return {}
    flag = DegradedFlag.TABLES_LOST.value
    return {
        pair.sight.page: PageSuspect(
            page=pair.sight.page, flag=flag, why=f"the source shows a table of about {pair.sight.table_rows} rows"
        )
        for pair in pairs(conversion, evidence)
        if pair.lost_its_tables and pair.sight.page not in recognised and pair.sight.page <= len(conversion.pages)
    }


def unseen_pages(
    conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int] = ()
) -> dict[int, PageSuspect]:
    """The pages without a table that nobody looked at, of a document that lost tables elsewhere."""
    seen = {sight.page for sight in evidence.sights}
    why = "pages of the document that were looked at lost their tables"
    return {
        page.number: PageSuspect(page=page.number, flag=DegradedFlag.TABLES_LOST.value, why=why)
        for page in conversion.pages
        if page.number not in seen and page.number not in recognised and not page.tables
    }


def put_back(
    first: Conversion,
    second: Conversion,
    wanted: Mapping[int, PageSuspect],
    *,
    engine: str,
    instead_of: str,
    tells_hidden: bool,
) -> Merged:
    """The first conversion with tables of the second one where they have their place.

    Args:
        first: the whole document.
        second: the whole document, by an engine that keeps tables and tells pages apart.
        wanted: page → the doubt about it.
        engine: the plugin that made `second`.
        instead_of: the plugin that made `first`.
        tells_hidden: whether the plugin that made `second` keeps hidden text apart.
    """
    if not second.paginated or len(second.pages) != len(first.pages):
        given = f"{len(second.pages)} pages" if second.paginated else "no pages"
        why = f"it tells {given} apart, the first one {len(first.pages)}"
        return Merged(conversion=first, repairs=(), kept=dict.fromkeys(wanted, why))
    pages, repairs, kept = list(first.pages), [], {}
    searched = 0
    for number, doubt in sorted(wanted.items()):
        old, tables = pages[number - 1], _sound(second.pages[number - 1].tables)
        if not tables:
            kept[number] = "it has no table there either"
            continue
        lines = [words(line) for line in old.markdown.split("\n")]
        searched += sum(map(len, lines)) * len(tables)
        found = list(_placed(tables, lines, old)) if searched <= MAX_SEARCH else []
        if not found:
            kept[number] = "its tables have no place in the text"
            continue
        pages[number - 1] = _with_tables(old, found)
        repairs.append(
            PageRepair(
                page=number,
                engine=engine,
                engine_version=second.engine_version,
                instead_of=instead_of,
                because=doubt.why,
                tells_hidden=tells_hidden,
                tables=len(found),
            )
        )
    merged = first.model_copy(update={"pages": tuple(pages)}) if repairs else first
    return Merged(conversion=merged, repairs=tuple(repairs), kept=kept)


@dataclass(frozen=True, kw_only=True)
class _Placed:
    """A table and the lines it stands in."""

    table: Table
    place: Place


def _sound(tables: Sequence[Table]) -> list[Table]:
    """The tables without what is none: rows of one cell around them, empty columns, one row or column alone, contents."""
    found = []
    for table in tables:
        rows = _core(table.rows)
        if len(rows) >= MIN_ROWS and len(rows[0]) >= MIN_COLUMNS and not _is_contents(rows):
            found.append(Table(rows=rows, caption=table.caption, box=table.box))
    return found


def _core(rows: Rows) -> Rows:
    """The rows from the first to the last that hold more than one cell, all as long, without empty columns.

    A row of one cell at an edge is a title or a paragraph that was taken for a part of the table.
    """
    full = [index for index, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1]
    kept = rows[full[0] : full[-1] + 1] if full else ()
    width = max(map(len, kept), default=0)
    padded = [row + ("",) * (width - len(row)) for row in kept]
    columns = [column for column in range(width) if any(row[column].strip() for row in padded)]
    return tuple(tuple(row[column] for column in columns) for row in padded)


def _is_contents(rows: Rows) -> bool:
    """Whether most rows lead by dots to one number: a list of contents, or an index."""
    led = [row for row in rows if any(_LEADER.search(cell) for cell in row)]
    single = [row for row in led if sum(bool(cell.strip()) and not _LEADER.search(cell) for cell in row) < 2]
    return 2 * len(single) > len(rows)


def _placed(tables: Sequence[Table], lines: Sequence[Sequence[str]], page: Page) -> Iterator[_Placed]:
    """Each table that has its place, no two of them in the same lines."""
    left: list[Sequence[str] | None] = list(lines)
    for table in tables:
        place = find_place([word for row in table.rows for cell in row for word in words(cell)], left)
        # Of a page that hides text nothing is taken but what it shows.
        if place is None or (page.hidden_text and not place.is_whole):
            continue
        left[place.start : place.end] = [None] * (place.end - place.start)
        yield _Placed(table=table, place=place)


def _with_tables(page: Page, found: Sequence[_Placed]) -> Page:
    """The page with the tables in its markdown. A line that says more than its table stays, below it."""
    found = sorted(found, key=lambda one: one.place.start)
    lines = page.markdown.split("\n")
    blocks: list[str] = []
    done = 0
    for one in found:
        place = one.place
        cells = [[escape(cell) for cell in row] for row in one.table.rows]
        others = [lines[index] for index in range(place.start, place.end) if index not in place.held]
        blocks += ["\n".join(lines[done : place.start]), pipe_table(cells), "\n".join(others)]
        done = place.end
    blocks.append("\n".join(lines[done:]))
    markdown = "\n\n".join(block.strip("\n") for block in blocks if block.strip())
    tables = (*page.tables, *(one.table for one in found))
    return page.model_copy(update={"markdown": f"{markdown}\n", "tables": tables})
