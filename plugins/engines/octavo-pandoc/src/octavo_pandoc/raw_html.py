"""Handles raw HTML that Pandoc keeps in wiki text, notebooks and reStructuredText: visible text and hidden parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html.parser import HTMLParser
from typing import Any

from .attributes import hides

_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_NO_TEXT = frozenset({"script", "style"})
_RAW = ("RawBlock", "RawInline")


def sifted(
    nodes: Iterable[dict[str, Any]], *, plain: Callable[[Sequence[dict[str, Any]]], str], hide: Callable[[str], object]
) -> Sequence[dict[str, Any]]:
    """Sibling nodes without what stands between tags that hide it.

    Pandoc gives `<div hidden>` and its end tag as nodes of their own, with what is between them as siblings.

    Args:
        nodes: blocks, or inlines of one line.
        plain: the text of nodes.
        hide: takes a text that is hidden.

    Returns:
        The nodes; those of HTML hold the text that they show, and no tags.
    """
    given = list(nodes)
    if not any(_is_html(node) for node in given):
        return given
    tags, shown, hidden = _Tags(), list[dict[str, Any]](), list[str]()
    for node in given:
        if _is_html(node):
            seen, unseen = tags.read(node["c"][1])
            shown.append({"t": node["t"], "c": ["html", seen]})
            hidden.append(unseen)
        elif tags.is_hiding:
            hidden.append(plain([node]))
        else:
            shown.append(node)
        if hidden and not tags.is_hiding:
            hide("".join(hidden))
            hidden = []
    hide("".join(hidden))
    return shown


def _is_html(node: dict[str, Any]) -> bool:
    return node["t"] in _RAW and str(node["c"][0]).startswith("html")


class _Tags(HTMLParser):
    """Which elements are open, over several pieces of one text."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self._shown: list[str] = []
        self._hidden: list[str] = []

    @property
    def is_hiding(self) -> bool:
        """Whether what follows is not seen."""
        return any(hiding for _, hiding in self._open)

    def read(self, text: str) -> tuple[str, str]:
        """A piece: the text that it shows, and the text that it hides."""
        self._shown, self._hidden = [], []
        self.feed(text)
        self.close()  # gives what it holds back; the open elements stay
        return "".join(self._shown), "".join(self._hidden)

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Take a marked section that SGML does not know for a comment: Python before 3.14 raises AssertionError."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._open.append((tag, hides(["", [], [(name, value or "") for name, value in attrs]])))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""

    def handle_endtag(self, tag: str) -> None:
        last = next((place for place in reversed(range(len(self._open))) if self._open[place][0] == tag), None)
        if last is not None:
            del self._open[last:]

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] in _NO_TEXT:
            return
        (self._hidden if self.is_hiding else self._shown).append(data)
