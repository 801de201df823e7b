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
