"""What is drawn over the cells of a sheet: charts, text boxes, described pictures; and the comments of cells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from octavo_contracts import HiddenText
from octavo_contracts.authoring import collapse, escape_line_starts
from octavo_contracts.authoring.charts import Chart, Lookup, read_chart

from .cells import escape


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment of a cell.

    Attributes:
        place: the cell as the sheet names it, for example 'B2'.
        author: who wrote it; empty where the file does not say.
        text: its text.
    """

    place: str
    author: str
    text: str

    def line(self) -> str:
        """The comment as an item of a markdown list."""
        return f"- {escape(', '.join(filter(None, (self.place, self.author))))}: {escape(self.text)}"


@dataclass(kw_only=True)
class Drawn:
    """What a sheet shows beside its cells.

    Attributes:
        charts: their parts, or charts that were read already.
        texts: paragraphs of text boxes and shapes.
        pictures: descriptions of pictures.
        comments: comments of cells.
        hidden: texts of shapes that are not shown.
    """

    charts: list[Element | Chart] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    hidden: list[HiddenText] = field(default_factory=list)

    def blocks(self, lookup: Lookup, numbers: Collection[str]) -> list[str]:
        """Return it as markdown blocks. A chart of numbers that stand in the cells is named; another one is a table.

        Args:
            lookup: reads cells that charts refer to.
            numbers: what stands in the cells of the workbook, as `number_of` writes it.
        """
        charts = [one if isinstance(one, Chart) else read_chart(one, lookup=lookup) for one in self.charts]
        blocks = [block for one in charts for block in (_named(one) if _repeats(one, numbers) else one.markdown())]
        blocks += [escape_line_starts(escape(text)) for text in self.texts]
        blocks += [f"![{escape(described)}](embedded-image)" for described in self.pictures]
        if self.comments:
            blocks += ["**Comments:**", "\n".join(one.line() for one in self.comments)]
        return blocks


def number_of(text: str) -> str:
    """The number in a cell, however it is written: `$1,234.50` is `1234.5`; another text as it is."""
    digits = re.sub(r"[^0-9.eE+-]", "", text)
    try:
        return repr(float(digits))
    except ValueError:
        return text


def _repeats(chart: Chart, numbers: Collection[str]) -> bool:
    """Whether all values of a chart stand in cells: a second time, they would count as cells of the sheet."""
    values = [value for row in chart.rows[1:] for value in row[1:] if value]
    return bool(values) and all(number_of(value) in numbers for value in values)


def _named(chart: Chart) -> list[str]:
    """The chart by its title and its series."""
    label, *_ = chart.markdown()
    return [f"{label}: {', '.join(filter(None, map(escape, chart.rows[0][1:])))}".removesuffix(": ")]


def joined(pieces: Iterable[str]) -> str:
    """Pieces of text as one line."""
    return collapse("".join(pieces)).strip()
