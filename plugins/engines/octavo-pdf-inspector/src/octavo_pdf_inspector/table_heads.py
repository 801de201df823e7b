"""Heads of tables, put over the columns that they stand over in print.

pdf-inspector does not count the spacing that a page sets between words: words that it alone keeps apart have one place, that of
their string, and stand in one cell. Heads that are printed beside their columns are in columns of their own. PDFium has the
places of the words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from octavo_contracts.authoring.pdf_runs import TextRun, read_words

from .engine import INSTALL

_Reduction = Callable[[str], str]

Cells = Sequence[Sequence[str]]
"""Rows of cells as plain text; the first row is the head."""

_DASHES: Final = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201c\u201d", "------''" + '""')
"""Signs that some engines replace by plain ones."""
_SAME_ROW: Final = 0.4
"""Largest distance of the middles of two words of a printed row, in heights of a word."""
_WIDE: Final = 0.5
"""Least gap between the heads of two columns, in heights of a word: about twice a blank."""
_SHARED: Final = 0.5
"""A head stands over a column if they share this much of the width of the narrower one."""
_NEARER: Final = 3
"""A head beside all columns belongs to the nearest one if every other one is so many times as far away."""
_FOUND: Final = 0.5
"""Least share of the rows with several cells that are found on the page."""
_FEWEST_ROWS: Final = 2
"""Fewest rows that show where the columns are."""
_EDGE: Final = 1.0
"""How far two columns may reach over each other, in points."""


class HeadCell(NamedTuple):
    """A cell of a head that was put over its column."""

    text: str
    column: int
    """Index of the cell that pdf-inspector has the text in; it may have more text."""


Head = tuple[HeadCell | None, ...]
"""The cells of a head; None for one without text."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of the page's width, in points."""

    left: float
    right: float

    def shared(self, other: _Stretch) -> float:
        """Return the width that two stretches have in common; zero or less if they are apart."""
        return min(self.right, other.right) - max(self.left, other.left)

    @property
    def width(self) -> float:
        return self.right - self.left


class _PrintedRow:
    """Words that are printed beside each other, from the left."""

    def __init__(self, words: Sequence[TextRun]) -> None:
        self._words = sorted(words, key=lambda word: word.left)
        self._known: dict[_Reduction, tuple[str, list[TextRun], dict[int, int]]] = {}

    def find(self, cells: Sequence[str], reduced: _Reduction) -> list[list[TextRun]] | None:
        """Return the words of each cell; None if the row has not these words in this order.

        Args:
            cells: texts, from the left.
            reduced: returns the characters of a text that are compared; words without any are passed over.
        """
        text, words, starts = self._reduced(reduced)
        parts = [reduced(cell) for cell in cells]
        wanted = "".join(parts)
        start = text.find(wanted)
        while start >= 0:
            places = [starts.get(place, -1) for place in accumulate(map(len, parts), initial=start)]
            if min(places) >= 0:
                return [words[first:last] for first, last in pairwise(places)]
            start = text.find(wanted, start + 1)
        return None

    def _reduced(self, reduced: _Reduction) -> tuple[str, list[TextRun], dict[int, int]]:
        if reduced not in self._known:
            parts = [(word, part) for word in self._words if (part := reduced(word.text))]
            places = accumulate((len(part) for _, part in parts), initial=0)
            self._known[reduced] = (
                "".join(part for _, part in parts),
                [word for word, _ in parts],
                {place: at for at, place in enumerate(places)},
            )
        return self._known[reduced]


def heads_over_columns(tables: Mapping[int, Sequence[Cells]], data: bytes) -> dict[tuple[int, int], Head]:
    """Return the heads that belong over other columns than pdf-inspector has them over.

    A head is left as it is where its words, those of half of the rows, or the borders between columns are not found on the page.

    Args:
        tables: page number, from 1 → the tables of the page.
        data: the document, without encryption; its pages are read again where a head may be wrong.

    Returns:
        Page number and index of the table there → the cells of its head.

    Raises:
        SourceCorrupt: PDFium finds no document in the bytes.
        ToolUnavailable: pypdfium2 cannot be imported.
    """
    doubtful = {
        number: [at for at, rows in enumerate(of_page) if _is_doubtful(rows)] for number, of_page in tables.items()
    }
    wanted = [number for number, places in doubtful.items() if places]
    if not wanted:
        return {}
    found = {}
    for number, words in read_words(data, wanted, remedy=INSTALL).items():
        printed = _printed_rows(words)
        for at in doubtful[number]:
            head = _head_over_columns(tables[number][at], printed)
            if head is not None:
                found[number, at] = head
    return found


def texts_of(head: Head) -> list[str]:
    """Return the texts of the cells."""
    return [cell.text if cell else "" for cell in head]


def _is_doubtful(rows: Cells) -> bool:
    """Return whether a head has no word over a column of words, and a word over none, or several words in a cell."""
    if len(rows) <= _FEWEST_ROWS:
        return False
    head, *body = rows
    written = _written(body, _letters)
    is_lacking = any(at and not (head[at:] and head[at].strip()) for at in written)
    return is_lacking and any(
        cell.strip() and (at not in written or " " in cell.strip()) for at, cell in enumerate(head)
    )


def _printed_rows(words: Sequence[TextRun]) -> list[_PrintedRow]:
    """Return the printed rows of a page, from the top."""
    rows: list[list[TextRun]] = []
    for word in sorted(words, key=_middle):
        if rows and _middle(word) - _middle(rows[-1][0]) <= _SAME_ROW * (word.bottom - word.top):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_PrintedRow(row) for row in rows]


