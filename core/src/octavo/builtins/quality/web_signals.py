"""Signs that a web page's conversion contains more than the article: menus, and teasers of other pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .evidence_pairs import CLOSE_WHOLE

_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300})\]\([^()\n]{0,2000}\)")
_CUT_OFF = re.compile(r"(?:…|\.\.\.)[\W_]*$")
_END = 60
"""Characters at a line's end in which an ellipsis of a truncated teaser is searched."""
_MARKS = " *-#|>+.0123456789"


def on_web(markdowns: Sequence[str]) -> dict[str, float]:
    """Compute how much of the text belongs to the site instead of the page."""
    lines = [line for markdown in markdowns for line in markdown[:CLOSE_WHOLE].splitlines() if line.strip()]
    if not lines:
        return {"links": 0.0}
    return {
        "links": _menus(lines),
        "page_pictures": min(1.0, 5 * sum("![" in line for line in lines) / len(lines)),
        "teasers": min(1.0, 5 * sum(_CUT_OFF.search(line[-_END:]) is not None for line in lines) / len(lines)),
    }


def _menus(lines: Sequence[str]) -> float:
    """Return five times the share of text in lines that are mostly links: menus and teasers, not the article."""
    total = dense = 0
    for line in lines:
        shown = _LINK.sub(lambda found: "" if found[1] else found[2], line).strip(_MARKS)
        linked = sum(len(found[2]) for found in _LINK.finditer(line) if not found[1])
        total += len(shown)
        dense += len(shown) if 2 * linked > len(shown) else 0
    return min(1.0, 5 * dense / total) if total else 0.0
