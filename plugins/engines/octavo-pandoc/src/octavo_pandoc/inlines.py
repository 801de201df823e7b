"""Converts Pandoc's inline nodes to markdown and to plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from octavo_contracts import HiddenText
from octavo_contracts.authoring import code_span, collapse, escape, link, wrap

from .attributes import Attributes, classes, hidden_text, hides, value
from .raw_html import sifted
from .remarks import CHANGES, Review

Node = dict[str, Any]

HARD_BREAK = "\\\n"
"""A line break that markdown keeps."""

_MARKS = {"Emph": "*", "Strong": "**", "Strikeout": "~~"}
_BLANKS = {"Space": " ", "SoftBreak": " ", "LineBreak": HARD_BREAK}
_QUOTES = {"SingleQuote": "‘’", "DoubleQuote": "“”"}
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_RAISABLE = frozenset("0123456789+-−=()n ")
_TAG = re.compile(r"<[^>]*>")
_WEB = ("http://", "https://", "mailto:", "ftp://")


class InlineWriter:
    """Writes inline nodes; gathers what belongs elsewhere.

    Args:
        blocks: how to write the blocks of a footnote.
        alternatives: alternative texts of images that Pandoc does not read, by their address; those of an image that is met
            again follow each other.

    Attributes:
        review: tracked changes and comments.
        hidden: text that cannot be seen.
        notes: footnotes as markdown, in order.
        has_images: whether an image was met.
    """

    def __init__(self, blocks: Callable[[list[Node]], str], *, alternatives: Mapping[str, list[str]]) -> None:
        self.review = Review()
        self.hidden: list[HiddenText] = []
        self.notes: list[str] = []
        self.has_images = False
        self._blocks = blocks
        self._alternatives = {address: list(texts) for address, texts in alternatives.items()}

    def markdown(self, nodes: Iterable[Node]) -> str:
        """Nodes as markdown of one line; hard breaks are the only line ends in it."""
        return "".join(map(self._one, self.seen(nodes)))

    def seen(self, nodes: Iterable[Node]) -> Sequence[Node]:
        """Sibling nodes less what HTML among them hides, which is kept apart."""
        return sifted(nodes, plain=lambda inside: plain(inside, hidden=True), hide=self.hide)

    def _one(self, node: Node) -> str:
        kind: str = node["t"]
        content: Any = node.get("c")
        if kind == "Str":
            self.review.saw(content)
            return escape(content)
        if kind in _BLANKS:
            self.review.saw(" ")
            return _BLANKS[kind]
        if kind in _MARKS:
            return wrap(self.markdown(content), _MARKS[kind])
        if kind in ("SmallCaps", "Underline"):
            return self.markdown(content)
        method: Callable[[Any], str] = getattr(self, f"_{kind.lower()}")
        return method(content)

    def _superscript(self, content: list[Node]) -> str:
        # A power must not become part of its base: 10⁶ is not 106.
        text = self.markdown(content)
        if all(node["t"] == "Note" for node in content):
            return text
        return text.translate(_RAISED) if _RAISABLE.issuperset(text) else _tagged(text, "sup")

    def _subscript(self, content: list[Node]) -> str:
        return _tagged(self.markdown(content), "sub")

    def _quoted(self, content: list[Any]) -> str:
        opening, closing = tuple(_QUOTES[content[0]["t"]])
        return f"{opening}{self.markdown(content[1])}{closing}"

    def _cite(self, content: list[Any]) -> str:
        return self.markdown(content[1])

    def _code(self, content: list[Any]) -> str:
        self.review.saw(content[1])
        return code_span(content[1])

    def _math(self, content: list[Any]) -> str:
        self.review.saw(content[1])
        mark = "$$" if content[0]["t"] == "DisplayMath" else "$"
        return f"{mark}{' '.join(content[1].split())}{mark}"

    def _rawinline(self, content: list[str]) -> str:
        return escape(raw_text(content))

    def _link(self, content: list[Any]) -> str:
        label, url = self.markdown(content[1]), content[2][0]
        return link(label, url) if label.strip() and url.lower().startswith(_WEB) else label

    def _image(self, content: list[Any]) -> str:
        self.has_images = True
        name = content[2][0].rpartition("/")[2]
        told = self.markdown(content[1])
        if not told and (texts := self._alternatives.get(content[2][0])):
            told = escape(collapse(texts.pop(0)))
        return "!" + link(told, "image" if content[2][0].startswith("data:") else name)

    def _note(self, content: list[Node]) -> str:
        self.notes.append("")
        place = len(self.notes)
        self.notes[place - 1] = self._blocks(content)
        return f"[^{place}]"

    def _span(self, content: list[Any]) -> str:
        attributes: Attributes = content[0]
        named = classes(attributes)
        if kind := next((one for one in CHANGES if one in named), None):
            return self._change(kind, attributes, content[1])
        author, date, identifier = (value(attributes, key) for key in ("author", "date", "id"))
        if "comment-start" in named:
            self.review.open_comment(identifier, author=author, date=date, text=plain(content[1]))
            return ""
        if "comment-end" in named:
            self.review.close_comment(identifier)
            return self.markdown(content[1])
        if hides(attributes):
            return self.hide(plain(content[1], hidden=True))
        return self.markdown(content[1])

    def _change(self, kind: str, attributes: Attributes, content: list[Node]) -> str:
        author, date = value(attributes, "author"), value(attributes, "date")
        written = self.markdown(content) if kind == "insertion" else ""
        self.review.change(CHANGES[kind], author=author, date=date, text=plain(content))
        return written

    def hide(self, text: str) -> str:
        """Set text aside and return '' in its place."""
        if text.strip():
            self.hidden.append(hidden_text(text.strip()))
        return ""


def raw_text(content: list[str]) -> str:
    """What is to be read in a piece of another markup: the text between tags, or the source of a formula."""
    markup, text = content
    return text if markup in ("tex", "latex") else _TAG.sub("", text)


def plain(nodes: Any, *, hidden: bool = False) -> str:
    """The text of nodes, inline or block, without marks; paragraphs are parted by a blank.

    Args:
        nodes: any part of the tree.
        hidden: whether what cannot be seen is part of it.
    """
    pieces: list[str] = []
    _gather(nodes, pieces, hidden=hidden)
    return "".join(pieces)


_LEAVES = {"Space": " ", "SoftBreak": " ", "LineBreak": "\n"}
_ENDS = frozenset(("Para", "Plain", "Header", "LineBlock", "CodeBlock"))
_ASIDE = frozenset(("deletion", "comment-start"))


def _gather(node: Any, pieces: list[str], *, hidden: bool) -> None:
    if isinstance(node, list):
        for one in node:
            _gather(one, pieces, hidden=hidden)
        return
    if not isinstance(node, dict):
        return
    kind: str = node.get("t", "")
    content: Any = node.get("c")
    if kind == "Str":
        pieces.append(str(content))
    elif kind in _LEAVES:
        pieces.append(_LEAVES[kind])
    elif kind in ("Code", "Math", "CodeBlock"):
        pieces.append(content[1])
    elif kind in ("RawInline", "RawBlock"):
        pieces.append(raw_text(content))
    elif kind in ("Span", "Div"):
        if hidden or not (hides(content[0]) or classes(content[0]) & _ASIDE):
            _gather(content[1], pieces, hidden=hidden)
    elif kind != "Note":
        _gather(content, pieces, hidden=hidden)
    if kind in _ENDS and pieces and pieces[-1] != " ":
        pieces.append(" ")


def _tagged(text: str, tag: str) -> str:
    """Put an HTML element around a text, which markdown has no marks for."""
    return f"<{tag}>{text}</{tag}>" if text.strip() else text
