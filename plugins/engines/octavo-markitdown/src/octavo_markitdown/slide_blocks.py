"""Writes a slide as markdown blocks: its shapes in reading order, with tables, charts, diagrams and pictures (CNV-8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import ConversionWarning, Table
from octavo_contracts.authoring import escape, escape_line_starts, pipe_table
from octavo_contracts.authoring.charts import CX, C, read_chart

from .slide_order import Box, reading_order
from .slide_remarks import diagram, tree
from .slide_styles import TITLES, A, P, SlideStyles, kind_of
from .slide_text import SlideText, plain

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.slide import Slide

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWN = tuple(f"{P}{name}" for name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp"))
_MAX_DEPTH = 30
"""Nesting of groups up to which shapes are ordered; what is deeper comes in the order of the file."""
_SLACK_SHARE = 60
"""Part of the slide's smaller side by which shapes may overlap and still be read one after the other."""


@dataclass
class SlideBody:
    """What a slide shows.

    Attributes:
        title: its title; empty without one.
        blocks: its other content, as markdown.
        tables: its tables and the data of its charts.
        has_images: whether it shows pictures.
        warnings: what was not read.
    """

    title: str = ""
    blocks: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    has_images: bool = False
    warnings: list[ConversionWarning] = field(default_factory=list)


def resolve_alternatives(slide: Slide) -> None:
    """Put the first alternative in place of each choice, as PowerPoint shows it: equations and new charts stand there."""
    for choice in list(slide.element.iter(f"{_MC}AlternateContent")):
        parent = choice.getparent()
        branch = next((child for child in choice if len(child)), None)
        if parent is None:
            continue
        place = parent.index(choice)
        for offset, child in enumerate(list(branch) if branch is not None else ()):
            parent.insert(place + offset, child)
        parent.remove(choice)


