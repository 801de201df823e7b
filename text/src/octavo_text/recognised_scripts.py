"""Lines of a recognised page in a script that the rest of the page does not have: strokes of a pen, stamps, specks.

A recogniser that can write several scripts takes a stroke through figures for an ideogram, and is sure of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from unicodedata import name

LONGEST = 16
"""Characters of such a line: a longer one is text in a second language."""
LEAST = 20
"""Letters that the rest of the page has in other scripts."""
_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"))
_ANY = frozenset(("GREEK", "MICRO", "MODIFIER", "FEMININE", "MASCULINE", "MATHEMATICAL"))
"""Letters that stand in texts of every script, as units and symbols."""


def stray_lines(lines: Sequence[str]) -> list[str]:
    """Return the short lines whose letters are all of a script that no other line of the page has.

    Args:
        lines: of one page.
    """
    counts: dict[str, int] = {}
    own = [list(_scripts(line)) for line in lines]
    for scripts in own:
        for script in scripts:
            counts[script] = counts.get(script, 0) + 1
    every = sum(counts.values())
    return [
        line.strip()
        for line, scripts in zip(lines, own, strict=True)
        if scripts
        and len(line.strip()) <= LONGEST
        and every - len(scripts) >= LEAST
        and all(counts[script] == sum(one == script for one in scripts) for script, _ in groupby(sorted(scripts)))
    ]


def _scripts(text: str) -> Iterator[str]:
    """Return the script of each letter, by the beginning of its Unicode name; Chinese, Japanese and Korean are one."""
    for char in text:
        if char.isalpha():
            script = name(char, "?").partition(" ")[0]
            if script not in _ANY:
                yield "CJK" if script in _EAST_ASIAN else script
