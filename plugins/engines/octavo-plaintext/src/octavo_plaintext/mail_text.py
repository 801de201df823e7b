"""Plain text of mail as markdown: quotes of earlier messages and lists keep their marks."""

from __future__ import annotations

import re

from octavo_contracts.authoring import escape, escape_line_starts

_QUOTED = re.compile(r"^((?:>[ \t]?)+)(.*)$")
_BULLET = re.compile(r"^( {0,3})([-*•·+])[ \t]+(?=\S)")
_NUMBER = re.compile(r"^( {0,3})(\d{1,2})([.)])[ \t]+(?=\S)")
_INDENT = re.compile(r"^(?: {4}|\t| {1,3}\t)[ \t]*")
MAX_QUOTES = 20
"""Deepest quote that is kept as one; deeper ones are of this depth."""


def mail_to_markdown(text: str) -> str:
    """Convert the plain text of a mail.

    Lines that begin with `>` become block quotes of that depth, and lines that begin like a list item become items. All other
    text is escaped, so that it renders as written.

    Args:
        text: the decoded text, line ends as line feeds.
    """
    written: list[str] = []
    before = 0
    for line in text.split("\n"):
        quoted = _QUOTED.match(line)
        depth = min(quoted[1].count(">"), MAX_QUOTES) if quoted else 0
        content = _line((quoted[2] if quoted else line).rstrip())
        if depth != before:
            # Without a blank line the next one would belong to the quote before it.
            written.append("> " * min(depth, before))
        written.append("> " * depth + content)
        before = depth
    return re.sub(r"\n{3,}", "\n\n", "\n".join(entry.rstrip() for entry in written)).strip("\n")


def _line(line: str) -> str:
    line = _INDENT.sub("", line)
    if match := _BULLET.match(line):
        return f"{match[1]}- {escape_line_starts(escape(line[match.end() :]))}"
    if match := _NUMBER.match(line):
        return f"{match[1]}{match[2]}{match[3]} {escape_line_starts(escape(line[match.end() :]))}"
    return escape_line_starts(escape(line))