def read_body(slide: Slide, *, number: int, size: tuple[int, int]) -> SlideBody:
    """Read a slide.

    Args:
        slide: the slide, its hidden content taken out.
        number: its number, for warnings.
        size: width and height of the slide.
    """
    return _Reader(slide, number=number, slack=min(size) // _SLACK_SHARE).read()


class _Reader:
    """Reads the shapes of one slide."""

    def __init__(self, slide: Slide, *, number: int, slack: int) -> None:
        self._slide = slide
        self._number = number
        self._slack = slack
        self._text = SlideText(SlideStyles(slide), slide.part)
        self._boxes: dict[_Element, Box] = {shape.element: _box(shape) for shape in slide.shapes}
        self._found = SlideBody()

    def read(self) -> SlideBody:
        """Return what the slide shows."""
        shapes = self._slide.element.find(f"{P}cSld/{P}spTree")
        for shape in self._ordered(list(shapes.iterchildren(*_DRAWN)), depth=0):
            self._shape(shape, depth=0)
        return self._found

    def _ordered(self, shapes: Sequence[_Element], depth: int) -> list[_Element]:
        if depth > _MAX_DEPTH:
            return list(shapes)
        boxes = [self._boxes.get(shape) or _own_box(shape) for shape in shapes]
        return [shapes[place] for place in reading_order(boxes, slack=self._slack)]

    def _shape(self, shape: _Element, depth: int) -> None:
        kind = shape.tag.rpartition("}")[2]
        if kind == "grpSp":
            for inner in self._ordered(list(shape.iterchildren(*_DRAWN)), depth + 1):
                self._shape(inner, depth + 1)
        elif kind == "pic":
            self._picture(shape)
        elif kind == "graphicFrame":
            self._frame(shape)
        elif (body := shape.find(f"{P}txBody")) is not None:
            self._words(shape, body)

    def _words(self, shape: _Element, body: _Element) -> None:
        kind = kind_of(shape)
        if kind == "sldNum":
            return
        if kind in TITLES and not self._found.title:
            self._found.title = self._text.line(body, emphasis=False)
            return
        self._found.blocks += self._text.blocks(body, shape)

    def _picture(self, shape: _Element) -> None:
        properties = shape.find(f"{P}nvPicPr/{P}cNvPr")
        described = "" if properties is None else properties.get("descr") or properties.get("title") or ""
        self._found.has_images = True
        self._found.blocks.append(f"![{escape(' '.join(described.split()))}](embedded-image)")

    def _frame(self, frame: _Element) -> None:
        data = frame.find(f"{A}graphic/{A}graphicData")
        if data is None:
            return
        readers: tuple[tuple[str, Callable[[_Element], bool]], ...] = (
            (f"{A}tbl", self._table),
            (f"{C}chart", self._chart),
            (f"{CX}chart", self._chart),
            (f"{_DGM}relIds", self._diagram),
        )
        for name, read in readers:
            found = data.find(name)
            if found is not None and read(found):
                return
        uri = data.get("uri", "").rpartition("/")[2]
        kind = {"chart": "A chart", "chartex": "A chart", "diagram": "A diagram", "ole": "An embedded object"}.get(uri)
        if len(data):
            message = f"{kind or 'An object'} on the slide is not read."
            self._warn("charts_lost" if kind == "A chart" else "partial_conversion", message)
            self._found.blocks.append(f"[{(kind or 'An object').partition(' ')[2]}]")

    def _table(self, table: _Element) -> bool:
        rows, texts = [], []
        for row in table.iterfind(f"{A}tr"):
            cells = list(row.iterfind(f"{A}tc"))
            rows.append([self._cell(cell) for cell in cells])
            texts.append(tuple("" if _is_covered(cell) else plain(cell) for cell in cells))
        if not rows or not any(map(len, rows)):
            return True
        self._found.blocks.append(pipe_table(rows))
        self._found.tables.append(Table(rows=tuple(texts), header_rows=1))
        return True

    def _cell(self, cell: _Element) -> str:
        body = cell.find(f"{A}txBody")
        return "" if body is None or _is_covered(cell) else self._text.line(body)

    def _chart(self, reference: _Element) -> bool:
        relation = self._slide.part.rels.get(reference.get(f"{_R}id", ""))
        if relation is None or relation.is_external:
            return False
        chart = read_chart(tree(relation.target_part))
        self._found.blocks += chart.markdown()
        if chart.rows:
            self._found.tables.append(Table(rows=chart.rows, header_rows=1))
        else:
            self._warn("charts_lost", "A chart on the slide has no data that can be read.")
        return True

    def _diagram(self, reference: _Element) -> bool:
        relation = self._slide.part.rels.get(reference.get(f"{_R}dm", ""))
        if relation is None or relation.is_external:
            return False
        lines = diagram(relation.target_part)
        items = (
            f"{line[: len(line) - len(line.lstrip())]}- {escape_line_starts(escape(line.strip()))}" for line in lines
        )
        self._found.blocks += ["\n".join(items)] if lines else []
        return bool(lines)

    def _warn(self, code: str, message: str) -> None:
        self._found.warnings.append(ConversionWarning(code=code, message=message, page=self._number))


def _is_covered(cell: _Element) -> bool:
    return cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")


def _box(shape: object) -> Box:
    """The box of a shape; a placeholder without a place of its own has that of its layout."""
    left, top, width, height = (int(getattr(shape, name) or 0) for name in ("left", "top", "width", "height"))
    return left, top, left + width, top + height


def _own_box(shape: _Element) -> Box:
    """The box of a shape in a group, in the units of the group."""
    place = next(_places(shape), None)
    if place is None:
        return 0, 0, 0, 0
    offset, extent = place.find(f"{A}off"), place.find(f"{A}ext")
    left, top = (_whole(offset, name) for name in ("x", "y"))
    return left, top, left + _whole(extent, "cx"), top + _whole(extent, "cy")


def _places(shape: _Element) -> Iterator[_Element]:
    yield from shape.iterfind(f"{P}spPr/{A}xfrm")
    yield from shape.iterfind(f"{P}grpSpPr/{A}xfrm")
    yield from shape.iterfind(f"{P}xfrm")


def _whole(element: _Element | None, name: str) -> int:
    value = "" if element is None else element.get(name, "")
    return int(value) if value.removeprefix("-").isdecimal() and len(value) < 16 else 0
