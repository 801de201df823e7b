"""Equations, titles, bullets and links that the engine drops are in the markdown (CNV-6, CNV-8)."""

from __future__ import annotations

from pathlib import Path

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from octavo_contracts import Conversion, ConvertRequest, FileSource
from octavo_markitdown.convert import convert_document
from pptx.util import Inches

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DECK = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def converted(path: Path, media_type: str) -> Conversion:
    return convert_document(FileSource(path, media_type=media_type), request=ConvertRequest(media_type=media_type))


def with_equation(tmp_path: Path, omml: str, *, display: bool = False) -> str:
    document = docx.Document()
    math = f"<m:oMath>{omml}</m:oMath>"
    math = f"<m:oMathPara>{math}</m:oMathPara>" if display else math
    document.element.body.insert(0, parse_xml(f"<w:p {NAMES}><w:r><w:t>Let </w:t></w:r>{math}</w:p>"))
    path = tmp_path / "equation.docx"
    document.save(str(path))
    return converted(path, WORD).pages[0].markdown.strip()


@pytest.mark.parametrize(
    ("omml", "latex"),
    [
        (run("a+b≤π"), r"a+b\leq \pi"),
        (f"<m:f><m:num>{run('1')}</m:num><m:den>{run('x_1')}</m:den></m:f>", r"\frac{1}{x\_1}"),
        (f"<m:sSup><m:e>{run('r')}</m:e><m:sup>{run('2')}</m:sup></m:sSup>", "r^{2}"),
        (f"<m:sSub><m:e>{run('ab')}</m:e><m:sub>{run('i')}</m:sub></m:sSub>", "{ab}_{i}"),
        (f"<m:rad><m:deg>{run('3')}</m:deg><m:e>{run('x')}</m:e></m:rad>", r"\sqrt[3]{x}"),
        (
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{run("k=1")}</m:sub><m:sup>{run("n")}</m:sup>'
            f"<m:e>{run('k')}</m:e></m:nary>",
            r"\sum_{k=1}^{n}{k}",
        ),
        (
            f'<m:d><m:dPr><m:begChr m:val="|"/><m:endChr m:val=""/></m:dPr><m:e>{run("x")}</m:e></m:d>',
            r"\left\vert x \right.",
        ),
        (f"<m:func><m:fName>{run('sin')}</m:fName><m:e>{run('x')}</m:e></m:func>", r"\sin {x}"),
        (f'<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr><m:e>{run("v")}</m:e></m:acc>', r"\vec{v}"),
        (
            f"<m:m><m:mr><m:e>{run('1')}</m:e><m:e>{run('0')}</m:e></m:mr><m:mr><m:e>{run('0')}</m:e>"
            f"<m:e>{run('1')}</m:e></m:mr></m:m>",
            r"\begin{matrix}1 & 0 \\ 0 & 1\end{matrix}",
        ),
        (f"<m:unknown>{run('z')}</m:unknown>", "z"),
    ],
)
def test_an_equation_of_word_is_latex(tmp_path: Path, omml: str, latex: str) -> None:
    assert with_equation(tmp_path, omml) == f"Let ${latex}$"


def test_a_displayed_equation_stands_between_two_dollars(tmp_path: Path) -> None:
    assert with_equation(tmp_path, run("x=1"), display=True) == "Let $$x=1$$"


def test_an_equation_nested_without_end_is_kept_as_text(tmp_path: Path) -> None:
    omml = run("deep")
    for _ in range(80):
        omml = f"<m:box><m:e>{omml}</m:e></m:box>"
    assert with_equation(tmp_path, omml) == "Let $deep$"


def test_an_equation_in_a_table_cell_leaves_the_table_whole(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(rows=2, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 0).text = "name", "value", "size"
    table.cell(1, 1).paragraphs[0]._p.append(parse_xml(f"<m:oMath {NAMES}>{run('|x|')}</m:oMath>"))
    path = tmp_path / "cell.docx"
    document.save(str(path))

    page = converted(path, WORD).pages[0]

    assert page.markdown.strip().splitlines()[-1] == r"| size | $\vert x\vert$ |"


def test_the_title_of_a_word_document_is_a_heading(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Tides of the bay", level=0)
    document.add_heading("Ebb", level=1)
    path = tmp_path / "title.docx"
    document.save(str(path))

    assert converted(path, WORD).pages[0].markdown.split("\n\n") == ["# Tides of the bay", "# Ebb"]


def test_bullets_levels_and_links_of_a_slide_are_kept(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Seals"
    frame = slide.placeholders[1].text_frame
    frame.text = "Grey"
    nested = frame.add_paragraph()
    nested.text, nested.level = "Young\vwhite", 1
    linked = frame.add_paragraph().add_run()
    linked.text, linked.hyperlink.address = "More", "https://example.org/seals (2)"
    box = slide.shapes.add_textbox(0, Inches(6), Inches(2), Inches(1))
    box.text_frame.text = "Beside"
    path = tmp_path / "deck.pptx"
    deck.save(str(path))

    (page,) = converted(path, DECK).pages

    assert page.markdown.splitlines() == [
        "# Seals",
        "",
        "- Grey",
        "  - Young\\",
        "    white",
        "- [More](https://example.org/seals%20%282%29)",
        "",
        "Beside",
    ]


def test_a_slide_without_a_title_has_its_number_as_heading(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "Alone"
    deck.slides.add_slide(deck.slide_layouts[6])
    path = tmp_path / "untitled.pptx"
    deck.save(str(path))

    first, second = converted(path, DECK).pages

    assert first.markdown == "# Slide 1\n\nAlone\n"
    assert second.markdown == "", "an empty slide is an empty page"


def test_a_text_after_a_table_is_no_row(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Heights"
    table = slide.shapes.add_table(2, 2, 0, Inches(2), Inches(4), Inches(1)).table
    for row in (0, 1):
        for column in (0, 1):
            table.cell(row, column).text = f"{row}{column}"
    slide.shapes.add_textbox(0, Inches(6), Inches(2), Inches(1)).text_frame.text = "A footnote"
    path = tmp_path / "table.pptx"
    deck.save(str(path))

    (page,) = converted(path, DECK).pages

    assert page.markdown.rstrip().splitlines()[-2:] == ["", "A footnote"]
