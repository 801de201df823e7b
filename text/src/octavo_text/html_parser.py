"""The standard library's HTML parser, hardened against malformed markup."""

from __future__ import annotations

from html.parser import HTMLParser


class LenientHTMLParser(HTMLParser):
    """Parses HTML of any shape without raising, whatever the document contains.

    Before Python 3.14, `HTMLParser` raises AssertionError on a marked section that SGML does not know (`<![foo[x]]>`).
    A browser takes it for a comment up to the next `>`, and so does this class.
    """

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Parse from a `<![`; return where the section ends, or -1 if the text ends first."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)


DROPPED = frozenset({"script", "style", "noscript", "template"})
"""Elements whose content is not text of the page."""


class ContentHTMLParser(LenientHTMLParser):
    """Parses the content of a page; counts the open elements of `DROPPED`.

    Character references are decoded. A subclass that overrides `handle_starttag` or `handle_endtag` calls this class's.

    Attributes:
        pieces: what a subclass collects.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._open_dropped = 0

    @property
    def is_dropping(self) -> bool:
        """Whether the parser is inside an element of `DROPPED`."""
        return self._open_dropped > 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element of `DROPPED` that opens."""
        if tag in DROPPED:
            self._open_dropped += 1

    def handle_endtag(self, tag: str) -> None:
        """Count an element of `DROPPED` that closes; a closing tag without an opening one has no effect."""
        if tag in DROPPED:
            self._open_dropped = max(0, self._open_dropped - 1)
