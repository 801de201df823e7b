"""Divides the words of a page where tables, or columns of text, stand side by side.

A row of the page then holds a row of each table. What stands on both sides of the gutter has to be read apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from octavo_contracts.authoring.table_captions import CAPTION_NAME, CAPTION_NUMBER

from .page_words import Row, Word, rows_of
from .table_items import items_of

GUTTER = 0.9
"""Least width of a gutter, in heights of a line."""
FAR = 1.6
"""A gap of this many heights of a line ends a run of rows: what follows is another part of the page."""
FEWEST_ROWS = 3
"""Fewest rows on each side of a gutter."""
FEWEST_APART = 2
"""Fewest rows with a label and a figure on each side that have no row beside them on the other."""
FEWEST_TEXT_ROWS = 4
"""Fewest lines of running text on each side of a gutter between columns of text."""
FEWEST_TEXT_WORDS = 4
"""Fewest words of a line of running text."""
MIN_INK = 0.75
"""Least share of a column's width that the words of a line of running text cover."""
MAX_STRIPS = 24
"""Most free parts of a row's width that are compared, the widest: the time of a page of many tiny words is bounded."""
MAX_DEPTH = 3
"""Most times that a part is divided further: into eight parts side by side."""
MARGIN = 0.1
"""Share of the width at each edge of the words where no gutter is looked for: lines end at different places there."""
OFF_CENTRE = 0.08
"""A gutter between columns of text is at most this share of the width away from a half or a third of it."""

_CAPTION = re.compile(CAPTION_NAME, re.IGNORECASE)
_NUMBER = re.compile(CAPTION_NUMBER, re.IGNORECASE)

Strip = tuple[float, float]
"""Left and right of a part of the width without words."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Adjacent rows of a page and the parts of the width that no word of them covers."""

    rows: Sequence[Row]
    strips: Sequence[Strip]


