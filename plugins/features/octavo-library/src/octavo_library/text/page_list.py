"""Lists of page numbers as users write them."""

from __future__ import annotations

import re

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def page_list(text: str, *, most: int = 1_000_000) -> tuple[int, ...] | None:
    """Page numbers such as 3-5,8, ascending, each once; None if the text is no such list.

    Args:
        text: the list; spaces have no meaning.
        most: a list with a longer range, or with more pages before its last range, is refused.
    """
    numbers: set[int] = set()
    for part in text.replace(" ", "").split(","):
        found = _RANGE.fullmatch(part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last or last - first >= most or len(numbers) > most:
            return None
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))
