"""File patterns, as in shells and ignore files."""

from __future__ import annotations

import re
from functools import cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[(!?)(\]?[^]]*)\]|.", re.DOTALL)
_SPECIAL = re.compile(r"[\\\[\]^&~|]")
"""Characters with another meaning in a character class of `re` than in one of a pattern; '-' has the same."""


def matches(path: str, pattern: str) -> bool:
    """Whether a path matches a pattern, ignoring case.

    A pattern without '/' is compared with the last component; any other with the whole path. `*` and `?` stop at '/',
    `**` does not.

    Args:
        path: relative to the given folder, separated by '/'.
        pattern: for example '*.pdf', 'letters/*.txt', 'archive/**'.
    """
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        path = path.rpartition("/")[2]
    return _compiled(pattern).fullmatch(path) is not None


def check(pattern: str) -> None:
    """Check that a pattern is valid.

    Raises:
        ValueError: it has a range that ends before it starts, such as '[z-a]'.
    """
    try:
        _compiled(pattern)
    except re.error as error:
        raise ValueError(f"invalid pattern {pattern!r}: {error}") from error


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
