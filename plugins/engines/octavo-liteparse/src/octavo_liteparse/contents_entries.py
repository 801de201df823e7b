"""Entries of a table of contents: rows whose page number stands at the end of leader dots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from .page_rows import LEADER, PAGE_NUMBER

if TYPE_CHECKING:
    from .page_rows import Row

_ENTRY: Final = re.compile(rf"{LEADER}(?P<page>{PAGE_NUMBER})(?:, ?\d{{1,4}})*$")
"""An entry; that of an index may have several pages."""
_NUMBER: Final = re.compile(PAGE_NUMBER)
_FEWEST: Final = 3
"""Entries from which on the rows of a table are a table of contents, if their numbers ascend."""
_WRAPPED: Final = 2
"""Most rows of an entry above its last one."""


def is_contents(rows: Sequence[Row], *, in_table: bool = False) -> bool:
    """Return whether rows are entries of a table of contents.

    Args:
        rows: of a block.
        in_table: whether the block is a table. Tables of figures have leader dots too; page numbers ascend.
    """
    found = [match for row in rows if (match := _ENTRY.search(row.text)) is not None]
    if not in_table:
        return bool(found)
    numbers = [int(match["page"]) for match in found if match["page"].isdecimal()]
    return (
        len(numbers) >= _FEWEST
        and 2 * len(found) > len(rows)
        and all(above <= below for above, below in pairwise(numbers))
    )


def entries_in(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each entry: the one with the page number, and those above it that its title begins in.

    A row that is a number and nothing else is an entry of its own: it is the number of the page.
    """
    entries: list[list[Row]] = []
    own: list[Row] = []
    for row in rows:
        if not own and _NUMBER.fullmatch(row.text):
            entries.append([row])
            continue
        own.append(row)
        if _ENTRY.search(row.text):
            if len(own) > _WRAPPED + 1:
                entries.append(own[:-1])
                own = own[-1:]
            entries.append(own)
            own = []
    return [*entries, own] if own else entries
