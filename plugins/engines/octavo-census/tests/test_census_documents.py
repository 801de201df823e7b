"""What the census finds in documents that the tests write with other libraries (QLT-2)."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path

import docx
import pptx
import pytest
import xlsxwriter
from docx.oxml import parse_xml
from octavo_census.census import count_parts
from octavo_contracts import FileSource, SourceStructure
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DECK = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def structure_of(path: Path, media_type: str) -> SourceStructure:
    answer = count_parts(FileSource(path, media_type=media_type))
    assert answer is not None
    assert answer.structure is not None
    return answer.structure


def counts(structure: SourceStructure) -> dict[str, int]:
    found: Counter[str] = Counter()
    for part in structure.parts:
        found[str(part.kind)] += part.count
    return dict(found)


def test_word_parts_are_counted(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("A title", level=0)
    document.add_heading("Tides", level=2)
    document.add_paragraph("First", style="List Bullet")
    document.add_paragraph("Second", style="List Number 2")
    document.add_paragraph("Said the warden", style="Quote")
    equation = "<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>"
    document.element.body.insert(0, parse_xml(f"<w:p {NAMES}><w:r><w:t>Let </w:t></w:r>{equation}</w:p>"))
    inserted = '<w:ins w:id="1" w:author="A"><w:r><w:t>new words</w:t></w:r></w:ins>'
    document.element.body.insert(0, parse_xml(f"<w:p {NAMES}>{inserted}</w:p>"))
    box = "<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
    document.element.body.insert(0, parse_xml(f"<w:p {NAMES}>{box}</w:p>"))
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(1, 1).text = "one", "two"
    paragraph = document.add_paragraph()
    paragraph.part.relate_to("https://example.org/a", docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    document.add_comment(document.paragraphs[-2].add_run("about"), text="Check this", author="B")
    path = tmp_path / "parts.docx"
    document.save(str(path))

    found = structure_of(path, WORD)

    assert counts(found) == {
        "heading": 2,
        "list_item": 2,
        "quote": 1,
        "equation": 1,
        "change": 1,
        "text_box": 1,
        "table": 1,
        "cell": 2,
        "comment": 1,
    }
    assert [(part.level, part.text) for part in found.parts if part.kind == "heading"] == [(1, "A title"), (2, "Tides")]


def test_a_link_of_word_has_the_place_in_its_target(tmp_path: Path) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("See ")
    web = docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK
    link = paragraph.part.relate_to("https://example.org/tides", web, is_external=True)
    named = f'{NAMES} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    text = "<w:r><w:t>the tides</w:t></w:r>"
    for attributes in (f'r:id="{link}" w:anchor="spring"', f'r:id="{link}"', 'w:anchor="below"'):
        paragraph._p.append(parse_xml(f"<w:hyperlink {named} {attributes}>{text}</w:hyperlink>"))
    path = tmp_path / "links.docx"
    document.save(str(path))

    links = [part.target for part in structure_of(path, WORD).parts if part.kind == "link"]

    assert links == ["https://example.org/tides#spring", "https://example.org/tides"]


def test_parts_of_a_presentation_name_their_slide(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Seals"
    first.placeholders[1].text_frame.text = "Grey"
    first.notes_slide.notes_text_frame.text = "Speak slowly"
    second = deck.slides.add_slide(deck.slide_layouts[6])
    run = second.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "More", "https://example.org/seals"
    data = CategoryChartData()
    data.categories = ["North", "South"]
    data.add_series("Count", (1, 2))
    second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(3), Inches(3), data)
    path = tmp_path / "deck.pptx"
    deck.save(str(path))

    found = structure_of(path, DECK)

    assert [(str(part.kind), part.page, part.text, part.target) for part in found.parts] == [
        ("heading", 1, "Seals", ""),
        ("list_item", 1, "Grey", ""),
        ("note", 1, "Speak slowly", ""),
        ("text_box", 2, "More", ""),
        ("link", 2, "More", "https://example.org/seals"),
        ("chart", 2, "North", ""),
    ]


@pytest.mark.parametrize(
    ("style", "bulleted"),
    [
        ("own", "First Second"),
        ("shape", ""),
        ("layout", ""),
        ("master", ""),
        ("master's texts", ""),
        ("none", "First Second Third"),
    ],
)
def test_items_of_a_slide_are_told_by_the_nearest_style(tmp_path: Path, style: str, bulleted: str) -> None:
    """Bodies of python-pptx's own template have bullets by the texts of the master."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    body = slide.placeholders[1]
    body.text_frame.text = "First\nSecond\nThird"
    plain = f'<a:lvl1pPr xmlns:a="{A}"><a:buNone/></a:lvl1pPr>'
    match style:
        case "own":
            body.text_frame.paragraphs[2]._p.get_or_add_pPr().append(parse_xml(f'<a:buNone xmlns:a="{A}"/>'))
        case "shape":
            body._element.find(f".//{{{A}}}lstStyle").append(parse_xml(plain))
        case "layout":
            slide.slide_layout.placeholders[1]._element.find(f".//{{{A}}}lstStyle").append(parse_xml(plain))
        case "master":
            deck.slide_master.placeholders[1]._element.find(f".//{{{A}}}lstStyle").append(parse_xml(plain))
        case "master's texts":
            texts = deck.slide_master.element.find("{*}txStyles/{*}bodyStyle")
            texts.replace(texts.find("{*}lvl1pPr"), parse_xml(plain))
    path = tmp_path / "deck.pptx"
    deck.save(path)

    parts = structure_of(path, DECK).parts
    assert " ".join(part.text for part in parts if part.kind == "list_item") == bulleted


