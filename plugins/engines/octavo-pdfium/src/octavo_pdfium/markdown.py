"""Renders a page's lines as markdown: headings, list items, paragraphs. The words of the page are unchanged."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from octavo_contracts.authoring import escape, pipe_table

from .found_tables import FoundTable
from .layout import MAX_HEADING, DocumentLayout
from .page import Line

GAP = 1.3
"""A line gap of this many times the usual gap begins a paragraph."""

NEXT_LINE = 1.7
"""Largest distance of two lines of one heading or list item, in sizes of their font."""

_BULLET = re.compile(r"[•◦▪▫‣⁃●○■□➢➤✓❖\uf0b7\uf0a7\uf076]\s*")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s)")
_SPECIAL = re.compile(r"(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|`{3}|~{3}|=+\s*$|(?:[-_*]\s*){3,}$|\|)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_INDENTS = {"-": "  ", "1": "   "}
"""Indent of a line that continues a list item."""
_ENDS = (".", "!", "?", ":", "。", "！", "？", "”", '"')


def render_page(lines: Sequence[Line], layout: DocumentLayout, tables: Sequence[FoundTable] = ()) -> str:
    """Render a page's lines, which are in reading order, and its tables in place of the lines that they hold."""
    renderer = _Renderer(_usual_gap(lines), layout)
    return renderer.render(lines) if not tables else renderer.render_with_tables(lines, tables)


def _usual_gap(lines: Sequence[Line]) -> float:
    """Median distance between the tops of adjacent lines, in points; 0 if there are none."""
    gaps = sorted(
        below.top - above.last_top for above, below in itertools.pairwise(lines) if below.top > above.last_top
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


class _Renderer:
    def __init__(self, usual_gap: float, layout: DocumentLayout) -> None:
        self._gap = GAP * usual_gap + 0.5
        self._layout = layout
        self._blocks: list[str] = []
        self._open: list[str] = []
        self._last: Line | None = None
        self._level = 0
        self._list = ""
        self._item_left = 0.0
        self._number = 0

    def render(self, lines: Sequence[Line]) -> str:
        levels = self._layout.levels
        for line in lines:
            is_of_list = line.size in levels and self._is_of_list(line)
            level = self._layout.level(line) if line.size in levels and not is_of_list else 0
            if level:
                self._heading(line, level)
            else:
                self._body(line, continues=is_of_list)
            self._last, self._level = line, level
        self._close()
        return "\n\n".join(self._blocks)

    def render_with_tables(self, lines: Sequence[Line], tables: Sequence[FoundTable]) -> str:
        """Render the lines between the tables, and each table where its first line stands; a line may run across several."""
        owners: dict[int, list[FoundTable]] = {}
        for table in tables:
            for place in table.lines:
                owners.setdefault(place, []).append(table)
        rendered: set[int] = set()
        run: list[Line] = []
        for place, line in enumerate(lines):
            if place not in owners:
                run.append(line)
            for table in owners.get(place, ()):
                if id(table) not in rendered:
                    rendered.add(id(table))
                    self.render(run)
                    run = []
                    self._table(table)
        return self.render(run)

    def _table(self, table: FoundTable) -> None:
        self._blocks.append(pipe_table([[escape(cell) for cell in row] for row in table.rows]))
        self._last, self._level, self._list = None, 0, ""

    def _heading(self, line: Line, level: int) -> None:
        text = _inline(line.text)
        if (
            self._level == level
            and self._last is not None
            and 0 < line.top - self._last.last_top <= NEXT_LINE * line.size
        ):
            self._open[-1] += f" {text}"
            return
        self._close()
        self._open.append(f"{'#' * level} {text}")

    def _body(self, line: Line, *, continues: bool) -> None:
        text = line.text
        if "<" in text or "&" in text:
            text = _inline(text)
        if not text[0].isalpha():
            marker = self._marker(text)
            if marker is not None:
                self._item(line, *marker)
                return
            text = _escaped(text)
        if self._open and not self._level and (continues or not self._breaks(line)):
            self._open.append(f"{_INDENTS[self._list]}{text}" if self._list else text)
            return
        self._list = ""
        self._close()
        self._open.append(text)

    def _is_of_list(self, line: Line) -> bool:
        """Whether a line begins an item with a bullet, or is the next line of one: beside small print both look large."""
        if _BULLET.match(line.text):
            return True
        last = self._last
        return (
            self._list == "-"
            and last is not None
            and line.size == last.size
            and line.left >= self._item_left
            and 0 < line.top - last.last_top <= NEXT_LINE * line.size
        )

    def _marker(self, text: str) -> tuple[str, str] | None:
        """The list item that a line begins and the kind of its list, or None.

        Numbers must be consecutive from 1, because markdown renderers renumber lists.
        """
        bullet = _BULLET.match(text)
        if bullet is not None:
            return f"- {text[bullet.end() :]}".rstrip(), "-"
        numbered = _NUMBERED.match(text)
        if numbered is None:
            return None
        number = int(numbered.group(1))
        if number != 1 and not (self._list == "1" and number == self._number + 1):
            return None
        self._number = number
        return text, "1"

    def _item(self, line: Line, text: str, kind: str) -> None:
        """Begin a list item; items of one list are on adjacent lines."""
        if self._list != kind or self._level:
            self._close()
        self._open.append(text)
        self._list = kind
        self._item_left = line.left + line.size / 2

    def _breaks(self, line: Line) -> bool:
        """Whether a paragraph begins with this line."""
        last = self._last
        if last is None or abs(line.size - last.size) > 0.15 * max(line.size, last.size):
            return True
        gap = line.top - last.last_top
        if gap < -last.size:
            # A new column: the paragraph continues unless a sentence ended.
            return last.text.endswith(_ENDS)
        return gap > self._gap and gap > 1.05 * line.size

    def _close(self) -> None:
        if self._open:
            block = "\n".join(self._open)
            is_long = self._level > 0 and len(block) > MAX_HEADING + self._level + 1
            # Beside small print a whole paragraph is in larger type than the body.
            self._blocks.append(_escaped(block[self._level + 1 :]) if is_long else block)
        self._open = []


def _inline(text: str) -> str:
    """Escape text that looks like a tag or an entity."""
    return _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", text))


def _escaped(text: str) -> str:
    """Escape a line start that would be parsed as a heading, list, quotation, rule or fence."""
    numbered = _NUMBERED.match(text)
    if numbered is not None:
        return f"{numbered.group(1)}\\{text[numbered.end(1) :]}"
    return f"\\{text}" if _SPECIAL.match(text) else text
