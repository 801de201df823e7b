"""Reads Tesseract's table (TSV): one row for each block, paragraph, line and word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from octavo_contracts import BoundingBox, OCRWord

_WORD_LEVEL = "5"
_COLUMNS = 12


class Row(NamedTuple):
    """A recognised word as the table has it.

    Attributes:
        paragraph: block and paragraph.
        line: the line within it.
        edges: left, top, width, height in pixels of the picture as it was given, whichever way up its text is.
        confidence: 0..1.
        text: the word.
    """

    paragraph: tuple[str, str]
    line: str
    edges: tuple[int, int, int, int]
    confidence: float
    text: str


def read_rows(table: str) -> Iterator[Row]:
    """Return the words of a table in reading order; skip rows that are not words or are empty."""
    for line in table.splitlines():
        cells = line.split("\t", _COLUMNS - 1)
        if len(cells) != _COLUMNS or cells[0] != _WORD_LEVEL or not cells[11].strip():
            continue
        left, top, width, height = map(int, cells[6:10])
        confidence = min(1.0, max(0.0, float(cells[10]) / 100))
        yield Row((cells[2], cells[3]), cells[4], (left, top, width, height), confidence, cells[11].strip())


MIN_CONFIDENCE = 0.6
"""Words of a second reading below it are strokes of pictures."""


def left_out(rows: list[Row], again: list[Row]) -> list[Row]:
    """Return the words of a second reading whose place the first one left empty; specks and doubtful words are dropped.

    Args:
        rows: words of the first reading.
        again: words of the second reading.
    """
    places = [row.edges for row in rows]
    return [
        row._replace(paragraph=(f"again {row.paragraph[0]}", row.paragraph[1]))
        for row in again
        if row.confidence >= MIN_CONFIDENCE
        and any(map(str.isalnum, row.text))
        and not any(_overlap(row.edges, place) for place in places)
    ]


def _overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return all(one[at] < other[at] + other[at + 2] and other[at] < one[at] + one[at + 2] for at in (0, 1))


def text_of(rows: list[Row]) -> str:
    """The words as text: a space between words, a line end between lines, an empty line between paragraphs."""
    parts: list[str] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None:
            same = before.paragraph == row.paragraph
            parts.append(" " if same and before.line == row.line else "\n" if same else "\n\n")
        parts.append(row.text)
    return "".join(parts)


def word_of(row: Row, *, scale: float) -> OCRWord:
    """A row as the contract has it.

    Args:
        row: the word.
        scale: points a pixel.
    """
    left, top, width, height = row.edges
    box = BoundingBox(
        left=round(left * scale, 3),
        top=round(top * scale, 3),
        right=round((left + width) * scale, 3),
        bottom=round((top + height) * scale, 3),
    )
    return OCRWord(text=row.text, box=box, confidence=round(row.confidence, 4))
