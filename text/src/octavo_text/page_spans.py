"""Names the pages of a message."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate

NAMED = 200
"""Maximum number of characters of the pages that are named; the others are counted."""


def pages_text(pages: Collection[int], *others: str) -> str:
    """Name pages, such as `page 3` or `pages 1 and 6–9`."""
    return f"page{'s' if len(pages) > 1 else ''} {page_spans(pages, *others)}"


def page_spans(pages: Collection[int], *others: str) -> str:
    """Name pages by spans, such as `1 and 6–9`, and count those that are not named.

    Args:
        pages: numbers of pages, at least one.
        others: what is named behind them.
    """
    from octavo_contracts.markers import page_ranges

    spans = page_ranges(sorted(pages)).replace("-", "–").split(",")
    kept = sum(length <= NAMED for length in accumulate(len(span) + 2 for span in spans))
    left = sum(page > int(spans[kept - 1].rpartition("–")[2]) for page in pages)
    *told, last = [*spans[:kept], *([f"{left} more"] if left else []), *others]
    return f"{', '.join(told)} and {last}" if told else last
