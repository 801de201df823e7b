"""File patterns, as in shells and ignore files."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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


def closed_folders(pattern: str) -> Iterator[str]:
    """Yield the folders that may hold files of a pattern of `glob` and may not be listed or entered.

    Args:
        pattern: for example 'papers/**/*.pdf'.
    """
    parts = Path(pattern).parts
    outer = next((count for count, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    seen = set()
    for count in range(max(outer, 1), len(parts)):
        for found in glob.iglob(os.path.join(*parts[:count], ""), recursive=True):
            folder = os.path.normpath(found)
            if folder not in seen and not os.access(folder, os.R_OK | os.X_OK):
                yield folder
            seen.add(folder)


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
