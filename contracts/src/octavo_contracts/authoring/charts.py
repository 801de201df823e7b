"""Reads a chart of an Office document (DrawingML) as a table: charts with categories, scatter and bubble charts (CNV-8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .markdown import collapse, escape, pipe_table
from .number_formats import is_percent, shown_serial

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MAX_POINTS = 20_000
"""Points of a chart; one with more is cut."""

Element = Any
"""An element of `xml.etree` or lxml: both have the methods used here."""

Lookup = Callable[[str], Sequence[str]]
"""A reference such as `Sheet1!$B$2:$B$9` → the texts of its cells, row by row; empty where they are not known."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart.

    Attributes:
        title: its title; empty without one.
        rows: its data as texts, the first row the header; empty if it has none.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> list[str]:
        """Return the chart as markdown blocks: its label, and its table if it has data."""
        label = f"**Chart: {escape(self.title)}**" if self.title else "**Chart**"
        return [label, pipe_table([list(map(escape, row)) for row in self.rows])] if self.rows else [label]


@dataclass(frozen=True, kw_only=True)
class _Series:
    """A series of a chart.

    Attributes:
        name: its name.
        keys: categories, or values of the horizontal axis: index → text.
        values: index → text.
        sizes: of bubbles: index → text.
        is_scattered: whether the keys are values of its own.
    """

    name: str
    keys: dict[int, str]
    values: dict[int, str]
    sizes: dict[int, str]
    is_scattered: bool


def read_chart(root: Element, *, lookup: Lookup | None = None) -> Chart:
    """Read a chart from its part.

    Args:
        root: root element of the part.
        lookup: reads the cells that the chart refers to, for a program that stored no copy of their values.
    """
    reader = _Reader(lookup)
    title = root.find(f"{C}chart/{C}title")
    name = reader.text(title) if title is not None else ""
    found = [reader.series(one, place) for place, one in enumerate(root.iter(f"{C}ser"), start=1)]
    if root.tag.startswith(CX):
        name = collapse(
            "".join(node.text or "" for title in root.iter(f"{CX}title") for node in title.iter(f"{A}t"))
        ).strip()
        found = list(_newer_series(root))
    if not name and len(found) == 1 and title is not None and found[0].name != "Series 1":
        name = found[0].name  # a title that was not typed is that of the only series
    rows = list(_rows([one for one in found if one.values or one.keys]))
    return Chart(title=name, rows=tuple(map(tuple, rows)) if len(rows) > 1 else ())


def _rows(found: list[_Series]) -> Iterator[list[str]]:
    if not found:
        return
    is_scattered = any(one.is_scattered for one in found)
    if is_scattered and any(one.sizes or one.keys != found[0].keys for one in found):
        has_sizes = any(one.sizes for one in found)
        yield ["Series", "X", "Y", *(["Size"] if has_sizes else [])]
        for one in found:
            for place in _places([one]):
                size = [one.sizes.get(place, "")] if has_sizes else []
                yield [one.name, one.keys.get(place, ""), one.values.get(place, ""), *size]
        return
    yield ["X" if is_scattered else "Category", *(one.name for one in found)]
    keys = next((one.keys for one in found if one.keys), {})
    for place in _places(found):
        yield [keys.get(place, str(place + 1)), *(one.values.get(place, "") for one in found)]


def _places(found: list[_Series]) -> list[int]:
    return sorted({place for one in found for place in (*one.keys, *one.values)})[:MAX_POINTS]


