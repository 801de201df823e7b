"""Converts a presentation: one page per slide, with its title as heading, notes and chart data (CNV-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import ContentTooLarge, ConversionWarning, Page, Table
from octavo_contracts.authoring import escape
from octavo_contracts.authoring.charts import Chart

from .package import Answer, tag
from .paragraphs import TextReader, text_of
from .program import PLUGIN
from .remarks import remark_blocks
from .styles import Styles

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_COLUMNS = 1_000
"""Series of a chart that are read."""

Warnings = list[ConversionWarning]


def read_slides(answer: Answer, content: _Element, styles: Styles, *, max_pages: int) -> tuple[list[Page], Warnings]:
    """The slides of a presentation, hidden ones too.

    Raises:
        ContentTooLarge: more slides than `max_pages`.
    """
    slides = list(content.iter(tag("draw:page")))
    if len(slides) > max_pages:
        raise ContentTooLarge(f"{len(slides)} slides are above the limit of {max_pages}", plugin=PLUGIN)
    pages, warnings = [], []
    for number, slide in enumerate(slides, start=1):
        pages.append(_page(answer, slide, styles, number))
        if styles.slide_hidden(slide.get(tag("draw:style-name"))):
            message = "The slide is left out when the deck is shown; it was converted."
            warnings.append(ConversionWarning(code="hidden_slide", message=message, page=number))
    return pages, warnings


def _page(answer: Answer, slide: _Element, styles: Styles, number: int) -> Page:
    reader = TextReader(styles, white=False, formulas=answer.formula)
    title, blocks = "", []
    for shape in slide:
        if shape.tag == tag("presentation:notes"):
            continue
        if shape.get(tag("presentation:class")) == "title" and not title and (title := text_of(shape)):
            continue
        blocks += reader.blocks([shape])
        for chart in shape.iter(tag("draw:object")):
            blocks += _chart(answer, chart, reader)
    for note in slide.iterchildren(tag("presentation:notes")):
        said = reader.blocks(frame for frame in note if frame.get(tag("presentation:class")) == "notes")
        blocks += ["**Notes:**", *said] if said else []
    blocks += remark_blocks(reader.comments)
    if title or blocks:
        # Each slide with content has a heading, so that a list of headings is a list of slides.
        blocks.insert(0, f"# {escape(title) or f'Slide {number}'}")
    return Page(
        number=number,
        kind="slide",
        label=title or None,
        markdown="\n\n".join(blocks) + ("\n" if blocks else ""),
        tables=tuple(reader.tables),
        hidden_text=tuple(reader.hidden),
        has_images=reader.has_images,
    )


def _chart(answer: Answer, element: _Element, reader: TextReader) -> list[str]:
    """A chart as its title and a table of its numbers, where the object is a chart."""
    name = element.get(tag("xlink:href"), "").removeprefix("./")
    root = answer.tree(f"{name}/content.xml")
    drawn = next(root.iter(tag("chart:chart")), None) if root is not None else None
    if drawn is None:
        return []
    titles = drawn.iterchildren(tag("chart:title"))
    table = next(drawn.iter(tag("table:table")), None)
    rows = [_chart_row(row) for row in table.iter(tag("table:table-row"))] if table is not None else []
    if len(rows) > 1:
        if not any(row[0] for row in rows if row):  # a chart without categories
            rows = [row[1:] for row in rows]
        elif rows[0] and not rows[0][0]:
            rows[0][0] = "Category"
    chart = Chart(title=next(map(text_of, titles), ""), rows=tuple(map(tuple, rows)) if len(rows) > 1 else ())
    if chart.rows:
        reader.tables.append(Table(rows=chart.rows, header_rows=1))
    return chart.markdown()


def _chart_row(row: _Element) -> list[str]:
    texts = [text_of(cell) for cell in row.iter(tag("table:table-cell"))][:_MOST_COLUMNS]
    return ["" if text == "NaN" else text for text in texts]
