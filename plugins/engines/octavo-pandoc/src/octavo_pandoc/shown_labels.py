"""Labels of list items and headings as a document shows them, for what Pandoc does not read: `Section 1`, `1.2`, counts that go on.

In the file a paragraph begins with a mark, a word of its own. In Pandoc's tree the marks become labels again.
"""

from __future__ import annotations

import hashlib
from typing import Any

Block = dict[str, Any]
"""A block of Pandoc's tree: its type `t` and content `c`; a list with labels has them as `labels`, one or None for each item."""
_PARAGRAPHS = frozenset({"Para", "Plain"})


class ShownLabels:
    """The labels of a document.

    Args:
        content: what the labels are in. Its hash begins the marks, so that no text of it can be one.
    """

    def __init__(self, content: bytes) -> None:
        self._prefix = f"label{hashlib.sha256(content).hexdigest()[:24]}"
        self._labels: dict[str, str] = {}

    def mark(self, label: str) -> str:
        """Return the word that stands for a label at the beginning of a paragraph; a bullet is an empty label."""
        mark = f"{self._prefix}n{len(self._labels)}"
        self._labels[mark] = label
        return mark

    def put_back(self, blocks: list[Block]) -> None:
        """Replace the marks in Pandoc's tree: in lists by `labels`, in headings by text, and paragraphs by lists of one item."""
        waiting: list[Any] = [blocks] if self._labels else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict):
                self._resolve(node)
                waiting += node.values()
            elif isinstance(node, list):
                waiting += node

    def _resolve(self, node: Block) -> None:
        kind = node.get("t")
        if kind in {"BulletList", "OrderedList"} and "labels" not in node:
            items = node["c"] if kind == "BulletList" else node["c"][1]
            labels = [self._take(item[0]["c"]) if item and item[0]["t"] in _PARAGRAPHS else None for item in items]
            if any(label is not None for label in labels):
                node["labels"] = labels
        elif kind == "Header" and (label := self._take(node["c"][2])):
            node["c"][2][:0] = [{"t": "Str", "c": label}, {"t": "Space"}]
        elif kind in _PARAGRAPHS and (label := self._take(node["c"])) is not None:
            item = {"t": "Plain", "c": node["c"]}
            node.update(t="BulletList", c=[[item]], labels=[label])

    def _take(self, inlines: list[Any]) -> str | None:
        """Remove the mark at the beginning of a paragraph; return its label, or None if the paragraph has no mark."""
        match inlines:
            case [{"t": "Str", "c": str(text)}, *_] if text in self._labels:
                del inlines[: 2 if len(inlines) > 1 and inlines[1]["t"] == "Space" else 1]
                return self._labels[text]
            case _:
                return None
