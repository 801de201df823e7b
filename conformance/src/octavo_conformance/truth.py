"""Compares a conversion with the expected content of a document."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from html.entities import html5

from octavo_contracts import Conversion

from .checks import Broken, expect_equal
from .vectors import GoldenVector, words_of

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
"""A sign that markdown has escaped."""
_REFERENCE = re.compile(r"&(#?\w{1,40};)")
_HEADING = re.compile(r"^ {0,3}(?:#{1,6}[ \t]+(.*?)[ \t]*#*|(\S.*?)[ \t]*\n {0,3}(?:=+|-+))[ \t]*$", re.MULTILINE)
"""CommonMark's two forms: `# text`, and a line underlined with `=` or `-`."""
SHOWN = 12
"""Words of a difference that are shown."""


def compare_words(found: list[str], wanted: list[str], allowed: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the first words of `wanted` missing from `found` in order, and the words of `found` that are not allowed."""
    lost: list[str] = []
    invented: list[str] = []
    at = 0
    for word in wanted:
        if len(lost) == SHOWN:
            return lost, invented[:SHOWN]
        try:
            place = found.index(word, at)
        except ValueError:
            lost.append(word)
            continue
        skipped = [extra for extra in found[at:place] if extra not in allowed]
        if skipped and place - at > 8:  # a distant match is a later occurrence of a common word
            lost.append(word)
            continue
        invented += skipped
        at = place + 1
    invented += [extra for extra in found[at:] if extra not in allowed]
    return lost, invented[:SHOWN]


def expect_pages(found: Sequence[str], wanted: Sequence[str], allowed: Collection[str]) -> None:
    """Raise unless each page has its words in order, and no others.

    Raises:
        Broken: the number of pages or the words of one differ.
    """
    expect_equal(len(found), len(wanted), "the number of pages")
    for number, (page, truth) in enumerate(zip(found, wanted, strict=True), start=1):
        lost, invented = compare_words(words_of(page), words_of(truth), allowed)
        if lost or invented:
            raise Broken(
                f"words of page {number} differ", expected=lost or "no other word", actual=invented or "omitted"
            )


def expect_tables(conversion: Conversion, vector: GoldenVector) -> None:
    """Raise unless the tables are those of the document, cell by cell.

    Raises:
        Broken: a table or a cell differs.
    """
    found = [[list(row) for row in table.rows] for page in conversion.pages for table in page.tables]
    wanted = [[list(row) for row in table] for table in vector.expected.tables]
    if len(found) == len(wanted):
        for number, (table, truth) in enumerate(zip(found, wanted, strict=True), start=1):
            expect_equal(len(table), len(truth), f"the number of rows of table {number}")
            for row, (cells, true_cells) in enumerate(zip(table, truth, strict=True), start=1):
                expect_equal(cells, true_cells, f"row {row} of table {number}")
    expect_equal(len(found), len(wanted), "the number of tables")


def expect_headings(conversion: Conversion, vector: GoldenVector) -> None:
    """Raise unless the document's headings are the markdown's headings, in order.

    Raises:
        Broken: one is missing, or in another place.
    """
    headings = [one or other for page in conversion.pages for one, other in _HEADING.findall(page.markdown)]
    found = [" ".join(words_of(text)) for text in headings]
    wanted = [" ".join(words_of(text)) for text in vector.expected.headings]
    known = set(wanted)
    expect_equal([text for text in found if text in known], wanted, "the headings")


def headings_of(markdown: str) -> list[tuple[int, str]]:
    """Return level and words of each heading of a markdown text."""
    return [
        (
            found[0].lstrip().find(" ") if found[1] else (1 if found[0].rstrip().endswith("=") else 2),
            " ".join(words_of(found[1] or found[2])),
        )
        for found in _HEADING.finditer(markdown)
    ]


def phrase_of(text: str) -> str:
    """Return the words of a text with one blank around each, so that a phrase is found in a text as whole words."""
    return f" {' '.join(words_of(text))} "


def words_of_markdown(markdown: str) -> set[str]:
    """Return all words of a markdown text, also those that a reader does not see: in comments, tags and links."""
    return set(words_of(without_references(without_escapes(markdown))))


def without_escapes(markdown: str) -> str:
    """Return a markdown text without the backslashes that escape signs."""
    return _ESCAPED.sub(r"\1", markdown)


def without_references(markdown: str) -> str:
    """Return a markdown text in which each reference to a sign is the sign: `&amp;` is `&`.

    In markdown a reference ends with a semicolon, so `&reg` in an address is no reference.
    """
    return _REFERENCE.sub(
        lambda found: html.unescape(found[0]) if found[1].startswith("#") else html5.get(found[1], found[0]), markdown
    )
