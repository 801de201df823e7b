"""Words of a page that lack letters or digits which other readings of the page have: `Ef ective`, and `⁄4` for a quarter."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from octavo_contracts import Page

from .tables.pipe_rows import is_row

AGREED: Final = 2
"""Fewest readings that have a word in its whole."""
_MOST_LOST: Final = 3
"""Most signs that a word lacks."""
_LONGEST: Final = 2
"""Most parts of a word between which a sign is lost."""
_FRACTION: Final = "\u2044"
_CORE: Final = re.compile(rf"[^\W_{_FRACTION}](?:\S*[^\W_])?|{_FRACTION}\S*[^\W_]")
"""A word without the marks around it."""
_NUMERATOR: Final = re.compile(rf"(?<=\d)\s+(?={_FRACTION}\d)")
"""What parts the number above a fraction's bar from the bar in some readings: it is set higher, and smaller."""
_LIGATURES: Final = frozenset({"ff", "fi", "fl", "ffi", "ffl"})

Between = Mapping[tuple[str, str], Collection[str]]
"""The words before and behind a place of a text → what stands between them, without blanks."""


@dataclass(frozen=True)
class _Loss:
    """A place of a text that lacks signs.

    Attributes:
        start: place of the first sign of the word.
        end: place behind the last one.
        whole: the word with all of its signs.
    """

    start: int
    end: int
    whole: str


def with_lost_letters(page: Page, others: Sequence[str]) -> tuple[Page, int]:
    """Return a page with the signs that its words lack, and the number of those words.

    A word is put right where at least two other readings agree on it, more than have it as the page does, and the words around it are
    the same.

    Args:
        page: complete, with its text.
        others: the texts of the other readings of the page.
    """
    if len(others) < AGREED:
        return page, 0
    witnesses = _Witnesses(others)
    losses = list(_losses(page.markdown, witnesses))
    if not losses:
        return page, 0
    markdown, text = _mended(page.markdown, losses), page.text or ""
    in_cells = {
        page.markdown[one.start : one.end]: one.whole
        for one in losses
        if is_row(page.markdown[page.markdown.rfind("\n", 0, one.start) + 1 :])
    }
    tables = tuple(
        one.model_copy(update={"rows": tuple(tuple(_in_cell(cell, in_cells) for cell in row) for row in one.rows)})
        for one in page.tables
    )
    update = {"markdown": markdown, "text": _mended(text, list(_losses(text, witnesses))), "tables": tables}
    return page.model_copy(update=update), len(losses)


class _Witnesses:
    """The other readings of a page.

    Args:
        texts: of the readings.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [_CORE.findall(_NUMERATOR.sub("", text)) for text in texts]
        self._known = [frozenset(words) for words in self._words]
        self._between: list[Between] | None = None

    def know(self, word: str) -> bool:
        """Return whether all but one of the readings have a word somewhere."""
        return sum(word not in known for known in self._known) < AGREED

    def whole(self, before: str, parts: str, behind: str) -> str | None:
        """Return the word that most readings have between two others in place of one that lacks signs; None if they do not agree."""
        if self._between is None:
            self._between = [_between(words) for words in self._words]
        found = Counter[str]()
        same = 0
        for between in self._between:
            here = between.get((before, behind), ())
            same += parts in here
            found.update(word for word in here if _lacks(parts, word))
        [(word, votes), *rest] = found.most_common() or [("", 0)]
        return word if not rest and votes >= AGREED and votes > same else None


def _between(words: Sequence[str]) -> Between:
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for count in range(1, _LONGEST + 1):
        for at in range(len(words) - count - 1):
            found[words[at], words[at + count + 1]].add("".join(words[at + 1 : at + count + 1]))
    return found


def _losses(text: str, witnesses: _Witnesses) -> Iterator[_Loss]:
    words = list(_CORE.finditer(text))
    at = 1
    while at < len(words) - 1:
        found = None if witnesses.know(words[at][0]) else _loss(text, words, at, witnesses)
        if found is not None:
            yield found
        at += 1
        while found is not None and at < len(words) and words[at].start() < found.end:
            at += 1


def _loss(text: str, words: Sequence[re.Match[str]], at: int, witnesses: _Witnesses) -> _Loss | None:
    """Return the word at a place, alone or with the one behind it, if it lacks signs."""
    for last in range(at, min(at + _LONGEST, len(words) - 1)):
        start, end = words[at].start(), words[last].end()
        parts = "".join(one[0] for one in words[at : last + 1])
        if text[start:end].replace(" ", "", last - at) != parts:
            return None
        whole = witnesses.whole(words[at - 1][0], parts, words[last + 1][0])
        if whole is not None:
            return _Loss(start, end, whole)
    return None


def _lacks(parts: str, whole: str) -> bool:
    """Return whether a word lacks letters within it or a ligature at its edge, or the number above a fraction's bar.

    Other letters and digits at an edge may be the mark of a footnote.
    """
    count = len(whole) - len(parts)
    if not 0 < count <= _MOST_LOST:
        return False
    for at in range(len(parts) + 1):
        lost = whole[at : at + count]
        if whole[:at] + whole[at + count :] == parts:
            is_edge = at in (0, len(parts))
            if lost.isalpha() and (lost in _LIGATURES or not is_edge):
                return True
            if lost.isdecimal() and whole[at + count : at + count + 1] == _FRACTION and not whole[:at][-1:].isdecimal():
                return True
    return False


def _mended(text: str, losses: Sequence[_Loss]) -> str:
    for one in reversed(losses):
        text = text[: one.start] + one.whole + text[one.end :]
    return text


def _in_cell(cell: str, wholes: Mapping[str, str]) -> str:
    for parts, whole in wholes.items():
        cell = re.sub(rf"(?<!\w){re.escape(parts)}(?!\w)", whole, cell)
    return cell
