"""Checkboxes of Word documents, which the engine writes as `[x]` in the text: items of task lists in markdown."""

from __future__ import annotations

import re

_PARAGRAPH = re.compile(r"^\[([ x])\][ \t]+(?=\S)", re.MULTILINE)
_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_IN_CELL = re.compile(r"(?<=\S)[ \t]+\[([ x])\][ \t]+(?=[^\s|])")


def with_tasks(markdown: str) -> str:
    """Return markdown with each paragraph that begins with a checkbox as an item of a task list, in cells of tables too.

    Args:
        markdown: as the engine writes it.
    """
    items = _PARAGRAPH.sub(r"- [\1] ", markdown)
    return _ROW.sub(lambda row: _IN_CELL.sub(r" - [\1] ", row[0]), items)
