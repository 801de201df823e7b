"""A small tree of HTML: as forgiving as mail needs, never deeper than `MAX_DEPTH`, never slower than linear.

The standard library's parser is not used: it reads the rest of the file again for each tag that does not end,
and a mail of 200 KB can keep it busy for minutes.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.entities import html5

MAX_DEPTH = 100
"""Deepest element kept; what nests deeper is read as if its tags were not there, its text is kept."""

SILENT = frozenset(("script", "style", "template", "noscript", "title", "head", "svg", "object", "iframe"))
"""Elements whose text is not part of the document."""

MAX_TAG = 10_000
"""Longest tag, in characters; a longer one is text. Bounds what a tag that does not end can cost."""

MAX_FAILURES = 200
"""How often a tag may fail to end before only short ones are looked for."""

_REACH = 50
"""How many open elements an end tag may close at once; keeps a flood of stray end tags cheap."""

_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))
_CLOSED_BY = {
    "p": ("p",),
    "li": ("li",),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("tr", "td", "th"),
    "dt": ("dt", "dd"),
    "dd": ("dt", "dd"),
}
_CLOSES_PARAGRAPH = frozenset(
    ("blockquote", "div", "dl", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "pre", "section", "table", "ul")
)
_SCOPES = frozenset(("table", "ul", "ol", "dl", "body", "html", "div", "blockquote"))

_RAW = frozenset(("script", "style"))

_TAG = re.compile(r"""<(/?)([A-Za-z][^\s/<>]*+)((?:[^>"']|"[^"]*+"|'[^']*+')*+)>""")
_BARE_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*+)([^<>]*+)>")
_DECLARATION = re.compile(r"<[!?][^<>]*+>")
_ATTRIBUTE = re.compile(r"""([^\s=/"'<>]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"']\S*+))?""")
_REFERENCE = re.compile(r"&(#[0-9]++;?|#[xX][0-9A-Fa-f]++;?|[A-Za-z][A-Za-z0-9]*+(?:;|(?![A-Za-z0-9=])))")
_DATA_URI = re.compile(r"""(data:[\w/+.;=-]{0,100},)[^"'\s<>]{500,}+""")


@dataclass
class Node:
    """An element.

    Attributes:
        tag: its name, lower case.
        attributes: by lower-case name.
        children: elements and texts in order.
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)


def parse(text: str) -> Node:
    """Parse markup into one root element; never fails.

    Args:
        text: the markup, decoded.
    """
    builder = _Builder()
    builder.read(_DATA_URI.sub(r"\1", _without_comments(text)))
    return builder.root


def _without_comments(text: str) -> str:
    """Drop comments in one pass.

    A comment that never ends hides the rest of the mail in a browser. Here the rest is kept: losing text is worse.
    """
    pieces: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join([*pieces, text[position:].replace("<!--", " ")])
        pieces.append(text[position:start])
        position = end + 3
    return "".join([*pieces, text[position:]])


class _Builder:
    def __init__(self) -> None:
        self.root = Node("html")
        self._open = [self.root]
        self._ignored: list[str] = []
        self._pending: list[str] = []

    def read(self, text: str) -> None:
        """Walk the markup once, from one `<` to the next."""
        position = failures = 0
        while (start := text.find("<", position)) >= 0:
            self._text(text[position:start])
            reach = start + (MAX_TAG if failures < MAX_FAILURES else MAX_TAG // 50)
            tag = _TAG.match(text, start, reach) or _BARE_TAG.match(text, start, reach)
            if tag is None:
                failures += 1
                declaration = _DECLARATION.match(text, start, start + MAX_TAG)
                position = declaration.end() if declaration else start + 1
                self._text("" if declaration else "<")
                continue
            self._end_text()
            name, position = tag[2].lower(), tag.end()
            if tag[1]:
                self._end(name)
            elif name in _RAW:
                end = re.compile(rf"</{name}\b[^<>]*+>?", re.IGNORECASE).search(text, position)
                position = end.end() if end else len(text)
            else:
                self._start(name, tag[3])
        self._text(text[position:])
        self._end_text()

    def _start(self, tag: str, attributes: str) -> None:
        """Open an element; some close what stands open before them."""
        if tag in {"html", "body"}:
            return
        if tag in _CLOSED_BY:
            self._close_open(_CLOSED_BY[tag])
        elif tag in _CLOSES_PARAGRAPH:
            self._close_open(("p",))
        node = Node(tag, _attributes(attributes))
        if tag in _VOID:
            self._open[-1].children.append(node)
        elif len(self._open) >= MAX_DEPTH:
            self._ignored.append(tag)
            self._open[-1].children.append(" ")
        else:
            self._open[-1].children.append(node)
            self._open.append(node)

    def _end(self, tag: str) -> None:
        """Close the element and what still stands open in it; one that is not open is no matter."""
        if self._ignored:
            if self._ignored[-1] == tag:
                self._ignored.pop()
                self._open[-1].children.append(" ")
            return
        for back in range(1, min(len(self._open) - 1, _REACH) + 1):
            if self._open[-back].tag == tag:
                del self._open[-back:]
                return

    def _text(self, text: str) -> None:
        """Note text; what no tag parts is one text."""
        if text:
            self._pending.append(text)

    def _end_text(self) -> None:
        """Text belongs to the innermost open element."""
        if self._pending:
            self._open[-1].children.append(html.unescape("".join(self._pending)))
            self._pending.clear()

    def _close_open(self, tags: tuple[str, ...]) -> None:
        """Close the nearest of `tags` that is open in the same list, table or block."""
        for back in range(1, min(len(self._open) - 1, _REACH) + 1):
            node = self._open[-back]
            if node.tag in tags:
                del self._open[-back:]
                if node.tag in {"td", "th"} and "tr" in tags:
                    self._close_open(("tr",))
                return
            if node.tag in _SCOPES:
                return


def _attributes(text: str) -> dict[str, str]:
    """Attributes by lower-case name; where a name stands twice, the first counts, as in a browser."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match[2] or ""
        if value[:1] in {'"', "'"}:
            value = value[1:-1]
        found.setdefault(match[1].lower(), _REFERENCE.sub(_referred, value))
    return found


def _referred(reference: re.Match[str]) -> str:
    """Return the sign that a reference in the value of an attribute stands for, or the reference if it stands for none.

    Without its semicolon, a name is one only where neither a letter, a figure nor `=` follows: `?a=1&reg=2` has two parameters.
    """
    if reference[1].startswith("#"):
        return html.unescape(reference[0])
    return html5.get(reference[1], reference[0])
