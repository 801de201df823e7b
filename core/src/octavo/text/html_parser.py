"""The standard library's HTML parser, made to read whatever a page holds."""

from __future__ import annotations

from html.parser import HTMLParser


class LenientHTMLParser(HTMLParser):
    """Parses HTML of any shape; nothing that a document holds makes it raise.

    Before Python 3.14, `HTMLParser` raises AssertionError on a marked section that SGML does not know (`<![foo[x]]>`).
    A browser takes it for a comment up to the next `>`, and so does this class.
    """

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Read from a `<![` on; returns where it ends, or -1 where the text ends first."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i)
