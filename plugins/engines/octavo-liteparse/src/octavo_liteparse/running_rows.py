"""Running heads and feet: rows at the edges of pages that repeat, apart from their numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from .page_rows import rows_of

if TYPE_CHECKING:
    from liteparse.types import ParsedPage

    from .page_rows import Row

_FEWEST: Final = 3
"""Fewest pages with a running head."""
_SHARE: Final = 0.5
"""Least share of the pages that have a running head without a page number: the last lines of forms repeat too."""
_NUMBER: Final = re.compile(r"\d+")
_MOST: Final = 160
"""Most characters of a running head."""
_MOST_NUMBERS: Final = 9
"""Most numbers of a row that are compared with its page's."""


class RunningRows:
    """The running heads and feet of a document.

    Args:
        pages: all its pages, as liteparse read them.
    """

    def __init__(self, pages: Sequence[ParsedPage]) -> None:
        self._edges: dict[int, tuple[Row, ...]] = {}
        found: dict[str, list[tuple[int, Row]]] = defaultdict(list)
        for page in pages:
            rows = rows_of(item for item in page.text_items if item.text.strip() and not item.rotation)
            edges = (rows[0], rows[-1]) if len(rows) > 1 else ()
            self._edges[page.page_num] = edges
            for row in edges:
                found[_key(row)].append((page.page_num, row))
        self._found = {
            key
            for key, places in found.items()
            if len(places) >= _FEWEST and (len(places) >= _SHARE * len(pages) or _has_page_number(places))
        }

    def holds(self, row: Row, page: ParsedPage) -> bool:
        """Return whether a row of a page is a running head or foot."""
        if _key(row) not in self._found:
            return False
        return any(abs(edge.bottom - row.bottom) < 1 for edge in self._edges[page.page_num])


def _key(row: Row) -> str:
    return _NUMBER.sub("#", row.text.casefold())[:_MOST]


def _has_page_number(places: Sequence[tuple[int, Row]]) -> bool:
    """Return whether a number in the rows runs with the pages."""
    distances = Counter(
        distance
        for page, row in places
        for distance in {int(number) - page for number in _NUMBER.findall(row.text)[:_MOST_NUMBERS]}
    )
    return max(distances.values(), default=0) >= _FEWEST