@dataclass(frozen=True, slots=True)
class _Gutter:
    middle: float
    is_between_tables: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page.

    Attributes:
        rows: of its words.
        middle: of the gutter that divides it, in points; None if it is whole.
        sides: the parts on the left and on the right of the gutter.
        holds_tables: whether tables are seen on both sides, not columns of text alone.
    """

    rows: Sequence[Row]
    middle: float | None = None
    sides: tuple[Sequence[Part], Sequence[Part]] = ((), ())
    holds_tables: bool = False

    @property
    def words(self) -> list[Word]:
        """Words of the rows, from the top and from the left."""
        return [word for row in self.rows for word in row.words]


def parts_of(words: Sequence[Word], *, depth: int = MAX_DEPTH) -> list[Part]:
    """Divide the words of a page, or of a part of one, at its gutters; the parts are in the order of reading.

    Args:
        words: of the page.
        depth: how many times parts may be divided further.
    """
    parts: list[Part] = []
    undivided: list[Row] = []
    for run in _runs(rows_of(words)):
        gutter = _gutter(run) if depth else None
        if gutter is None:
            undivided += run.rows
            continue
        own = [word for row in run.rows for word in row.words]
        if undivided:
            parts.append(Part(undivided))
            undivided = []
        sides = (
            parts_of([word for word in own if word.right <= gutter.middle], depth=depth - 1),
            parts_of([word for word in own if word.right > gutter.middle], depth=depth - 1),
        )
        parts.append(Part(run.rows, gutter.middle, sides, holds_tables=gutter.is_between_tables))
    return [*parts, Part(undivided)] if undivided else parts


def _runs(rows: Sequence[Row]) -> Iterator[_Run]:
    """Yield runs of adjacent rows as long as a part of the width is free in all of them.

    The first row has words on both sides of one: the last line of a paragraph above says nothing of a gutter.
    """
    if not rows:
        return
    left = min(row.words[0].left for row in rows)
    right = max(word.right for row in rows for word in row.words)
    margin = MARGIN * (right - left)
    left, right = left + margin, right - margin
    run: list[Row] = []
    free: list[Strip] = []
    is_open = False
    for row in rows:
        own = _free(row, left, right)
        is_divided = any(row.words[0].right <= strip[0] and strip[1] <= row.words[-1].left for strip in own)
        both = _common(free, own, least=GUTTER * (row.bottom - row.top))
        is_far = bool(run) and row.top - run[-1].bottom > FAR * (row.bottom - row.top)
        if run and (not both or is_far or (is_divided and not is_open)):
            yield _Run(run, free)
            run, is_open = [], False
        free = both if run else own
        is_open = is_open or is_divided
        run.append(row)
    yield _Run(run, free)


def _free(row: Row, left: float, right: float) -> list[Strip]:
    """Return the parts of the width without words that are wide enough for a gutter."""
    least = GUTTER * (row.bottom - row.top)
    found: list[Strip] = []
    edge = left
    for word in row.words:
        if min(word.left, right) - edge >= least:
            found.append((edge, min(word.left, right)))
        edge = max(edge, word.right)
    if right - edge >= least:
        found.append((edge, right))
    if len(found) > MAX_STRIPS:
        widest = sorted(found, key=lambda strip: strip[0] - strip[1])[:MAX_STRIPS]
        found = sorted(widest)
    return found


def _common(some: Sequence[Strip], others: Sequence[Strip], *, least: float) -> list[Strip]:
    shared = [(max(one[0], other[0]), min(one[1], other[1])) for one in some for other in others]
    return [(left, right) for left, right in shared if right - left >= least]


def _gutter(run: _Run) -> _Gutter | None:
    """Return the gutter that divides a run of rows; None if its rows are whole."""
    if len(run.rows) < FEWEST_ROWS:
        return None
    words = [word for row in run.rows for word in row.words]
    for left, right in run.strips:
        middle = (left + right) / 2
        before = rows_of([word for word in words if word.right <= middle])
        behind = rows_of([word for word in words if word.right > middle])
        if min(len(before), len(behind)) < FEWEST_ROWS:
            continue
        if _are_captioned(run.rows, left, right) or _stand_apart(before, behind):
            return _Gutter(middle, is_between_tables=True)
        if _are_text(before, behind, middle):
            return _Gutter(middle, is_between_tables=False)
    return None


def _are_captioned(rows: Sequence[Row], left: float, right: float) -> bool:
    """Return whether a row has the caption of a table on the left of a gutter, and that of another one at its right edge."""
    for row in rows:
        before = [word for word in row.words if word.right <= left + 1]
        behind = row.words[len(before) :]
        is_near = bool(behind) and behind[0].left - right < row.bottom - row.top
        if is_near and is_caption(before) and is_caption(behind):
            return True
    return False


def is_caption(words: Sequence[Word]) -> bool:
    """Return whether words begin with the name and the number of a table."""
    return len(words) > 1 and _CAPTION.fullmatch(words[0].text) is not None and _NUMBER.match(words[1].text) is not None


def _stand_apart(before: Sequence[Row], behind: Sequence[Row]) -> bool:
    """Return whether both sides have rows with a label and a figure that have no row beside them."""
    sides = _without_neighbour(before, behind), _without_neighbour(behind, before)
    # The places of rows are compared first: dividing rows into items takes much longer, and most rows have a neighbour.
    if min(map(len, sides)) < FEWEST_APART:
        return False
    return all(sum(map(_has_label_and_figure, side)) >= FEWEST_APART for side in sides)


def _without_neighbour(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """Return the rows that have none of the others beside them: a neighbour's middle lies in the row, and the row's in it."""
    by_middle = sorted(((other.top + other.bottom) / 2, other.top, other.bottom) for other in others)
    middles = [middle for middle, _, _ in by_middle]
    found: list[Row] = []
    for row in rows:
        middle = (row.top + row.bottom) / 2
        beside = by_middle[bisect_left(middles, row.top) : bisect_right(middles, row.bottom)]
        if not any(top <= middle <= bottom for _, top, bottom in beside):
            found.append(row)
    return found


def _has_label_and_figure(row: Row) -> bool:
    items = items_of(row)
    return len(items) > 1 and not items[0].is_figure and any(item.is_figure for item in items[1:])


def _are_text(before: Sequence[Row], behind: Sequence[Row], middle: float) -> bool:
    """Return whether both sides are columns of running text, of two or three on the page."""
    left = min(row.words[0].left for row in before)
    right = max(row.words[-1].right for row in behind)
    place = (middle - left) / (right - left)
    if min(abs(place - share) for share in (1 / 3, 1 / 2, 2 / 3)) > OFF_CENTRE:
        return False
    return min(_text_rows(before), _text_rows(behind)) >= FEWEST_TEXT_ROWS


def _text_rows(rows: Sequence[Row]) -> int:
    """Return the number of lines of running text."""
    width = max(row.words[-1].right for row in rows) - min(row.words[0].left for row in rows)
    return sum(
        len(row.words) >= FEWEST_TEXT_WORDS and sum(word.right - word.left for word in row.words) >= MIN_INK * width
        for row in rows
    )
