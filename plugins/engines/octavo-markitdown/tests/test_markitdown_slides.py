"""The parts of a slide: order, lists, emphasis, code, charts, comments, diagrams and equations (CNV-8)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pptx
import pytest
from octavo_contracts import Conversion
from octavo_markitdown.slide_order import reading_order
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.util import Inches

_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'

Convert = Callable[[Any], Conversion]


@pytest.fixture
def deck() -> Any:
    """An empty deck; python-pptx ships no types."""
    return pptx.Presentation()


@pytest.fixture
def convert(tmp_path: Path, convert_file: Callable[[Path], Conversion]) -> Convert:
    """Save a deck and convert it."""

    def run(deck: Any) -> Conversion:
        path = tmp_path / "deck.pptx"
        deck.save(path)
        return convert_file(path)

    return run


def blank(deck: Any) -> Any:
    """A new slide without placeholders."""
    return deck.slides.add_slide(deck.slide_layouts[6])


def box(slide: Any, text: str, left: float, top: float, width: float = 3, height: float = 1) -> Any:
    """A text box; places are in inches."""
    frame = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height)).text_frame
    frame.text = text
    return frame


def blocks(conversion: Conversion, page: int = 1) -> list[str]:
    """The blocks of a page."""
    return conversion.pages[page - 1].markdown.rstrip("\n").split("\n\n")


def add_part(slide: Any, name: str, xml: str, kind: str) -> str:
    """Add a part to a slide and return the id of the relation."""
    made = Part(PackURI(name), "application/xml", slide.part.package, xml.encode())
    return str(slide.part.relate_to(made, kind))


def test_columns_are_read_one_after_the_other(deck: Any, convert: Convert) -> None:
    """A comparison of two columns under a wide line: each column whole, though their boxes begin at the same height."""
    slide = blank(deck)
    box(slide, "Right below", 5, 3)
    box(slide, "Right", 5, 2)
    box(slide, "Left below", 1, 3)
    box(slide, "Left", 1, 2)
    box(slide, "Over both", 1, 0.2, width=7)

    assert blocks(convert(deck))[1:] == ["Over both", "Left", "Left below", "Right", "Right below"]


def test_rows_that_stand_apart_are_read_first() -> None:
    """Two rows of two boxes, the gap between the rows being the wider one."""
    boxes = [(60, 0, 100, 20), (0, 0, 50, 20), (60, 80, 100, 100), (0, 80, 50, 100)]

    assert reading_order(boxes) == [1, 0, 3, 2]


def test_boxes_that_overlap_are_ordered_by_their_corners() -> None:
    assert reading_order([(10, 10, 100, 100), (0, 0, 60, 60)]) == [1, 0]


def test_very_many_boxes_are_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cut is sought among more boxes than a slide of people has."""
    boxes = [(place, place, place + 1, place + 1) for place in reversed(range(3000))]

    assert reading_order(boxes) == list(reversed(range(3000)))


def test_shapes_of_a_group_are_ordered_among_themselves(deck: Any, convert: Convert) -> None:
    slide = blank(deck)
    box(slide, "Last", 1, 6)
    group = slide.shapes.add_group_shape()
    for text, top in (("Second", 3), ("First", 1)):
        shape = group.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(1))
        shape.text_frame.text = text

    assert blocks(convert(deck))[1:] == ["First", "Second", "Last"]


def test_emphasis_scripts_and_code_are_marked(deck: Any, convert: Convert) -> None:
    frame = box(blank(deck), "", 1, 1)
    paragraph = frame.paragraphs[0]
    for text, set_look in (
        ("bold", lambda font: setattr(font, "bold", True)),
        (" and ", lambda font: None),
        ("thin", lambda font: setattr(font, "italic", True)),
        (" H", lambda font: None),
        ("2", lambda font: font._element.set("baseline", "-25000")),
        ("O m", lambda font: None),
        ("2", lambda font: font._element.set("baseline", "30000")),
        (" ", lambda font: None),
        ("gone", lambda font: font._element.set("strike", "sngStrike")),
        (" ", lambda font: None),
        ("meant", lambda font: setattr(font, "underline", True)),
        (" ", lambda font: None),
        ("a*b", lambda font: setattr(font, "name", "Courier New")),
        (" 3*4", lambda font: None),
    ):
        run = paragraph.add_run()
        run.text = text
        set_look(run.font)

    assert (
        blocks(convert(deck))[1] == "**bold** and *thin* H<sub>2</sub>O m<sup>2</sup> ~~gone~~ <u>meant</u> `a*b` 3\\*4"
    )


def test_marks_of_neighbouring_runs_do_not_run_into_each_other(deck: Any, convert: Convert) -> None:
    """`**a****b**` would be read as stars."""
    paragraph = box(blank(deck), "", 1, 1).paragraphs[0]
    for text, italic in (("left", False), ("right", True)):
        run = paragraph.add_run()
        run.text, run.font.bold, run.font.italic = text, True, italic

    markdown = blocks(convert(deck))[1]

    assert "***" not in markdown
    assert markdown.replace("*", "") == "leftright"


