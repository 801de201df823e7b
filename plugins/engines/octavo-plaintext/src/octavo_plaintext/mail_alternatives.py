"""Chooses among the alternatives of a message's body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from octavo_contracts import HiddenText, Table

LITTLE_SHARE = 0.2
"""A plain alternative with less than this share of the HTML's words is a stand-in, such as 'view in a browser'."""

COVERED_SHARE = 0.8
"""The HTML says what the plain alternative says if it has at least this share of its words."""

MORE_SHARE = 1.15
"""The HTML says more than the plain alternative if it has at least this multiple of its words."""

_WORD = re.compile(r"\w+")
_TARGET = re.compile(r"\]\(([^()\s]*)\)")
_HEADING_OR_ITEM = re.compile(r"(?m)^\s*(?:#{1,6} |- |\d{1,9}\. )")
_PLAIN_ITEM = re.compile(r"(?m)^\s*(?:[-*•·+#]|\d{1,3}[.)])\s")


class BodyText(NamedTuple):
    """A text of a message.

    Attributes:
        markdown: the text.
        tables: its data tables.
        hidden: what of it cannot be seen.
        plain: the words that a reader sees, without the targets of links.
    """

    markdown: str
    tables: tuple[Table, ...]
    hidden: tuple[HiddenText, ...]
    plain: str

    @property
    def words(self) -> int:
        """The number of words, link targets not counted."""
        return len(self.plain.split())


def seen_words(markdown: str) -> str:
    """Return markdown without the targets of its links."""
    return _TARGET.sub("] ", markdown)


def better(plain: BodyText, rich: BodyText) -> BodyText:
    """Return the alternative that holds more of the message.

    Plain text is preferred where both hold the same. The HTML is taken if the plain text is a stand-in, or if the HTML has the
    words of the plain text and, beyond them, a data table, more words, links whose targets the plain text does not name, or
    headings and list items that the plain text does not show.
    """
    if plain.words < LITTLE_SHARE * rich.words:
        return rich
    if not rich.words or _share(plain.plain, of=rich.markdown) < COVERED_SHARE:
        return plain
    if rich.tables or rich.words > MORE_SHARE * plain.words:
        return rich
    if any(target not in plain.plain for target in _named_targets(rich.markdown)):
        return rich
    items = len(_HEADING_OR_ITEM.findall(rich.markdown))
    return rich if items > len(_PLAIN_ITEM.findall(plain.plain)) else plain


def _named_targets(markdown: str) -> Sequence[str]:
    return [target.removeprefix("mailto:").rstrip("/") for target in _TARGET.findall(markdown)]


def _share(text: str, *, of: str) -> float:
    """Return the share of a text's words that another text has too."""
    wanted, given = Counter(_WORD.findall(text.casefold())), Counter(_WORD.findall(of.casefold()))
    return (wanted & given).total() / max(1, wanted.total())
