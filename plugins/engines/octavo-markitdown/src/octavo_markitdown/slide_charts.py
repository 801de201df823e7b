"""Reads the data of a chart (DrawingML) as a table: charts with categories, and scatter and bubble charts (CNV-8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from octavo_contracts import Table
from octavo_contracts.authoring import collapse, escape, pipe_table

if TYPE_CHECKING:
    from lxml.etree import _Element

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
MAX_POINTS = 20_000
"""Points of a chart; one with more is cut."""


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


def read_chart(root: _Element) -> tuple[list[str], Table | None]:
    """Return the markdown blocks of a chart, its label and its table; no table if it has no data.

    Args:
        root: root element of the chart's part.
    """
    title = root.find(f"{C}chart/{C}title")
    name = "" if title is None else collapse("".join(node.text or "" for node in title.iter(f"{A}t", f"{C}v"))).strip()
    label = f"**Chart: {escape(name)}**" if name else "**Chart**"
    found = [_series(one, place) for place, one in enumerate(root.iter(f"{C}ser"), start=1)]
    rows = list(_rows([one for one in found if one.values or one.keys]))
    if len(rows) < 2:
        return [label], None
    table = Table(rows=tuple(map(tuple, rows)), header_rows=1)
    return [label, pipe_table([[escape(cell) for cell in row] for row in rows])], table


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


def _series(element: _Element, place: int) -> _Series:
    text = element.find(f"{C}tx")
    name = "" if text is None else collapse(" ".join(node.text or "" for node in text.iter(f"{C}v"))).strip()
    horizontal = element.find(f"{C}xVal")
    vertical = element.find(f"{C}yVal") if horizontal is not None else element.find(f"{C}val")
    return _Series(
        name=name or f"Series {place}",
        keys=_points(horizontal if horizontal is not None else element.find(f"{C}cat")),
        values=_points(vertical if vertical is not None else element.find(f"{C}yVal")),
        sizes=_points(element.find(f"{C}bubbleSize")),
        is_scattered=horizontal is not None or element.find(f"{C}yVal") is not None,
    )


def _points(holder: _Element | None) -> dict[int, str]:
    """Index → text of the cached points; the levels of a category are joined, the outermost first."""
    found: dict[int, str] = {}
    if holder is None:
        return found
    levels = list(holder.iter(f"{C}lvl"))
    if not levels:
        code = holder.findtext(f".//{C}formatCode") or ""
        return {place: _shown(text, code) for place, text in _read(holder)}
    for level in levels:
        # An outer level names only the first of its points; it holds until the next name.
        read = dict(_read(level))
        last = ""
        for place in sorted({*found, *read}):
            last = read.get(place, last)
            found[place] = f"{last} / {found[place]}" if place in found and last else found.get(place, last)
    return found


def _read(holder: _Element) -> Iterator[tuple[int, str]]:
    for point in holder.iter(f"{C}pt"):
        place = point.get("idx", "")
        if place.isdecimal() and len(place) < 8:
            yield int(place), collapse(point.findtext(f"{C}v") or "").strip()


def _shown(text: str, code: str) -> str:
    """A value as its number format shows it, where that is a percentage; else without the noise of binary fractions."""
    try:
        number = Decimal(text)
        value = float(text)
    except (InvalidOperation, ValueError):
        return text
    if not number.is_finite():
        return text
    if code.endswith("%"):
        decimals = len(code.rpartition(".")[2]) - 1 if "." in code else 0
        return f"{value * 100:.{decimals}f}%"
    return f"{value:.15g}" if "." in text or "e" in text.lower() else text
