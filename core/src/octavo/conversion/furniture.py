"""Keeps running heads, feet and page numbers apart from the text of their pages.

Such a line repeats at the edge of pages near each other, word for word, or with a number that runs with the pages. It moves
to the field `furniture` of its page, so that no sentence, digest or chunk has it in its middle. A line that the markdown and
the plain text do not both have at the same edge stays in both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from octavo_contracts import Conversion, Page
from octavo_text.deadline import checkpoint

from ..settings.furniture import FURNITURE_APART, FurnitureSettings

MAX_LINES = 3
"""Maximum number of such lines at an edge. Where more repeat, the pages are copies of one form, and all of it is text."""
MAX_CHARS = 160
"""Longer lines are text: a notice that is repeated is no running head."""
WINDOW = 2
"""The pages with a line stand at most this many pages apart on average: left and right pages alternate."""

_NUMBER = re.compile(r"[0-9]{1,5}|(?<![^\W_])[ivxlc]{1,8}(?![^\W_])", re.ASCII)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Edge = Sequence[str]
"""Lines of a page from an edge inwards."""


def with_furniture_apart(
    conversion: Conversion, *, recognised: Collection[int] = (), settings: FurnitureSettings = FURNITURE_APART
) -> Conversion:
    """Move the furniture of each page to its field `furniture`; applying it again changes nothing.

    Args:
        conversion: complete, with a text on every page.
        recognised: pages with recognised text, which stay as they are: their spelling differs from page to page.
        settings: whether furniture is kept apart, and what counts as such.
    """
    pages = conversion.pages
    if not (settings.apart and conversion.paginated and len(pages) >= settings.min_pages):
        return conversion
    if any(page.kind != "page" for page in pages):
        return conversion
    known = _repeated([page for page in pages if page.number not in recognised], settings.min_pages)
    if not known:
        return conversion
    made = tuple(page if page.number in recognised else _parted(page, known) for page in pages)
    return conversion.model_copy(update={"pages": made})


def _repeated(pages: Sequence[Page], least: int) -> frozenset[str]:
    """Return the keys of lines that repeat at the edges of enough pages near each other."""
    places: dict[str, list[int]] = defaultdict(list)
    paired: dict[tuple[str, str], list[int]] = defaultdict(list)
    for page in pages:
        checkpoint()
        lines = _lines(page.text or "")
        edges = chain(lines[: MAX_LINES + 1], lines[-MAX_LINES - 1 :], page.furniture)
        for key in {key for line in edges for key in _keys(line, page.number)}:
            places[key].append(page.number)
        for edge in (lines[:2], lines[-2:]) if len(lines) > 2 else ():
            paired[_pair(edge, page.number)].append(page.number)
    reach = WINDOW * (least - 1) + 1
    alone = (
        key
        for key, found in places.items()
        if any(last - first <= reach for first, last in zip(found, found[least - 1 :], strict=False))
    )
    return frozenset((*alone, *chain.from_iterable(pair for pair, found in paired.items() if len(found) > 1))) - {""}


def _pair(edge: Edge, page: int) -> tuple[str, str]:
    """Return the keys of a line of words beside a page number, which two pages vouch for; or a pair of empty keys."""
    keys = [next(_keys(line, page), "") for line in edge]
    words, numbers = [key for key in keys if "\0" not in key], [key for key in keys if "\0" in key]
    return (words[0], numbers[0]) if len(words) == len(numbers) == 1 and words[0] else ("", "")


def _lines(text: str) -> list[str]:
    return [line for line in map(str.strip, text.split("\n")) if line]


def _keys(line: str, page: int) -> Iterator[str]:
    """Yield what a line is compared by: its words, and its words with one number as its distance from the page's.

    A line without a word is compared by its numbers alone: they have to run with the pages.
    """
    if len(line) > MAX_CHARS:
        return
    text = " ".join(line.casefold().split())
    has_word = len([char for char in _NUMBER.sub("", text) if char.isalpha()]) > 1
    if has_word:
        yield text
    for found in _NUMBER.finditer(text):
        distance = _value(found[0]) - page
        yield f"{text[: found.start()]}\0{distance}\0{text[found.end() :]}"


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def _parted(page: Page, known: frozenset[str]) -> Page:
    """Return the page without its furniture, which it keeps apart."""
    text, markdown = (page.text or "").split("\n"), page.markdown.split("\n")
    heads = _at_edge(page, text, markdown, range(len(text)), range(len(markdown)), known)
    feet = _at_edge(page, text, markdown, range(len(text) - 1, -1, -1), range(len(markdown) - 1, -1, -1), known)
    of_text, of_markdown = {one for one, _ in heads + feet}, {one for _, one in heads + feet}
    if not of_text or not any(line.strip() for at, line in enumerate(text) if at not in of_text):
        return page
    furniture = tuple(text[at].strip() for at in sorted(of_text))
    return page.model_copy(
        update={
            "text": _without(text, of_text),
            "markdown": _without(markdown, of_markdown),
            "furniture": (*page.furniture, *furniture),
        }
    )


def _at_edge(
    page: Page, text: Edge, markdown: Edge, places: range, markdown_places: range, known: frozenset[str]
) -> list[tuple[int, int]]:
    """Return the places of furniture at one edge of a page: in its text, and in its markdown."""
    found: list[tuple[int, int]] = []
    filled = (at for at in places if text[at].strip())
    filled_markdown = (at for at in markdown_places if markdown[at].strip())
    for at, place in zip(filled, filled_markdown, strict=False):
        if known.isdisjoint(_keys(text[at].strip(), page.number)) or not _is_same(text[at], markdown[place]):
            break
        found.append((at, place))
        if len(found) > MAX_LINES:
            return []
    return found


def _is_same(line: str, markdown: str) -> bool:
    """Return whether a line of markdown shows a line of text, and is neither a heading nor a table's row."""
    return not markdown.lstrip().startswith(("#", "|")) and _signs(line) == _signs(markdown)


def _signs(line: str) -> str:
    return "".join(char for char in line.casefold() if char.isalnum())


def _without(lines: Edge, gone: Collection[int]) -> str:
    kept = "\n".join(line for at, line in enumerate(lines) if at not in gone).strip("\n")
    return f"{kept}\n" if lines and not lines[-1] else kept
