"""Puts the tables of one reading into the page of another, where the page has their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from octavo_contracts import Page, Table
from octavo_contracts.authoring import escape, pipe_table

from ..words import words
from .pipe_rows import behind_rows, is_row, whole_rows, without_bars, without_rows
from .sound_tables import sound_tables
from .table_in_code import whole_fences
from .table_place import Place, find_place
from .table_words import Bag, words_of_tables

SAME_PLACE = 0.5
"""Tables of two readings that share this much of the smaller one's words show the same part of the page."""
PARAGRAPH = 40
"""Words from which on a cell is a paragraph, far longer than a line."""


def with_tables(page: Page, tables: Sequence[Table]) -> Page | None:
    """Return the page with tables in place of the lines that hold their words; None if there are no such lines, or several runs.

    They replace the page's own tables with the same words. The plain text is unchanged. A line of the page with other
    words than those of the tables is kept: between two tables where it stands between their lines, else below.

    Args:
        page: complete, with its text.
        tables: of one part of the page, from the top.
    """
    lines = page.markdown.split("\n")
    wanted = [_words(table) for table in tables]
    of_lines = [words(line) for line in lines]
    place = find_place(list(chain.from_iterable(wanted)), of_lines)
    # On a page with hidden text, accept only tables whose words are all visible.
    if place is None or (page.hidden_text and not place.is_whole):
        return None
    start, end = whole_rows(lines, place.start, place.end)
    there: Bag = Counter(chain.from_iterable(of_lines[start:end]))
    if any(not _has_most_words(there, Counter(one)) or _is_elsewhere(one, of_lines, start, end) for one in wanted):
        return None
    rows = [escape(" ".join(filter(None, row))) for table in tables for row in table.rows if sum(map(bool, row)) > 1]
    left: Bag = Counter(chain.from_iterable(wanted))
    left -= Counter(chain.from_iterable(of_lines[at] for at in place.held))
    further = list(rows)
    for at in place.held:
        without_rows(without_bars(lines[at]), further)
    rest = {at: _rest_of(lines[at], left, rows, further) for at in range(start, end) if at not in place.held}
    above, below = whole_fences(lines, start, end)
    following = "\n".join(below).lstrip("\n").split("\n")  # a reading may have the last row outside of its table
    blocks = ["\n".join(above)]
    upper = start
    for lower, grids in _places_apart(tables, of_lines, place):
        blocks += [_kept(lines, rest, range(upper, lower)), *grids]
        upper = lower
    blocks += [_kept(lines, rest, range(upper, end)), "\n".join((behind_rows(following[0], rows), *following[1:]))]
    markdown = "\n\n".join(block.strip("\n") for block in blocks if block.strip())
    bag = words_of_tables(tables)
    replaced = [at for at, one in enumerate(page.tables) if _has_most_words(bag, words_of_tables([one]))]
    at = replaced[0] if replaced else min(_tables_above(lines, start), len(page.tables))
    before, after = (
        page.tables[:at],
        [one for place, one in enumerate(page.tables) if place >= at and place not in replaced],
    )
    return page.model_copy(update={"markdown": f"{markdown}\n", "tables": (*before, *tables, *after)})


def _is_elsewhere(wanted: Sequence[str], of_lines: Sequence[Sequence[str]], start: int, end: int) -> bool:
    """Return whether lines outside of a run hold a table, and those of the run do not: tables of a page share words."""
    place = find_place(wanted, of_lines)
    is_outside = place is not None and (place.end <= start or place.start >= end)
    return is_outside and find_place(wanted, of_lines[start:end]) is None


def _places_apart(
    tables: Sequence[Table], of_lines: Sequence[Sequence[str]], place: Place
) -> list[tuple[int, list[str]]]:
    """Return the line at which tables are put, and the tables as markdown.

    Tables whose own lines stand below each other each have their place; else all have the place of the first.
    """
    grids = [pipe_table([[escape(cell) for cell in row] for row in table.rows]) for table in tables]
    within = of_lines[place.start : place.end]
    own = [find_place(_words(table), within) for table in tables]
    found = [one for one in own if one is not None]
    if len(found) < len(own) or any(one.end > other.start for one, other in pairwise(found)):
        return [(place.start, grids)]
    starts = [place.start, *(place.start + one.start for one in found[1:])]
    return [(start, [grid]) for start, grid in zip(starts, grids, strict=True)]