def test_cells_links_and_drawings_of_a_workbook_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Tides")
        sheet.write_row(0, 0, ["Place", "Height", ""])
        sheet.write_url(1, 0, "https://example.org/port", string="Port")
        sheet.write_number(1, 1, 2.5)
        sheet.write_comment(1, 1, "Measured twice")
        sheet.insert_textbox(4, 4, "Beside the table")

    found = counts(structure_of(path, BOOK))

    assert found == {"cell": 4, "link": 1, "comment": 1, "text_box": 1}


def test_a_cell_that_shows_nothing_is_not_counted(tmp_path: Path) -> None:
    """Cells may name a shared text that is blank; a text of several runs in a cell is one cell."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet().write_row(0, 0, ["Tide", " ", "High"])
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    runs = b'<c r="D1" t="inlineStr"><is><r><t>Regular </t></r><r><t>bold</t></r></is></c>'
    sheet = parts["xl/worksheets/sheet1.xml"].replace(
        b"</row>", runs + b'<c r="E1" t="inlineStr"><is><t/></is></c></row>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (parts | {"xl/worksheets/sheet1.xml": sheet}).items():
            archive.writestr(name, data)

    assert counts(structure_of(path, BOOK)) == {"cell": 3}


def test_a_threaded_comment_is_known_by_its_text(tmp_path: Path) -> None:
    """The copy for older programs begins with a notice, which no conversion holds."""
    path = tmp_path / "book.xlsx"
    notice = "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment.\n\nComment:\n    Check this"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Tides").write_comment(0, 0, notice)

    (comment,) = [part for part in structure_of(path, BOOK).parts if part.kind == "comment"]

    assert comment.text.strip() == "Check this"


def test_a_reply_to_a_threaded_comment_is_one_of_its_own(tmp_path: Path) -> None:
    """The copy for older programs has comment and reply as one text, which no conversion holds."""
    path = tmp_path / "book.xlsx"
    notice = (
        "[Threaded comment]\n\nYour version allows you to read it.\n\nComment:\n    Check this\nReply:\n    Checked"
    )
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Tides").write_comment(0, 0, notice)
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    relations = "xl/worksheets/_rels/sheet1.xml.rels"
    kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    one = f'<Relationship Id="rId9" Type="{kind}" Target="../threadedComments/one.xml"/></Relationships>'
    parts[relations] = parts[relations].replace(b"</Relationships>", one.encode())
    texts = "".join(
        f'<threadedComment ref="A1" id="{number}"><text>{text}</text></threadedComment>'
        for number, text in enumerate(("Check this", "Checked"))
    )
    space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    parts["xl/threadedComments/one.xml"] = f'<ThreadedComments xmlns="{space}">{texts}</ThreadedComments>'.encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)

    found = [part.text for part in structure_of(path, BOOK).parts if part.kind == "comment"]
    assert found == ["Check this", "Checked"]


def test_open_text_parts_are_counted(tmp_path: Path) -> None:
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
    )
    body = (
        '<text:h text:outline-level="2">Tides</text:h>'
        "<text:list><text:list-item><text:p>Ebb</text:p></text:list-item></text:list>"
        "<text:p>See<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A source</text:p>"
        "</text:note-body></text:note></text:p>"
        "<text:p><draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>"
        '<text:p><draw:frame><draw:object><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'
        "</draw:object></draw:frame></text:p>"
    )
    path = tmp_path / "text.odt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "content.xml",
            f"<office:document-content {names}><office:body><office:text>{body}</office:text></office:body>"
            "</office:document-content>",
        )

    assert counts(structure_of(path, ODT)) == {"heading": 1, "list_item": 1, "note": 1, "text_box": 1, "equation": 1}


def test_the_frame_of_a_web_page_is_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<html><body><nav><ul><li><a href='https://example.org/menu'>Menu</a></li></ul></nav><main><h1>Seals</h1>"
        "<p style='display:none'><a href='https://example.org/no'>no</a></p><ol><li>Grey <b>seal</b></li></ol>"
        "<blockquote>They sleep.</blockquote><pre>code</pre><math><mi>x</mi></math>"
        "<table><tr><th>a</th><td>b</td></tr></table></main></body></html>"
    )

    found = structure_of(path, "text/html")

    assert counts(found) == {
        "heading": 1,
        "list_item": 1,
        "quote": 1,
        "code_block": 1,
        "equation": 1,
        "table": 1,
        "cell": 2,
    }


@pytest.mark.parametrize(("tag", "links"), [("main", 3), ("div", 2)])
def test_a_lone_link_counts_where_the_page_names_its_content(tmp_path: Path, tag: str, links: int) -> None:
    """A menu or a label is a link alone; its words may be in the article too, so that it would be missed there."""
    link = "<a href='https://example.org/{}'>Harbour seals</a>"
    path = tmp_path / "page.html"
    path.write_text(
        f"<html><body><{tag}><p><span>{link.format('label')}</span></p><p>Of {link.format('text')} we know little.</p>"
        f"<table><tr><td>{link.format('cell')}</td></tr></table></{tag}></body></html>"
    )

    assert counts(structure_of(path, "text/html")) == {"link": links}


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"not a container"])
def test_a_damaged_document_is_left_to_the_converters(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "damaged.docx"
    path.write_bytes(data)

    assert count_parts(FileSource(path, media_type=WORD)) is None
