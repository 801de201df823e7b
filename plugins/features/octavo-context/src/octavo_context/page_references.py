"""Parsers for page lists and for pages and sections named in a message (CTX-2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from octavo_contracts import UsageError
from octavo_text.document_pages import DocumentPage

_LISTED: Final = re.compile(r"\s*(-?\d{1,9})\s*(?:[-–]\s*(\d{1,9}))?\s*")
_NUMBERS: Final = r"\d{1,5}(?:\s*(?:[-–,&]|,?\s*and\s|,?\s*und\s|to\s)\s*\d{1,5})*"
_NAMED: Final = re.compile(
    rf"\b(?:pages?|pgs?\.?|pp?\.|slides?|sheets?|seiten?|S\.)\s*(?:no\.?\s*)?(?P<numbers>{_NUMBERS})(?!\d|\.\d|:\d)",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"(\d{1,5})\s*(?:[-–]|to)\s*(\d{1,5})|(\d{1,5})")
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_NUMBERED: Final = re.compile(
    r"\b(?:section|item|chapter|article|part|§+|kapitel|abschnitt)\s*(\d+(?:\.\d+)*[a-z]?)\b", re.IGNORECASE
)
_LEAST_HEADING: Final = 6
"""Fewest letters of a heading for it to match in a message; shorter ones match by chance."""
_WIDEST: Final = 10_000


def parse_pages(text: str, *, page_count: int | None = None) -> tuple[int, ...]:
    """Parse a page list such as `3,7-9` into sorted page numbers.

    Args:
        text: the list.
        page_count: number of pages of the document; None if not known yet.

    Raises:
        UsageError: the list is malformed, or a page does not exist.
    """
    pages: set[int] = set()
    for part in text.split(","):
        found = _LISTED.fullmatch(part)
        if found is None:
            raise UsageError(f"{part.strip()!r} is not a page number", remedy="Give pages as in 3,7-9")
        first = int(found.group(1))
        last = int(found.group(2)) if found.group(2) else first
        if last < first:
            raise UsageError(f"the range {first}-{last} runs backwards", remedy=f"Give {last}-{first}")
        if last - first >= _WIDEST:
            raise UsageError(f"the range {first}-{last} is longer than {_WIDEST} pages")
        pages.update(range(first, last + 1))
    return check_pages(pages, page_count=page_count)


def check_pages(
    pages: Sequence[int] | set[int], *, page_count: int | None, source: str | None = None
) -> tuple[int, ...]:
    """Check page numbers; return them sorted without duplicates.

    Raises:
        UsageError: a page is below 1 or beyond the last page, or the list is empty.
    """
    ordered = sorted(set(pages))
    if not ordered:
        raise UsageError(
            "no page is given", source=source, remedy="Give pages as in 3,7-9, or none to leave the choice"
        )
    if ordered[0] < 1:
        raise UsageError(f"there is no page {ordered[0]}; pages count from 1", source=source)
    if page_count is not None and ordered[-1] > page_count:
        raise UsageError(f"there is no page {ordered[-1]}; it has {page_count}", source=source)
    return tuple(ordered)


@dataclass(frozen=True, kw_only=True)
class NamedPlaces:
    """Pages and sections of a document that a message names.

    Attributes:
        pages: existing pages, from 1.
        beyond: named pages that the document does not have.
        sections: named headings; `pages` includes their pages.
    """

    pages: tuple[int, ...] = ()
    beyond: tuple[int, ...] = ()
    sections: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        """Whether the message names a page or section of the document."""
        return bool(self.pages)


def named_places(message: str, pages: Sequence[DocumentPage], *, is_paged: bool) -> NamedPlaces:
    """Find the pages and sections that a message names.

    Args:
        message: the user's message.
        pages: pages of the document.
        is_paged: whether the document has real pages; if not, only sections are matched.
    """
    numbers = _numbers(message) if is_paged else set()
    found = {number for number in numbers if 1 <= number <= len(pages)}
    sections: list[str] = []
    said, ordinals = _plain(message), {one.lower() for one in _NUMBERED.findall(message)}
    for page in pages:
        for heading in _HEADING.findall(page.markdown):
            if _is_named(heading, said, ordinals):
                sections.append(heading.strip())
                found.add(page.number)
    return NamedPlaces(
        pages=tuple(sorted(found)), beyond=tuple(sorted(numbers - found - {0})), sections=tuple(dict.fromkeys(sections))
    )


def _numbers(message: str) -> set[int]:
    found: set[int] = set()
    for match in _NAMED.finditer(message):
        for first, last, single in _RANGE.findall(match.group("numbers")):
            if single:
                found.add(int(single))
            elif int(first) <= int(last) < int(first) + _WIDEST:
                found.update(range(int(first), int(last) + 1))
    return found


def _is_named(heading: str, said: str, ordinals: set[str]) -> bool:
    words = _plain(heading)
    if len(words) >= _LEAST_HEADING and f" {words} " in f" {said} ":
        return True
    number = re.match(r"(?:section|item|chapter|article|part|§+)?\s*(\d+(?:\.\d+)*[a-z]?)\b", heading, re.IGNORECASE)
    return number is not None and number.group(1).lower() in ordinals


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
