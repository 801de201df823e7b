"""Renders recognised text as markdown: large print as headings, bullets as lists, all else as it stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from octavo_contracts.authoring import escape, escape_line_starts

from .recognised_bullets import beginning, lists_of, placed_words
from .recognised_headings import page_headings

if TYPE_CHECKING:
    from octavo_contracts import OCRResult

_BULLET = re.compile(r"[\u2022\u25cf\u25aa\u25e6\u2023\u00b7]\s+(?=\S)")


def page_markdown(text: str, result: OCRResult) -> str:
    """Return the text of a recognised page as markdown, with headings and lists.

    Args:
        text: of the page, its broken words joined.
        result: with the text as it was recognised, and the places of its words.
    """
    said = result.extracted_text
    lists = lists_of(said, placed_words(result))
    of_items = {line.strip() for number, line in enumerate(said.splitlines()) if number in lists.continued}
    headings = page_headings(result)
    levels = {line: level for line, level in headings.levels.items() if line not in of_items}
    return as_markdown(text, levels, lists.bullets, headings.continued)


def as_markdown(
    text: str,
    headings: Mapping[str, int] = MappingProxyType({}),
    bullets: Collection[str] = frozenset(),
    continued: Collection[tuple[str, str]] = frozenset(),
) -> str:
    """Return recognised text as markdown that shows it unchanged: paragraphs and lines are kept, markup is inert.

    Args:
        text: paragraphs with an empty line between them.
        headings: lines that are headings, with their levels; see `headings_of`.
        bullets: beginnings of lines whose first word is a bullet; see `lists_of`.
        continued: pairs of lines that are one heading; see `page_headings`.
    """
    blocks: list[str] = []
    before = ""
    for part in text.split("\n\n"):
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        start = 0
        for at, line in enumerate(lines):
            if line in headings:
                blocks += [written] if (written := _written(lines[start:at], bullets)) else []
                if (before, line) in continued and before in headings and start == at:
                    blocks[-1] += f" {escape(line)}"
                else:
                    blocks.append(f"{'#' * headings[line]} {escape(line)}")
                start = at + 1
            before = line
        blocks += [written] if (written := _written(lines[start:], bullets)) else []
    return "\n\n".join(blocks)


def _written(lines: Sequence[str], bullets: Collection[str]) -> str:
    """Write the lines of a paragraph; a line with a bullet is an item of a list."""
    return "\n".join(
        f"- {escape(item)}" if (item := _item(line, bullets)) else escape_line_starts(escape(line)) for line in lines
    )


def _item(line: str, bullets: Collection[str]) -> str:
    """Return the text of an item of a list; empty for another line."""
    if beginning(line) in bullets:
        return line.split(maxsplit=1)[1]
    found = _BULLET.match(line)
    return line[found.end() :] if found else ""
