"""Restores tables that a conversion lost: another engine's tables replace the lines that contain their words (CNV-2).

    lost = lost_tables(first, evidence)          which pages show a table and have none
    merged = put_back(first, second, lost, …)    the second engine's tables in the first one's pages

The plain text of a page remains the first engine's, letter by letter, with its offsets. A table is accepted only if its
words occur together in that text, so it adds nothing that the first engine did not read, or separated as hidden.
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
"""Limit of a document's search cost: words of a page times the tables searched for in it, over all pages.

Pages above it are kept as they were. A filing of 300 pages is far below; a search of this size takes some seconds.
"""

_LEADER = re.compile(r"(?:[.\u2026\u00b7] ?){4}")
"""Dot leaders from a title to its page number."""

Rows = tuple[tuple[str, ...], ...]


def lost_tables(
    conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int] = ()
) -> dict[int, PageSuspect]:
    """Return the pages that show a table where the conversion has none, by number.

    The threshold is one row lower than for the flag, because restored tables are compared with the page word by word.

    Args:
        conversion: complete, with a text on every page.
        evidence: facts about the source; pages that were not inspected are not among the results.
        recognised: pages with recognised text, whose lines are not those of the file.
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
    """Return the pages without a table that were not inspected, for a document that lost tables elsewhere."""
    seen = {sight.page for sight in evidence.sights}
    why = "inspected pages of the document lost their tables"
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
    """Insert tables of the second conversion into the first one where their place is found.

    Args:
        first: the whole document.
        second: the whole document, by an engine that keeps tables and page boundaries.
        wanted: page → why it is suspect.
        engine: the plugin that made `second`.
        instead_of: the plugin that made `first`.
        tells_hidden: whether the plugin that made `second` separates hidden text.
    """
    if not second.paginated or len(second.pages) != len(first.pages):
        given = f"{len(second.pages)} pages" if second.paginated else "no pages"
        why = f"it has {given}, the first conversion {len(first.pages)}"
        return Merged(conversion=first, repairs=(), kept=dict.fromkeys(wanted, why))
    pages, repairs, kept = list(first.pages), [], {}
    searched = 0
    for number, doubt in sorted(wanted.items()):
        old, tables = pages[number - 1], sound_tables(second.pages[number - 1].tables)
        if not tables:
            kept[number] = "it has no table on this page either"
            continue
        lines = [words(line) for line in old.markdown.split("\n")]
        searched += sum(map(len, lines)) * len(tables)
        found = list(_placed(tables, lines, old)) if searched <= MAX_SEARCH else []
        if not found:
            kept[number] = "its tables were not found in the text"
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
    """A table and the lines that contain its words."""

    table: Table
    place: Place


def sound_tables(tables: Sequence[Table]) -> list[Table]:
    """Drop false tables and strip title rows: no empty columns, at least two rows and columns, no table of contents."""
    found = []
    for table in tables:
        rows = _core(table.rows)
        if len(rows) >= MIN_ROWS and len(rows[0]) >= MIN_COLUMNS and not _is_contents(rows):
            found.append(Table(rows=rows, caption=table.caption, box=table.box))
    return found


def _core(rows: Rows) -> Rows:
    """Return the rows from the first to the last with more than one cell, of equal length, without empty columns.

    A row with one cell at an edge is a title or a paragraph that was mistaken for part of the table.
    """
    full = [index for index, row in enumerate(rows) if sum(bool(cell.strip()) for cell in row) > 1]
    kept = rows[full[0] : full[-1] + 1] if full else ()
    width = max(map(len, kept), default=0)
    padded = [row + ("",) * (width - len(row)) for row in kept]
    columns = [column for column in range(width) if any(row[column].strip() for row in padded)]
    return tuple(tuple(row[column] for column in columns) for row in padded)


def _is_contents(rows: Rows) -> bool:
    """Return whether most rows have dot leaders to a single number: a table of contents, or an index."""
    led = [row for row in rows if any(_LEADER.search(cell) for cell in row)]
    single = [row for row in led if sum(bool(cell.strip()) and not _LEADER.search(cell) for cell in row) < 2]
    return 2 * len(single) > len(rows)


def _placed(tables: Sequence[Table], lines: Sequence[Sequence[str]], page: Page) -> Iterator[_Placed]:
    """Yield each table whose place is found; no two share lines."""
    left: list[Sequence[str] | None] = list(lines)
    for table in tables:
        place = find_place([word for row in table.rows for cell in row for word in words(cell)], left)
        # On a page with hidden text, accept only tables whose words are all visible.
        if place is None or (page.hidden_text and not place.is_whole):
            continue
        left[place.start : place.end] = [None] * (place.end - place.start)
        yield _Placed(table=table, place=place)


def _with_tables(page: Page, found: Sequence[_Placed]) -> Page:
    """Insert the tables into the page's markdown. A line with other words than its table's is kept, below it."""
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