def test_lines_of_code_are_one_block(deck: Any, convert: Convert) -> None:
    frame = box(blank(deck), "", 1, 1)
    for line in ("def tide():", "    return 3"):
        run = frame.add_paragraph().add_run()
        run.text, run.font.name = line, "Consolas"

    assert blocks(convert(deck))[1] == "```\ndef tide():\n    return 3\n```"


def test_numbered_lists_show_their_numbers(deck: Any, convert: Convert) -> None:
    """Start, letters, and items of an inner list after a number of two digits."""
    frame = box(blank(deck), "", 1, 1)
    for text, level, mark in (
        ("Nine", 0, '<a:buAutoNum {} type="arabicPeriod" startAt="9"/>'),
        ("Ten", 0, '<a:buAutoNum {} type="arabicPeriod" startAt="9"/>'),
        ("inner", 1, '<a:buAutoNum {} type="romanLcParenBoth"/>'),
        ("inner too", 1, '<a:buAutoNum {} type="romanLcParenBoth"/>'),
    ):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
        paragraph._p.get_or_add_pPr().append(parse_xml(mark.format(_A)))

    assert blocks(convert(deck))[1].splitlines() == ["9. Nine", "10. Ten", "    - (i) inner", "    - (ii) inner too"]


def test_bullets_are_inherited_from_the_master(deck: Any, convert: Convert) -> None:
    """A body has the bullets of its master; the layout of a subtitle takes them away."""
    body = deck.slides.add_slide(deck.slide_layouts[1])
    body.placeholders[1].text_frame.text = "item"
    cover = deck.slides.add_slide(deck.slide_layouts[0])
    cover.placeholders[1].text_frame.text = "subtitle"
    conversion = convert(deck)

    assert [blocks(conversion, page)[1] for page in (1, 2)] == ["- item", "subtitle"]


def test_a_scatter_chart_is_a_table_of_points(deck: Any, convert: Convert) -> None:
    """One table where the series share their places on the axis, else a row a point."""
    for places in ((1, 2), (5, 6)):
        data = XyChartData()
        for name, keys in (("ebb", (1, 2)), ("flow", places)):
            series = data.add_series(name)
            for key in keys:
                series.add_data_point(key, key * 1.5)
        blank(deck).shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, Inches(4), Inches(3), data)
    first, second = convert(deck).pages

    assert first.tables[0].rows == (("X", "ebb", "flow"), ("1", "1.5", "1.5"), ("2", "3", "3"))
    assert second.tables[0].rows[0] == ("Series", "X", "Y")
    assert second.tables[0].rows[-1] == ("flow", "6", "9")


def test_a_bubble_chart_has_the_sizes(deck: Any, convert: Convert) -> None:
    data = BubbleChartData()
    data.add_series("seals").add_data_point(1, 2, 30)
    blank(deck).shapes.add_chart(XL_CHART_TYPE.BUBBLE, 0, 0, Inches(4), Inches(3), data)

    assert convert(deck).pages[0].tables[0].rows == (("Series", "X", "Y", "Size"), ("seals", "1", "2", "30"))


def test_values_of_a_chart_are_as_shown(deck: Any, convert: Convert) -> None:
    """Percentages, categories of two levels, and no noise of binary fractions."""
    data = CategoryChartData(number_format="0.0%")
    bay = data.add_category("Bay")
    for name in ("north", "south"):
        bay.add_sub_category(name)
    data.add_series("share", (0.025, 0.1 + 0.2))
    blank(deck).shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(4), Inches(3), data)

    rows = convert(deck).pages[0].tables[0].rows

    assert rows == (("Category", "share"), ("Bay / north", "2.5%"), ("Bay / south", "30.0%"))


def test_a_chart_without_data_is_said_to_be_lost(deck: Any, convert: Convert) -> None:
    slide = blank(deck)
    data = CategoryChartData()
    data.categories = ["May"]
    data.add_series("fog", (1,))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(4), Inches(3), data).chart
    for series in list(chart._chartSpace.iter("{*}ser")):
        series.getparent().remove(series)
    conversion = convert(deck)

    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("charts_lost", 1)]
    assert "**Chart" in conversion.pages[0].markdown


