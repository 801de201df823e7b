"""File patterns as shells and ignore files know them."""

from __future__ import annotations

import re
from functools import cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[(!?)(\]?[^]]*)\]|.", re.DOTALL)
_SPECIAL = re.compile(r"[\\\[\]^&~|]")
"""What means something else in a character class of `re` than in one of a pattern; '-' means the same."""


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern, whatever the case of its letters.

    A pattern without '/' is compared with the last component; any other with the whole path. `*` and `?` stop at '/',
    `**` does not.

    Args:
        path: relative to the folder that was given, parted by '/'.
        pattern: for example '*.pdf', 'letters/*.txt', 'archive/**'.
    """
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        path = path.rpartition("/")[2]
    return _compiled(pattern).fullmatch(path) is not None


def check(pattern: str) -> None:
    """Raise unless a pattern can be used.

    Raises:
        ValueError: it holds a range that ends before it starts, such as '[z-a]'.
    """
    try:
        _compiled(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no pattern: {error}") from error


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translated, _TOKEN.finditer(pattern.removeprefix("/")))), re.DOTALL | re.IGNORECASE)


def _translated(token: re.Match[str]) -> str:
    text = token[0]
    if text == "**/":
        return "(?:.*/)?"
    if text == "**":
        return ".*"
    if text == "*":
        return "[^/]*"
    if text == "?":
        return "[^/]"
    if token[2]:
        characters = _SPECIAL.sub(r"\\\g<0>", token[2])
        return f"(?!/)[{'^' if token[1] else ''}{characters}]"
    return re.escape(text)