class _Reader:
    """Reads the series of a chart: what is stored with it, else the cells that it refers to."""

    def __init__(self, lookup: Lookup | None) -> None:
        self._lookup = lookup or (lambda _: ())

    def text(self, holder: Element) -> str:
        """Return a title or a name: typed, stored or looked up."""
        pieces = [node.text or "" for node in chain(holder.iter(f"{A}t"), holder.iter(f"{C}v"))]
        found = collapse(" ".join(pieces) if holder.tag == f"{C}tx" else "".join(pieces)).strip()
        return found or collapse(" ".join(self._cells(holder))).strip()

    def series(self, element: Element, place: int) -> _Series:
        """Return a series; `place` is its number, for one without a name."""
        text = element.find(f"{C}tx")
        horizontal = element.find(f"{C}xVal")
        vertical = element.find(f"{C}yVal") if horizontal is not None else element.find(f"{C}val")
        return _Series(
            name=(self.text(text) if text is not None else "") or f"Series {place}",
            keys=self._points(horizontal if horizontal is not None else element.find(f"{C}cat")),
            values=self._points(vertical if vertical is not None else element.find(f"{C}yVal")),
            sizes=self._points(element.find(f"{C}bubbleSize")),
            is_scattered=horizontal is not None or element.find(f"{C}yVal") is not None,
        )

    def _points(self, holder: Element | None) -> dict[int, str]:
        """Index → text of the points; the levels of a category are joined, the outermost first."""
        if holder is None:
            return {}
        levels = list(holder.iter(f"{C}lvl"))
        if not levels:
            code = next((node.text or "" for node in holder.iter(f"{C}formatCode")), "")
            stored = {place: _shown(text, code) for place, text in _read(holder)}
            return stored or {place: text for place, text in enumerate(self._cells(holder)) if text}
        found: dict[int, str] = {}
        for level in levels:
            # An outer level names only the first of its points; it holds until the next name.
            read = dict(_read(level))
            last = ""
            for place in sorted({*found, *read}):
                last = read.get(place, last)
                found[place] = f"{last} / {found[place]}" if place in found and last else found.get(place, last)
        return found

    def _cells(self, holder: Element) -> Sequence[str]:
        reference = next((node.text or "" for node in holder.iter(f"{C}f")), "")
        return self._lookup(reference)[:MAX_POINTS] if reference else ()


def _read(holder: Element) -> Iterator[tuple[int, str]]:
    for point in holder.iter(f"{C}pt"):
        place = point.get("idx", "")
        if place.isdecimal() and len(place) < 8:
            yield int(place), collapse(point.findtext(f"{C}v") or "").strip()


def _newer_series(root: Element) -> Iterator[_Series]:
    """The series of the chart types since 2016: waterfall, treemap, funnel, histogram ([MS-ODRAWXML] 2.24.3)."""
    data = {one.get("id", ""): one for one in root.iter(f"{CX}data")}
    for number, series in enumerate(root.iter(f"{CX}series"), start=1):
        name = next((node.text or "" for text in series.iter(f"{CX}tx") for node in text.iter(f"{CX}v")), "")
        reference = series.find(f"{CX}dataId")
        held = data.get(reference.get("val", "") if reference is not None else "")
        if held is None:
            continue
        levels = [_newer_points(level) for one in held.iter(f"{CX}strDim") for level in one.iter(f"{CX}lvl")]
        places = sorted({place for level in levels for place in level})
        values = next((_newer_points(level) for one in held.iter(f"{CX}numDim") for level in one.iter(f"{CX}lvl")), {})
        yield _Series(
            name=collapse(name).strip() or f"Series {number}",
            keys={place: " / ".join(level[place] for level in reversed(levels) if place in level) for place in places},
            values=values,
            sizes={},
            is_scattered=False,
        )


def _newer_points(level: Element) -> dict[int, str]:
    code = level.get("formatCode", "")
    return {
        int(place): _shown(collapse(point.text or "").strip(), code)
        for point in level.iter(f"{CX}pt")
        if (place := point.get("idx", "")).isdecimal() and len(place) < 8
    }


def _shown(text: str, code: str) -> str:
    """A value as its number format shows it; else without the noise of binary fractions."""
    if not re.fullmatch(r"-?[\d.]{1,40}(?:[eE][+-]?\d{1,3})?", text):
        return text
    try:
        value = float(text)
    except ValueError:
        return text
    if is_percent(code):
        decimals = len(code.partition(".")[2].partition("%")[0])
        return f"{value * 100:.{decimals}f}%"
    plain = f"{value:.15g}" if "." in text or "e" in text.lower() else text
    return shown_serial(value, code) or plain
