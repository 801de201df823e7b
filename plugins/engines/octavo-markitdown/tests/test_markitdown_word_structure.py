"""Word structure that the engine does not read: quotes, code, lists, scripts, lists and tables in cells, text boxes."""

from __future__ import annotations

import io

import docx
import pytest
from docx.oxml import parse_xml

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BOX = (
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


@pytest.fixture
def markdown(convert_bytes):  # type: ignore[no-untyped-def]  # fixture
    """The markdown of a document that a function fills."""

    def make(fill) -> str:  # type: ignore[no-untyped-def]  # a function of a python-docx document
        document = docx.Document()
        fill(document)
        buffer = io.BytesIO()
        document.save(buffer)
        return convert_bytes("made.docx", buffer.getvalue()).pages[0].markdown.strip()

    return make


def test_sub_and_superscripts_are_kept(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        paragraph = document.add_paragraph("m")
        paragraph.add_run("2").font.superscript = True
        paragraph.add_run(" and H")
        paragraph.add_run("2").font.subscript = True
        paragraph.add_run("O")

    assert markdown(fill) == "m<sup>2</sup> and H<sub>2</sub>O"


def test_lists_by_style_are_nested_and_numbers_run_on(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        for text, style in (
            ("a", "List Bullet"), ("a1", "List Bullet 2"), ("b", "List Bullet"), ("one", "List Number"), ("two", "List Number"),
            ("between", "Normal"), ("three", "List Number"),
        ):  # fmt: skip
            document.add_paragraph(text, style=style)

    assert markdown(fill) == "* a\n   * a1\n* b\n\n1. one\n2. two\n\nbetween\n\n3. three"


def test_lists_in_cells_are_shown_item_by_item(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """CNV-6: the engine writes them as one line without an end."""
    document = docx.Document()
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "Keeper"
    cell = table.cell(0, 1)
    cell.paragraphs[0].text = "On Monday:"
    for text, style in (
        ("a | b", "List Bullet"),
        ("c", "List Bullet 2"),
        ("d", "List Number"),
        ("then", "Normal"),
        ("e", "Normal"),
    ):
        cell.add_paragraph(text, style=style)
    first = table.add_row().cells[1]
    first.paragraphs[0].text, first.paragraphs[0].style = "f", "List Bullet"
    document.add_paragraph("g", style="List Number")
    buffer = io.BytesIO()
    document.save(buffer)
    page = convert_bytes("made.docx", buffer.getvalue()).pages[0]
    assert page.markdown.strip().splitlines() == [
        "| Keeper | On Monday:<br>- a \\| b<br>- c<br>1. d<br>then  e |", "| --- | --- |", "|  | - f |", "", "2. g"
    ]  # fmt: skip
    assert page.tables[0].rows == (("Keeper", "On Monday: - a | b - c 1. d then  e"), ("", "- f"))


def test_quotes_and_code_are_quotes_and_code(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        document.add_paragraph("To be *or* not", style="Quote")
        document.add_paragraph("So be it", style="Intense Quote")
        for line in ("if a_b:", "    print(`c`)"):
            document.add_paragraph().add_run(line).font.name = "Courier New"
        document.add_paragraph("end")

    assert markdown(fill) == "> To be \\*or\\* not\n\n> So be it\n\n```\nif a_b:\n    print(`c`)\n```\n\nend"


def test_a_table_inside_a_cell_stays_in_its_cell(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        table = document.add_table(2, 2)
        for place, text in (((0, 0), "A"), ((0, 1), "B"), ((1, 0), "c")):
            table.cell(*place).text = text
        inner = table.cell(1, 1).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "d", "e|f"

    row = "| c | <table><tr><td>d</td> <td>e\\|f</td></tr></table> |"
    assert markdown(fill) == f"| A | B |\n| --- | --- |\n{row}"


def test_a_drawn_text_box_without_a_fallback_is_read(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        box = "<wps:txbx><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></wps:txbx>"
        drawing = f'<w:drawing><wp:inline><a:graphic><a:graphicData uri="x"><wps:wsp>{box}</wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing>'
        document.element.body.insert(
            0, parse_xml(f"<w:p {W} {BOX}><w:r>{drawing}</w:r><w:r><w:t>Beside it</w:t></w:r></w:p>")
        )

    assert markdown(fill) == "Beside it\n\nIn the box"


def test_a_list_that_starts_anew_starts_anew(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        root = document.part.numbering_part.element
        abstract = f'<w:abstractNum {W} w:abstractNumId="77"><w:lvl w:ilvl="0"><w:start w:val="5"/><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
        root.insert(0, parse_xml(abstract))
        over = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride>'
        for name, inner in (("77", ""), ("78", over)):
            root.append(parse_xml(f'<w:num {W} w:numId="{name}"><w:abstractNumId w:val="77"/>{inner}</w:num>'))
        for text, name in (("a", "77"), ("b", "77"), ("c", "78"), ("d", "78")):
            paragraph = document.add_paragraph(text)
            properties = f'<w:numPr {W}><w:ilvl w:val="0"/><w:numId w:val="{name}"/></w:numPr>'
            paragraph._p.get_or_add_pPr().append(parse_xml(properties))

    assert markdown(fill).split("\n") == ["5. a", "6. b", "9. c", "10. d"]


LEVELS = (("upperRoman", "%1."), ("lowerLetter", "(%2)"), ("decimal", "%1.%2.%3"), ("decimal", "%4)"))
LABELLED = (
    ("Hull", 0), ("Keel", 1), ("Oak", 2), ("Elm", 2), ("Mast", 1), ("Rig", 0), ("Sail", 1), ("Jib", 3), ("Boom", 3)
)  # fmt: skip
AS_SHOWN = ["I. Hull", "(a) Keel", "I.a.1 Oak", "I.a.2 Elm", "(b) Mast", "II. Rig", "(a) Sail", "1) Jib", "2) Boom"]


def _labelled(document, *, legal: str = "") -> None:  # type: ignore[no-untyped-def]  # a python-docx document
    root = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{legal}<w:lvlText w:val="{text}"/></w:lvl>'
        for place, (form, text) in enumerate(LEVELS)
    )
    root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>'))
    root.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    for text, level in LABELLED:
        properties = f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>'
        document.add_paragraph(text)._p.get_or_add_pPr().append(parse_xml(properties))


def test_labels_in_letters_in_roman_numerals_and_of_several_levels_are_those_shown(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    lines = [line.strip().removeprefix("- ") for line in markdown(_labelled).split("\n") if line.strip()]
    assert lines == AS_SHOWN


def test_a_legal_list_shows_the_numbers_of_all_levels_in_decimals(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    text = markdown(lambda document: _labelled(document, legal="<w:isLgl/>"))
    assert "1.1.2 Elm" in text


def test_an_item_that_skips_levels_is_one_item_and_inner_items_stand_under_wide_numbers(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        root = document.part.numbering_part.element
        levels = "".join(
            f'<w:lvl w:ilvl="{place}"><w:start w:val="100"/><w:numFmt w:val="{form}"/></w:lvl>'
            for place, form in enumerate(("decimal", "bullet", "bullet"))
        )
        root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>'))
        root.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
        for text, level in (("Hull", 0), ("Oak", 2), ("Mast", 0)):
            properties = f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>'
            document.add_paragraph(text)._p.get_or_add_pPr().append(parse_xml(properties))

    assert markdown(fill).split("\n") == ["100. Hull", "     - Oak", "101. Mast"]


def test_a_list_with_a_level_of_its_own_shows_it(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        _labelled(document)
        own = '<w:lvl w:ilvl="0"><w:start w:val="27"/><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%1"/></w:lvl>'
        document.part.numbering_part.element.append(
            parse_xml(
                f'<w:num {W} w:numId="78"><w:abstractNumId w:val="77"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="27"/>{own}</w:lvlOverride></w:num>'
            )
        )
        properties = f'<w:numPr {W}><w:ilvl w:val="0"/><w:numId w:val="78"/></w:numPr>'
        document.add_paragraph("Wake")._p.get_or_add_pPr().append(parse_xml(properties))

    assert markdown(fill).endswith("- AA Wake")


def test_headings_keep_their_numbers_as_shown(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    """CNV-6: other parts of the document refer to them, as in "see section 1.1"."""

    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        root = document.part.numbering_part.element
        levels = "".join(
            f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
            for level, form, text in ((0, "upperRoman", "Article %1."), (1, "decimal", "%1.%2"))
        )
        root.insert(0, parse_xml(f'<w:abstractNum {W} w:abstractNumId="77">{levels}</w:abstractNum>'))
        root.append(parse_xml(f'<w:num {W} w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
        for text, level in (("Terms", 0), ("Scope", 1), ("Fees", 0), ("Dates", 1)):
            properties = f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="77"/></w:numPr>'
            heading = document.add_heading(text, level + 1)
            heading._p.get_or_add_pPr().append(parse_xml(properties))
        document.add_heading("Annex", 1)

    assert markdown(fill).split("\n\n") == [
        "# Article I. Terms",
        "## I.1 Scope",
        "# Article II. Fees",
        "## II.1 Dates",
        "# Annex",
    ]


def test_charts_are_tables_behind_their_paragraphs(markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    """CNV-6: categories and values as their format shows them; the engine drops charts."""
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part
    from pptx.chart.data import CategoryChartData
    from pptx.chart.xmlwriter import ChartXmlWriter
    from pptx.enum.chart import XL_CHART_TYPE

    def fill(document) -> None:  # type: ignore[no-untyped-def]  # a python-docx document
        data = CategoryChartData(number_format="$#,##0.00")
        data.categories = ["East", "West"]
        data.add_series("Sales | net", (1234.5, 2))
        xml = ChartXmlWriter(XL_CHART_TYPE.PIE, data).xml.encode()
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart"
        part = Part(
            PackURI("/word/charts/chart1.xml"), "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", xml
        )
        name = document.part.relate_to(part, kind)
        chart = (
            f'<w:r {W} {BOX}><w:drawing><wp:inline><wp:docPr id="1" name="c"/><a:graphic><a:graphicData uri="c">'
            '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
            f'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="{name}"/>'
            "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
        )
        document.add_paragraph("See:")._p.append(parse_xml(chart))
        document.add_paragraph("After.")

    assert markdown(fill) == (
        "See:\n\n**Chart**\n\n| Category | Sales \\| net |\n| --- | --- |\n"
        "| East | $1,234.50 |\n| West | $2.00 |\n\nAfter."
    )