def _words(table: Table) -> list[str]:
    return [word for row in table.rows for cell in row for word in words(cell)]


def _kept(lines: Sequence[str], rest: Mapping[int, str], span: range) -> str:
    """Return what is left of a run of lines; a row of a table that is gone, and a heading, is a paragraph of its own."""
    made = ""
    for at in span:
        if text := rest.get(at, "").strip("\n"):
            is_apart = is_row(lines[at]) or text.startswith("#")
            made += f"\n{text}\n" if is_apart else f"{text}\n"
    return re.sub(r"\n{3,}", "\n\n", made)


def _rest_of(line: str, left: Bag, rows: Sequence[str], further: list[str]) -> str:
    """Return what a line says beside the tables that replace it; the words that they have are removed from `left`.

    Args:
        line: of the page.
        left: words of the tables that no other line of the page has so far.
        rows: the texts of the tables' rows, as they would stand in a line.
        further: those that no other line of the page holds so far; those of the line are removed.
    """
    pieces = without_bars(line).split()
    if not is_row(line) or 2 * sum(_are_left(piece, left) for piece in pieces) < len(pieces):
        text = without_bars(line)
        rest = without_rows(text, further)
        return behind_rows(text, rows) if rest == text else rest
    for at in (0, -1):
        while pieces and _are_left(pieces[at], left):
            left.subtract(words(pieces.pop(at)))
    return " ".join(pieces)


def _are_left(piece: str, left: Bag) -> bool:
    """Return whether all words of a piece of text are left."""
    return Counter(words(piece)) <= left


def with_scattered_tables(page: Page, tables: Sequence[Table]) -> Page | None:
    """Return the page with tables in one place of it or, if other text stands between them, in several.

    Args:
        page: complete, with its text.
        tables: of one part of the page, from the top.
    """
    made = with_tables(page, tables)
    if made is not None:
        return made
    for at in range(len(tables) - 1, 0, -1):
        upper = with_tables(page, tables[:at])
        lower = with_scattered_tables(upper, tables[at:]) if upper is not None else None
        if lower is not None:
            return lower
    return None


def _tables_above(lines: Sequence[str], end: int) -> int:
    """Return the number of pipe tables that begin before a line."""
    return sum(is_row(lines[at]) and not (at and is_row(lines[at - 1])) for at in range(end))


def _has_most_words(bag: Bag, other: Bag) -> bool:
    return (bag & other).total() > SAME_PLACE * other.total()


def without_tables(page: Page, tables: Sequence[Table]) -> Page:
    """Return the page with tables of its own as running text, a row a line; the plain text is unchanged.

    Args:
        page: complete, with its text.
        tables: of the page, or what is sound of them: the title above one goes with it, however long it is.
    """
    gone = [any(part in tables for part in (one, *sound_tables([one]))) for one in page.tables]
    bag = words_of_tables([one for one, is_gone in zip(page.tables, gone, strict=True) if is_gone])
    lines = page.markdown.split("\n")
    made: list[str] = []
    at = 0
    while at < len(lines):
        start, end = whole_rows(lines, at, at + 1) if is_row(lines[at]) else (at, at + 1)
        rows = lines[start:end]
        if is_row(lines[at]) and _has_most_words(bag, Counter(word for line in rows for word in words(line))):
            rows = [text for line in rows if (text := without_bars(line))]
        made += rows
        at = end
    kept = tuple(one for one, is_gone in zip(page.tables, gone, strict=True) if not is_gone)
    return page.model_copy(update={"markdown": "\n".join(made), "tables": kept})


def running_tables(tables: Sequence[Table], others: Iterable[Table]) -> list[Table]:
    """Return the tables with a cell that is a paragraph, whose words stand in no other tables: columns of running text.

    Args:
        tables: of a page by one reading.
        others: of the same page by the others.
    """
    bag = words_of_tables(others)
    return [
        one
        for one in tables
        if any(len(words(cell)) >= PARAGRAPH for row in one.rows for cell in row)
        and not _has_most_words(bag, words_of_tables([one]))
    ]