def test_comments_are_kept_with_author_and_day(deck: Any, convert: Convert) -> None:
    """Those of the older and of the newer format, answers too."""
    slide = blank(deck)
    box(slide, "Seen", 1, 1)
    old = f'<p:cmLst {_P}><p:cm authorId="0" dt="2024-05-06T07:08:09"><p:text>Too small</p:text></p:cm></p:cmLst>'
    new = (
        f'<x:cmLst xmlns:x="http://schemas.microsoft.com/office/powerpoint/2018/8/main" {_A}>'
        '<x:cm authorId="{A}" created="2024-05-07T01:00:00">'
        '<x:replyLst><x:reply authorId="0" created="2024-05-08T01:00:00">'
        "<x:txBody><a:p><a:r><a:t>Done</a:t></a:r></a:p></x:txBody></x:reply></x:replyLst>"
        "<x:txBody><a:p><a:r><a:t>Move it</a:t></a:r></a:p></x:txBody></x:cm></x:cmLst>"
    )
    add_part(slide, "/ppt/comments/comment1.xml", old, RELATIONSHIP_TYPE.COMMENTS)
    add_part(
        slide, "/ppt/comments/comment2.xml", new, "http://schemas.microsoft.com/office/2018/10/relationships/comments"
    )
    authors = f'<p:cmAuthorLst {_P}><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>'
    made = Part(PackURI("/ppt/commentAuthors.xml"), "application/xml", deck.part.package, authors.encode())
    deck.part.relate_to(made, RELATIONSHIP_TYPE.COMMENT_AUTHORS)
    conversion = convert(deck)

    assert blocks(conversion)[2:] == [
        "**Comments:**",
        "- Comment by Ann, 2024-05-06: Too small\n- Comment, 2024-05-07: Move it\n- Comment by Ann, 2024-05-08: Done",
    ]
    assert conversion.warnings == ()


def test_the_text_of_a_diagram_is_a_list(deck: Any, convert: Convert) -> None:
    slide = blank(deck)
    space = f'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" {_A}'
    points = "".join(
        f'<dgm:pt modelId="{name}"{kind}><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for name, kind, text in (("0", ' type="doc"', ""), ("1", "", "Tide"), ("2", "", "Ebb"), ("3", "", "Moon"))
    )
    links = "".join(
        f'<dgm:cxn modelId="{9 + int(child)}" srcId="{parent}" destId="{child}"/>'
        for parent, child in (("0", "1"), ("1", "2"), ("0", "3"))
    )
    data = f"<dgm:dataModel {space}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    key = add_part(slide, "/ppt/diagrams/data1.xml", data, RELATIONSHIP_TYPE.DIAGRAM_DATA)
    relations = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    slide.shapes._spTree.append(
        parse_xml(
            f'<p:graphicFrame {_P} {_A}><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/>'
            '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic>'
            '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">'
            f'<dgm:relIds {space} {relations} r:dm="{key}"/></a:graphicData></a:graphic></p:graphicFrame>'
        )
    )

    assert blocks(convert(deck))[1].splitlines() == ["- Tide", "   - Ebb", "- Moon"]


def test_an_equation_is_latex(deck: Any, convert: Convert) -> None:
    """Equations stand in an alternative that older readers pass over."""
    slide = blank(deck)
    frame = box(slide, "", 1, 1)
    shape = slide.shapes[0]._element
    formula = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    frame.paragraphs[0]._p.append(parse_xml(f"<m:oMath {_M}>{formula}</m:oMath>"))
    choice = parse_xml(f'<mc:AlternateContent {_MC}><mc:Choice Requires="a14"/></mc:AlternateContent>')
    shape.getparent().replace(shape, choice)
    choice[0].append(shape)

    assert blocks(convert(deck))[1] == r"$\frac{a}{2}$"


def test_an_object_that_is_not_read_is_named(deck: Any, convert: Convert) -> None:
    slide = blank(deck)
    slide.shapes._spTree.append(
        parse_xml(
            f'<p:graphicFrame {_P} {_A}><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/>'
            "</p:nvGraphicFramePr><p:xfrm/><a:graphic>"
            '<a:graphicData uri="http://schemas.openxmlformats.org/presentationml/2006/ole"><p:oleObj/></a:graphicData>'
            "</a:graphic></p:graphicFrame>"
        )
    )
    conversion = convert(deck)

    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("partial_conversion", 1)]
    assert blocks(conversion)[1] == "[embedded object]"


def test_a_cell_keeps_links_and_pipes_and_a_merged_one_its_place(deck: Any, convert: Convert) -> None:
    table = blank(deck).shapes.add_table(2, 3, Inches(1), Inches(1), Inches(4), Inches(1)).table
    run = table.cell(0, 0).text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "a|b", "https://example.org/x"
    table.cell(1, 0).merge(table.cell(1, 1))
    table.cell(1, 0).text, table.cell(1, 2).text = "wide", "last"
    (page,) = convert(deck).pages

    assert page.markdown.splitlines()[2:] == [
        "| [a\\|b](https://example.org/x) |  |  |",
        "| --- | --- | --- |",
        "| wide |  | last |",
    ]
    assert page.tables[0].rows == (("a|b", "", ""), ("wide", "", "last"))
