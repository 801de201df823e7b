"""Parts of rich text that Pandoc drops: notes, comments with what they are about, pictures, and the text of text boxes.

Deleted text of tracked changes, which Pandoc takes for text, is taken out and listed.

In the file a part keeps a mark alone, and its content follows the text behind a paragraph that names it. In Pandoc's tree the
marks become notes and comments, and the content of a text box follows the block that the box is anchored in.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from .inlines import Node
from .rich_groups import end_of_group, plain_text
from .rich_hidden import take_hidden
from .rich_tables import parted_tables

_PART = re.compile(
    rb"\{\s*(?:\\\*\s*)?\\(footnote|annotation|atnauthor|atrfstart|atrfend|shpgrp|shp|do|shppict|nonshppict|pict)(?![a-z])[ \r\n]?"
)
_BOX = re.compile(rb"\{\s*(?:\\\*\s*)?\\(?:shptxt|dptxbxtext)(?![a-z])[ \r\n]?")
_REFERENCE = re.compile(rb"\\atnref[ \r\n]*(\d{1,9})")
_DATE = re.compile(rb"\\atndate[ \r\n]*(\d{1,10})")
_SECTION = b"content"
"""Stands before a mark in the paragraph that its content follows."""
_DELETED = re.compile(rb"\{[^{}]*\\deleted(?![a-z\d])[^{}]*\}")
_DESCRIPTION = re.compile(rb"\{\s*\\sn[ \r\n]+wzDescription\s*\}\s*\{\s*\\sv[ \r\n]?")
_DEEPEST = 4
"""Parts within parts, such as a note of a text box; of deeper ones the text alone is kept."""
_BLOCKS = frozenset(
    {
        "Para", "Plain", "Header", "BlockQuote", "BulletList", "OrderedList", "DefinitionList", "Div", "Table", "LineBlock",
        "CodeBlock", "RawBlock", "HorizontalRule", "Null", "Figure",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Part:
    """What a mark stands for: a `note`, a `box`, an `image`, a `deletion`, a `comment`, a `gap` between tables, or where a comment's text begins (`start`) or ends (`end`).

    Attributes:
        told: number of the comment, alternative text of the image, or the deleted text.
    """

    kind: str
    told: str = ""


@dataclass(kw_only=True)
class _Comment:
    """A comment; `mark` begins its text, and is empty before it is met."""

    author: str = ""
    date: str = ""
    mark: str = ""


class RichParts:
    """The parts of a document.

    Args:
        data: the document. Its hash begins the marks, so that no text of it can be one.

    Attributes:
        document: the document with marks instead of its parts.
        hidden: text that a reader cannot see, taken out.
    """

    def __init__(self, data: bytes) -> None:
        prefix = self._prefix = f"part{hashlib.sha256(data).hexdigest()[:24]}n"
        self._mark = re.compile(rf"({prefix}\d+e)")
        self._parts: dict[str, _Part] = {}
        self._comments: dict[str, _Comment] = {}
        self._contents: list[tuple[str, bytes]] = []
        self._sections: dict[str, str] = {}
        self._author = ""
        data, self.hidden = take_hidden(_DELETED.sub(self._deletion, data))
        text = parted_tables(self._lifted(data, deep=0), self._new("gap").encode())
        if self._contents:
            end = len(text.rstrip(b"\x00 \r\n"))
            end -= text[:end].endswith(b"}")
            sections = b"".join(
                rb"\par\pard\plain %s%s\par {%s\par}" % (_SECTION, mark.encode(), part) for mark, part in self._contents
            )
            text = text[:end] + sections + text[end:]
        self.document = text

    def _deletion(self, group: re.Match[bytes]) -> bytes:
        return b"{%s}" % self._new("deletion", plain_text(group[0])).encode()

    def _lifted(self, data: bytes, *, deep: int) -> bytes:
        pieces: list[bytes] = []
        done = 0
        for start in _PART.finditer(data):
            if start.start() < done:
                continue
            end = end_of_group(data, start.start())
            if end == len(data) and deep == 0:
                break  # the document ends within the group
            mark = self._read(start[1], data[start.end() : end - 1], deep=deep)
            pieces += [data[done:end]] if mark is None else [data[done : start.start()], b"{%s}" % mark.encode()]
            done = end
        return b"".join(pieces) + data[done:]

    def _read(self, word: bytes, inside: bytes, *, deep: int) -> str | None:
        """Return what stands for a part in the text; None to leave the group as it is."""
        if word == b"atnauthor":
            self._author = plain_text(inside)
            return None
        if word in {b"atrfstart", b"atrfend"}:
            number = plain_text(inside)
            self._comments.setdefault(number, _Comment())
            return self._new("start" if word == b"atrfstart" else "end", number)
        if word == b"footnote":
            return self._content("note", inside, deep=deep)
        if word == b"annotation":
            return self._comment(inside, deep=deep)
        if word in {b"shppict", b"pict"}:
            return self._new("image", _described(inside))
        if word == b"nonshppict":
            return ""  # the same picture again, for older programs
        boxes = []
        done = 0
        for box in _BOX.finditer(inside):
            if box.start() >= done:
                done = end_of_group(inside, box.start())
                boxes.append(inside[box.end() : done - 1])
        if not any(map(plain_text, boxes)):
            return None
        return self._content("box", rb"\par ".join(boxes), deep=deep)

    def _comment(self, inside: bytes, *, deep: int) -> str:
        found = _REFERENCE.search(inside)
        number = found[1].decode() if found else f"without a number {len(self._parts)}"
        is_about = number in self._comments
        comment = self._comments.setdefault(number, _Comment())
        comment.author, self._author = self._author, ""
        if date := _DATE.search(inside):
            comment.date = _day(int(date[1]))
        comment.mark = self._content("text", inside, deep=deep)
        return "" if is_about else self._new("comment", number)

    def _new(self, kind: str, told: str = "") -> str:
        mark = f"{self._prefix}{len(self._parts)}e"
        self._parts[mark] = _Part(kind=kind, told=told)
        return mark

    def _content(self, kind: str, inside: bytes, *, deep: int) -> str:
        mark = self._new(kind)
        content = self._lifted(inside, deep=deep + 1) if deep < _DEEPEST else _unformatted(inside)
        self._contents.append((mark, content))
        self._sections[f"{_SECTION.decode()}{mark}"] = mark
        return mark

    def put_back(self, blocks: list[Node]) -> list[Node]:
        """Return the blocks of Pandoc's tree with the parts in their places."""
        text: list[Node] = []
        contents: dict[str, list[Node]] = {}
        into = text
        for block in blocks:
            match block:
                case {"t": "Para" | "Plain", "c": [{"t": "Str", "c": str(name)}]} if name in self._sections:
                    into = contents[self._sections[name]] = []
                case _:
                    into.append(block)
        places = _Places(self._mark, self._parts, self._comments, contents)
        # What is anchored where Pandoc reads nothing is shown at the end.
        return [*places.resolved(text, []), *places.left()]


