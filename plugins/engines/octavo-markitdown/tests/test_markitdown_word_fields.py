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