def _head_over_columns(rows: Cells, printed: Sequence[_PrintedRow]) -> Head | None:
    """Return a table's head with its cells over their columns; None to leave it as it is."""
    head, *body = rows
    several = [row for row in body if sum(bool(_letters(cell)) for cell in row) > 1]
    for at in range(len(printed) - 1, -1, -1):
        words = printed[at].find(head, _signs)
        if words is None or not any(words):
            continue
        below = _rows_below(several, printed[at + 1 :])
        if len(below) >= max(_FEWEST_ROWS, _FOUND * len(several)):
            columns = _columns(below)
            made = _placed(head, words, columns, _written(body, _signs) - columns.keys()) if columns else None
            return made if made is not None and _covered(texts_of(made), body) > _covered(head, body) else None
    return None


def _covered(head: Sequence[str], body: Cells) -> int:
    """Return over how many columns of words a head has a word, apart from a first column of labels."""
    labels = [row[0] for row in body if row and _letters(row[0])]
    are_labels = 2 * sum(any(map(str.isalpha, label)) for label in labels) > len(labels)
    return sum(at > 0 or not are_labels for at in _written(body, _letters) if at < len(head) and head[at].strip())


def _written(body: Cells, reduced: _Reduction) -> set[int]:
    """Return the columns that have characters of a kind."""
    return {at for row in body for at, cell in enumerate(row) if reduced(cell)}


def _rows_below(rows: Cells, printed: Sequence[_PrintedRow]) -> list[list[list[TextRun]]]:
    """Return the words of each cell of the rows that are found, one below the other."""
    found, start = [], 0
    for row in rows:
        for at in range(start, len(printed)):
            words = printed[at].find(row, _letters)
            if words is not None:
                found.append(words)
                start = at + 1
                break
    return found


def _columns(rows: Sequence[Sequence[Sequence[TextRun]]]) -> dict[int, _Stretch]:
    """Return the columns that have words, from the left; none if two of them reach over each other."""
    found: dict[int, _Stretch] = {}
    for at in range(max(map(len, rows))):
        words = [word for row in rows for cell in row[at : at + 1] for word in cell]
        if words:
            found[at] = _stretch(words)
    is_apart = all(one.right <= other.left + _EDGE for one, other in pairwise(found.values()))
    return found if is_apart else {}


def _placed(
    head: Sequence[str], words: Sequence[Sequence[TextRun]], columns: Mapping[int, _Stretch], signs: Set[int]
) -> Head | None:
    """Return the cells of a head, each over its column; None if two of them stand over one column, or one over none.

    Args:
        head: as pdf-inspector has it.
        words: of each of its cells.
        columns: those of words.
        signs: the columns of signs alone, such as those of a currency: a sign in the head stays over them.
    """
    made: list[HeadCell | None] = [None] * max(len(head), *(at + 1 for at in columns))
    last = -1
    for own, cell in enumerate(head):
        for part, text in _parts(words[own], cell, columns) if cell.strip() else ():
            over = [own] if own in signs and not _letters(text) else _over(_stretch(part), columns)
            at = own if own in over else over[0] if over else -1
            if at <= last:
                return None
            made[at], last = HeadCell(text, own), at
    return tuple(made)


def _parts(words: Sequence[TextRun], cell: str, columns: Mapping[int, _Stretch]) -> list[tuple[Sequence[TextRun], str]]:
    """Return the words and the texts of a head's cell, one of each column that it holds the head of."""
    parts: list[list[TextRun]] = [[words[0]]]
    for one, other in pairwise(words):
        if other.left - one.right > _WIDE * (one.bottom - one.top):
            parts.append([])
        parts[-1].append(other)
    over = [_over(_stretch(part), columns) for part in parts]
    is_apart = all(one and other and one[-1] < other[0] for one, other in pairwise(over))
    if len(parts) < 2 or not is_apart:
        return [(words, cell)]
    ends = list(accumulate(sum(len(_signs(word.text)) for word in part) for part in parts))
    return list(zip(parts, _cut(cell, ends[:-1]), strict=True))


def _cut(text: str, signs: Sequence[int]) -> list[str]:
    """Return a text cut behind numbers of its signs, without the blanks at the ends of the parts."""
    places = [at for at, sign in enumerate(text) if not sign.isspace()]
    return [text[start:end].strip() for start, end in pairwise([0, *(places[count] for count in signs), len(text)])]


def _over(part: _Stretch, columns: Mapping[int, _Stretch]) -> list[int]:
    """Return the columns that a head stands over, from the left. A head beside all columns belongs to the one that is clearly nearest."""
    shared = {at: part.shared(one) for at, one in columns.items()}
    found = [at for at, width in shared.items() if width >= _SHARED * min(part.width, columns[at].width)]
    found = found or [at for at, width in shared.items() if width > 0]
    if found:
        return found
    nearest, *others = sorted(shared, key=shared.__getitem__, reverse=True)
    return [nearest] if all(shared[other] < _NEARER * shared[nearest] for other in others) else []


def _stretch(words: Sequence[TextRun]) -> _Stretch:
    return _Stretch(min(word.left for word in words), max(word.right for word in words))


def _middle(word: TextRun) -> float:
    return (word.top + word.bottom) / 2


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _signs(text: str) -> str:
    return "".join(text.split()).translate(_DASHES)
