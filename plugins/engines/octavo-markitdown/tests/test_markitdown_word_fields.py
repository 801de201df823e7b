"""Hyperlink fields, styles that are based on headings, and equations of one line (CNV-6)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from octavo_contracts import Conversion

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


@pytest.fixture
def markdown(convert_bytes: Callable[[str, bytes], Conversion]) -> Callable[[Any], str]:
    """Convert a document of python-docx, which ships no types."""

    def run(document: Any) -> str:
        buffer = io.BytesIO()
        document.save(buffer)
        return str(convert_bytes("made.docx", buffer.getvalue()).pages[0].markdown)

    return run


def field(document: Any, *codes: str) -> None:
    """A paragraph with a field whose code is split over runs."""
    paragraph = document.add_paragraph("See ")._p
    said = [f'<w:instrText {_W} xml:space="preserve">{code}</w:instrText>' for code in codes]
    marks = [f'<w:fldChar {_W} w:fldCharType="{kind}"/>' for kind in ("begin", "separate", "end")]
    for inner in (marks[0], *said, marks[1], f"<w:t {_W}>the page</w:t>", marks[2]):
        paragraph.append(parse_xml(f"<w:r {_W}>{inner}</w:r>"))


@pytest.mark.parametrize(
    ("codes", "address"),
    [
        ((' HYPERLINK "https://example.org/a" \\l "part=2"',), "https://example.org/a#part=2"),
        ((' HYPERLINK "https://exa', 'mple.org/a" \\l "two" \\o "tip"'), "https://example.org/a#two"),
        ((' HYPERLINK "https://example.org/a" \\o "a tip"',), "https://example.org/a"),
        ((' HYPERLINK "https://example.org/a" ',), "https://example.org/a"),
    ],
)
def test_a_hyperlink_field_leads_to_its_address(
    markdown: Callable[[Any], str], codes: tuple[str, ...], address: str
) -> None:
    document = docx.Document()
    field(document, *codes)

    assert f"[the page]({address})" in markdown(document)


def inside(wrapper: str) -> Any:
    """A document of one paragraph with a run before, inside and after an element."""
    document = docx.Document()
    paragraph = document.add_paragraph("Figure ")
    paragraph._p.append(parse_xml(wrapper.replace(" ", f" {_W} ", 1)))
    paragraph.add_run(" shows it")
    return document


@pytest.mark.parametrize(
    "wrapper",
    [
        '<w:fldSimple w:instr=" SEQ Figure "><w:r><w:t>1</w:t></w:r></w:fldSimple>',
        '<w:fldSimple w:instr=" SEQ Figure "><w:fldData>AAA=</w:fldData><w:r><w:t>1</w:t></w:r></w:fldSimple>',
        '<w:bdo w:val="ltr"><w:r><w:t>1</w:t></w:r></w:bdo>',
        '<w:dir w:val="ltr"><w:r><w:t>1</w:t></w:r></w:dir>',
    ],
)
def test_the_content_of_a_wrapper_is_kept(markdown: Callable[[Any], str], wrapper: str) -> None:
    """CNV-6: the number of a caption is the content of a simple field."""
    assert markdown(inside(wrapper)).strip() == "Figure 1 shows it"


def test_a_simple_field_of_a_link_is_a_link(markdown: Callable[[Any], str]) -> None:
    """CNV-6: Word writes a hyperlink as a simple field too."""
    wrapper = (
        '<w:fldSimple w:instr=" HYPERLINK &quot;https://example.org/a&quot; "><w:r><w:t>one</w:t></w:r></w:fldSimple>'
    )
    assert markdown(inside(wrapper)).strip() == "Figure [one](https://example.org/a) shows it"


def test_a_ruby_text_stands_with_its_reading(markdown: Callable[[Any], str]) -> None:
    """CNV-6: the engine drops ruby texts, which Japanese documents hold their names in."""
    wrapper = (
        '<w:r w:rsidR="00A1"><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt>'
        "<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    assert markdown(inside(wrapper)).strip() == "Figure 東京 (とうきょう) shows it"


def test_a_style_that_is_based_on_a_heading_is_one(markdown: Callable[[Any], str]) -> None:
    """By its own outline level, else by that of the heading; with the level of body text it is a paragraph."""
    document = docx.Document()
    for name, base, level in (
        ("Chapter of the house", "Heading 1", None),
        ("Clause of the house", "Heading 1", 2),
        ("Very deep", "Heading 2", 7),
        ("Looks like one", "Heading 1", 9),
    ):
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[base]
        if level is not None:
            style.element.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {_W} w:val="{level}"/>'))
        document.add_paragraph(name, style=name)

    assert markdown(document).strip().split("\n\n") == [
        "# Chapter of the house",
        "### Clause of the house",
        "## Very deep",
        "Looks like one",
    ]


def test_an_array_of_one_equation_is_that_equation(markdown: Callable[[Any], str]) -> None:
    document = docx.Document()
    array = "<m:eqArr><m:e><m:r><m:t>a=b</m:t></m:r></m:e></m:eqArr>"
    document.add_paragraph()._p.append(parse_xml(f"<m:oMathPara {_M}><m:oMath>{array}</m:oMath></m:oMathPara>"))

    assert markdown(document).strip() == "$$a=b$$"


@pytest.mark.parametrize("mark", ["<w:cr/>", "<w:ptab/>", '<w:br w:type="page"/>', '<w:br w:type="column"/>'])
def test_breaks_within_a_line_part_its_figures(markdown: Callable[[Any], str], mark: str) -> None:
    """Carriage returns, tabs to a margin, and breaks of pages and columns stand between figures."""
    document = docx.Document()
    paragraph = document.add_paragraph()._p
    paragraph.append(parse_xml(f"<w:r {_W}><w:t>12</w:t>{mark}<w:t>350</w:t></w:r>"))
    assert markdown(document).split() == ["12", "350"]
