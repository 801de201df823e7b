"""Lists in cells of OpenDocument texts: Pandoc reads lists everywhere but there, so they go to the end of the text and come back.

In the file a cell with a list keeps a mark alone, and its content follows the text behind a paragraph with the same mark.
In Pandoc's tree the content takes the place of the mark again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.etree import _Element

Block = dict[str, Any]
"""A block of Pandoc's tree: its type `t` and content `c`."""


class CellLists:
    """The contents of cells that stand at the end of a text while Pandoc reads it.

    Args:
        content: the part that the cells are in. Its hash begins the marks, so that no text of it can be one.
        end: element that the contents are appended to.
        paragraph: tag of a paragraph.
    """

    def __init__(self, content: bytes, *, end: _Element, paragraph: str) -> None:
        self._prefix = f"cell{hashlib.sha256(content).hexdigest()[:24]}"
        self._end = end
        self._paragraph = paragraph
        self._marks: set[str] = set()

    def take(self, cell: _Element, content: Iterable[_Element]) -> None:
        """Move the content of an emptied cell behind the text."""
        mark = f"{self._prefix}n{len(self._marks)}"
        self._marks.add(mark)
        for place in (cell, self._end):
            paragraph = place.makeelement(self._paragraph)
            paragraph.text = mark
            place.append(paragraph)
        self._end.extend(content)

    def put_back(self, blocks: list[Block]) -> list[Block]:
        """Return the blocks of Pandoc's tree with the contents in their cells."""
        text: list[Block] = []
        contents: dict[str, list[Block]] = {}
        into = text
        for block in blocks:
            if mark := self._mark([block]):
                into = contents[mark] = []
            else:
                into.append(block)
        waiting: list[Any] = [text, *contents.values()]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list) and (mark := self._mark(node)):
                node[:] = contents.get(mark, [])
            elif isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                waiting += node.values()
        return text

    def _mark(self, blocks: list[Any]) -> str | None:
        """Return the mark that is all the text of these blocks."""
        match blocks:
            case [{"t": "Para" | "Plain", "c": [{"t": "Str", "c": str(text)}]}] if text in self._marks:
                return text
            case _:
                return None