class _Places:
    """Replaces the marks of a tree."""

    def __init__(
        self,
        mark: re.Pattern[str],
        parts: dict[str, _Part],
        comments: dict[str, _Comment],
        contents: dict[str, list[Node]],
    ) -> None:
        self._mark = mark
        self._parts = parts
        self._comments = comments
        self._contents = contents

    def resolved(self, nodes: list[Any], boxes: list[Node]) -> list[Any]:
        """Return siblings with their marks replaced; `boxes` receives the blocks of text boxes anchored among them."""
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, list):
                made.append(self.resolved(node, boxes))
            elif not isinstance(node, dict) or "c" not in node:
                made.append(node)
            elif node.get("t") == "Str":
                made += self._of_text(node, boxes)
            elif node.get("t") in _BLOCKS:
                own: list[Node] = []
                content = self._inside(node["c"], own)
                if content or not node["c"] or node["t"] not in {"Para", "Plain"}:
                    made.append({**node, "c": content})
                made += own
            else:
                made.append({**node, "c": self._inside(node["c"], boxes)})
        return made

    def left(self) -> list[Node]:
        """Return the contents that no mark has taken."""
        return [node for mark in list(self._contents) for node in self._content(mark)]

    def _inside(self, content: Any, boxes: list[Node]) -> Any:
        return self.resolved(content, boxes) if isinstance(content, list) else content

    def _of_text(self, node: Node, boxes: list[Node]) -> list[Node]:
        made: list[Node] = []
        for place, piece in enumerate(self._mark.split(str(node["c"]))):
            if place % 2:
                made += self._of_mark(piece, boxes)
            elif piece:
                made.append({"t": "Str", "c": piece})
        return made

    def _of_mark(self, mark: str, boxes: list[Node]) -> list[Node]:
        part = self._parts[mark]
        if part.kind == "note":
            return [{"t": "Note", "c": self._content(mark)}]
        if part.kind == "box":
            boxes += self._content(mark)
            return []
        if part.kind == "gap":
            return []
        if part.kind == "deletion":
            return [_span("", "deletion", [], [{"t": "Str", "c": part.told}])]
        if part.kind == "image":
            told = [{"t": "Str", "c": part.told}] if part.told else []
            return [{"t": "Image", "c": [["", [], []], told, ["data:image", ""]]}]
        comment = self._comments.get(part.told)
        if comment is None or not comment.mark:
            return []
        end = _span(part.told, "comment-end", [], [])
        if part.kind == "end":
            return [end]
        values = [["author", comment.author], ["date", comment.date]]
        start = _span(part.told, "comment-start", values, self._content(comment.mark))
        return [start] if part.kind == "start" else [start, end]

    def _content(self, mark: str) -> list[Node]:
        return self.resolved(self._contents.pop(mark, []), [])


def _span(identifier: str, name: str, values: list[list[str]], content: list[Node]) -> Node:
    return {"t": "Span", "c": [[identifier, [name], values], content]}


def _described(picture: bytes) -> str:
    """Return the alternative text of a picture; '' for none."""
    found = _DESCRIPTION.search(picture)
    if found is None:
        return ""
    start = picture.rindex(b"{", 0, found.end())
    return plain_text(picture[found.end() : end_of_group(picture, start) - 1])


def _unformatted(group: bytes) -> bytes:
    """Return the text of a group without the groups in it."""
    return "".join(letter if letter.isascii() else f"\\u{ord(letter)}?" for letter in plain_text(group)).encode()


def _day(packed: int) -> str:
    """Return the ISO 8601 day of a date of Word: minute, hour, day, month and years since 1900 in bits; '' for none."""
    day, month, year = packed >> 11 & 31, packed >> 16 & 15, 1900 + (packed >> 20 & 511)
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and day else ""
