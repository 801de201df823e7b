"""Gives the rows of a page their roles: code, entry of a table of contents, running head or foot, or prose.

liteparse makes one paragraph of lines that follow each other, whatever they are. A row with another role than its neighbours
is a block of its own: lines of code keep their line ends and indentation, each entry of a table of contents is a line, and a
running head is neither a heading nor a part of the sentence below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from octavo_contracts.authoring import escape

from .code_rows import CodeRows, code_block, has_code, is_near
from .contents_entries import entries_in, is_contents
from .fixed_pitch import FixedPitch
from .page_rows import Row, box_around, divided, rows_by_block
from .paragraphs import PROSE, TEXTS, has_ended, joined_lines
from .running_rows import RunningRows

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, ParsedPage

ENTRY: Final = "entry"
"""Kind of a block that is an entry of a table of contents."""
RUNNING: Final = "running"
"""Kind of a block that is a running head or foot."""
_CODE: Final = "code"
_PROSE: Final = "prose"
_FIRST: Final = re.compile(r"\(?[1aAiI][.)]")
"""Marker of the first item of a list."""
_NEXT: Final = 1.5
"""Largest distance of two lines of one paragraph, in sizes of the font."""


class RowRoles:
    """What the rows of a document are.

    Args:
        pages: all its pages, as liteparse read them.
    """

    def __init__(self, pages: Sequence[ParsedPage]) -> None:
        self._fixed = FixedPitch(item for page in pages for item in page.text_items)
        self._running = RunningRows(pages)
        self._has_code = has_code(pages)

    def apart(self, page: ParsedPage) -> list[LayoutBlock]:
        """Return a page's blocks, those with rows of several roles divided."""
        blocks = rows_by_block(page.blocks or [], page.text_items)
        code = CodeRows(self._fixed, [rows for _, rows in blocks])
        made: list[tuple[LayoutBlock, list[Row]]] = []
        was_cut = False
        for at, (block, own) in enumerate(blocks):
            if not own:
                made.append((block, own))
                continue
            is_cut = code.is_running_text(block, at)
            if made and _is_number_in_text(made[-1], block, own[0]):
                block, is_cut = replace(block, kind="paragraph", text=f"{block.marker} {block.text}"), True
            if block.kind == _CODE and not self._has_code and not is_cut:
                text = escape(" ".join(row.text for row in own))
                made.append((replace(block, kind="paragraph", text=text, lines=None, lang=None), own))
                was_cut = True
                continue
            if made and made[-1][0].kind in TEXTS and (is_cut or (was_cut and _is_rest(made[-1][0], block, at, code))):
                made[-1] = _joined(made[-1], block, own)
            else:
                made += self._parts(page, block, own, code.roles(at))
            was_cut = is_cut
        return list(_with_listings(made, self._fixed))

    def _parts(
        self, page: ParsedPage, block: LayoutBlock, rows: list[Row], is_code: Sequence[bool]
    ) -> list[tuple[LayoutBlock, list[Row]]]:
        if block.kind == "heading" and len(rows) == 1:
            if is_contents(rows):
                return _entries(block, rows)
            return [(replace(block, kind=RUNNING) if self._running.holds(rows[0], page) else block, rows)]
        if block.kind == "table":
            if all(is_code) and max(map(len, block.rows or [[]])) < 2:
                return [(replace(block, kind=_CODE), rows)]
            return _entries(block, rows) if is_contents(rows, in_table=True) else [(block, rows)]
        if block.kind not in TEXTS:
            return [(block, rows)]
        if is_contents(rows):
            return _entries(block, rows)
        roles = [
            _CODE if code else RUNNING if self._running.holds(row, page) else _PROSE
            for row, code in zip(rows, is_code, strict=True)
        ]
        return _by_role(block, rows, roles)


def _by_role(block: LayoutBlock, rows: list[Row], roles: Sequence[str]) -> list[tuple[LayoutBlock, list[Row]]]:
    if set(roles) == {_PROSE}:
        return [(block, rows)]
    ends = [at for at in range(1, len(rows)) if roles[at] != roles[at - 1]] + [len(rows)]
    parts = divided(block, rows, ends)
    if parts is None:
        return [(block, rows)]
    made: list[tuple[LayoutBlock, list[Row]]] = []
    first = 0
    for part, end in zip(parts, ends, strict=True):
        prose = block.kind if first == 0 else "paragraph"
        kind = prose if roles[first] == _PROSE else roles[first]
        made.append((replace(part, kind=kind), list(rows[first:end])))
        first = end
    return made


def _entries(block: LayoutBlock, rows: Sequence[Row]) -> list[tuple[LayoutBlock, list[Row]]]:
    made = []
    for own in entries_in(rows):
        text = escape(" ".join(row.text for row in own))
        entry = replace(block, kind=ENTRY, text=text, header=None, rows=None, bold=False, italic=False)
        made.append((replace(entry, bbox=box_around(own)), own))
    return made


def _is_rest(above: LayoutBlock, block: LayoutBlock, at: int, code: CodeRows) -> bool:
    """Return whether a paragraph is the rest of the one above, of which liteparse took a line for code."""
    return block.kind in PROSE and not has_ended(above.text or "") and code.goes_on_above(at)


def _is_number_in_text(made: tuple[LayoutBlock, list[Row]], block: LayoutBlock, row: Row) -> bool:
    """Return whether a list item is the rest of the sentence above, in a line that begins with a number and a full stop."""
    above, rows = made
    if block.kind != "list_item" or not block.ordered or _FIRST.match(block.marker or "") or not rows:
        return False
    is_below = 0 < row.bottom - rows[-1].bottom <= _NEXT * row.size and abs(row.left - rows[-1].left) <= 1
    return is_below and above.kind in PROSE and not has_ended(above.text or "")


def _joined(made: tuple[LayoutBlock, list[Row]], block: LayoutBlock, rows: list[Row]) -> tuple[LayoutBlock, list[Row]]:
    """Return a block with the text of the one below it, which goes on with its sentence."""
    above, own = made
    text = block.text if block.lines is None else escape(" ".join(row.text for row in rows))
    all_rows = [*own, *rows]
    joined = joined_lines((above.text or "").rstrip(), text or "")
    return replace(above, text=joined, bbox=box_around(all_rows)), all_rows


def _with_listings(made: Sequence[tuple[LayoutBlock, list[Row]]], fixed: FixedPitch) -> Iterator[LayoutBlock]:
    """Yield the blocks, those of code that stand close together as one listing."""
    listing: list[Row] = []
    head: LayoutBlock | None = None
    for block, rows in made:
        is_below = bool(listing and rows) and is_near(listing[-1], rows[0])
        # What a session prints in columns below a command is a part of the session.
        may_be_code = block.kind == _CODE or (block.kind == "table" and is_below)
        is_code = may_be_code and bool(rows) and all(map(fixed.holds, rows))
        if head is not None and not (is_code and is_below):
            yield code_block(head, listing, fixed)
            head, listing = None, []
        if not is_code:
            yield block
        else:
            head, listing = head or block, [*listing, *rows]
    if head is not None:
        yield code_block(head, listing, fixed)
