"""What Pandoc passes over in rich text and OpenDocument text: headings by style, fields, controls, drawn boxes (CNV-5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from octavo_contracts import Conversion

Convert = Callable[..., Conversion]
ODT = "application/vnd.oasis.opendocument.text"
RTF = "application/rtf"
STYLES = r"{\stylesheet{\s0 Normal;}{\s1\b\fs32 heading 1;}{\s2\sbasedon0\snext0 Heading 2;}{\s15\fs56 Title;}}"
DRAWING = 'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
_LEVELS = r"{\listlevel\levelnfc0\levelstartat1{\leveltext\'02\'00.;}{\levelnumbers\'01;}}" * 2
LIST = (
    rf"{{\*\listtable{{\list\listtemplateid1{_LEVELS}\listid1}}}}"
    r"{\*\listoverridetable{\listoverride\listid1\listoverridecount0\ls1}}"
)
LOEXT = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'


def rich(body: str, convert_bytes: Convert) -> str:
    return str(convert_bytes(rf"{{\rtf1\ansi{STYLES}{body}}}", RTF).pages[0].markdown)


def test_headings_of_rich_text_are_known_by_their_style(convert_bytes: Convert) -> None:
    """Few programs write the outline level by which Pandoc knows headings."""
    body = r"\pard\s15 The paper\par\pard\s1 One\par\pard\plain\s0 Text.\par\pard\s2 Deeper\par\pard\plain\s0 More.\par"
    assert rich(body, convert_bytes) == "# The paper\n\n# One\n\nText.\n\n## Deeper\n\nMore.\n"


def test_a_numbered_heading_of_rich_text_is_no_item_and_keeps_its_number(convert_bytes: Convert) -> None:
    body = r"\pard\s1{\listtext 1.\tab}\ilvl0\ls7 One\par\pard\plain\s0 Text.\par"
    assert rich(body, convert_bytes) == "# 1. One\n\nText.\n"


def test_items_of_rich_text_have_the_labels_that_are_shown(convert_bytes: Convert) -> None:
    """CNV-8: Pandoc counts by itself, begins again after a deeper list, and knows no words before a number."""
    lists = "".join(
        rf"\pard\plain {{\listtext\pard\plain {label}\tab}}\ilvl{level}\ls1\li360{{{text}}}\par"
        for label, level, text in (
            ("Section 1", 0, "one"),
            ("1.1", 1, "deeper"),
            ("Section 2", 0, "two"),
            (r"\'a7 3", 0, "three"),
            (r"\u8226 ?", 0, "dot"),
        )
    )
    expected = "- Section 1 one\n\n  - 1.1 deeper\n\n- Section 2 two\n\n- § 3 three\n\n- dot\n"
    assert rich(LIST + lists, convert_bytes) == expected


def test_lists_of_older_rich_text_are_lists(convert_bytes: Convert) -> None:
    """WordPad writes the labels alone, without a table of lists."""
    body = (
        r"\pard{\pntext\f0 1.\tab}{\*\pn\pnlvlbody\pnf0\pnindent0\pnstart1\pndec{\pntxta.}}\fi-360\li720 First\par"
        r"{\pntext\f0 2.\tab}Second\par\pard Between.\par\pard{\pntext\f1\'B7\tab}Dot\par{\pntext\f1 o\tab}Ring\par"
    )
    assert rich(body, convert_bytes) == "1. First\n\n2. Second\n\nBetween.\n\n- Dot\n\n- Ring\n"


@pytest.mark.parametrize(
    "field",
    [
        r"{\field{\*\fldinst SEQ Figure \\* ARABIC }{\fldrslt 1}}",
        r"{\field{\*\fldinst { SEQ Figure }}{\fldrslt {1}}}",
        r"{\field\fldedit{\*\fldinst{REF a}}{\fldrslt{\b0 1}}}",
    ],
)
def test_the_result_of_a_field_of_rich_text_is_kept(convert_bytes: Convert, field: str) -> None:
    """The number of a caption, a date, a reference."""
    assert rich(rf"\pard Figure {field}: the mill\par", convert_bytes) == "Figure 1: the mill\n"


def test_a_field_without_result_leaves_nothing(convert_bytes: Convert) -> None:
    assert rich(r"\pard One {\field{\*\fldinst FORMCHECKBOX }} two\par", convert_bytes) == "One two\n"


def opened(text: str, convert_bytes: Convert, open_text: Callable[..., bytes], styles: str = "") -> str:
    return str(convert_bytes(open_text(text, styles=styles), ODT).pages[0].markdown)


def test_title_and_styles_of_headings_are_headings(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    """A program writes them as paragraphs; an automatic style is based on them."""
    styles = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading_20_2"/>'
    text = '<text:p text:style-name="Title">The paper</text:p><text:p text:style-name="P1">Deeper</text:p><text:p>Text.</text:p>'
    assert opened(text, convert_bytes, open_text, styles) == "# The paper\n\n## Deeper\n\nText.\n"


def test_numbered_headings_are_no_items(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    text = (
        '<text:list><text:list-item><text:h text:outline-level="1">One</text:h></text:list-item></text:list><text:p>Text.</text:p>'
        '<text:list><text:list-item><text:list><text:list-item><text:h text:outline-level="2">Deeper</text:h></text:list-item>'
        "</text:list></text:list-item></text:list>"
    )
    assert opened(text, convert_bytes, open_text) == "# One\n\nText.\n\n## Deeper\n"


def test_items_and_headings_of_open_text_have_the_labels_that_are_shown(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    """CNV-8: words before a number, numbers of upper levels, and counts that go on behind a paragraph."""
    levels = (
        '<text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="Section "/>'
        '<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/>'
    )
    styles = f'<text:list-style style:name="C">{levels}</text:list-style>'
    deeper = (
        "<text:list><text:list-item><text:p>deeper <text:span>still</text:span></text:p></text:list-item></text:list>"
    )
    text = (
        f'<text:list text:style-name="C"><text:list-item><text:p>one</text:p>{deeper}</text:list-item></text:list><text:p>Between.</text:p>'
        f'<text:list text:style-name="C" text:continue-numbering="true"><text:list-item>{deeper}</text:list-item>'
        '<text:list-item><text:h text:outline-level="2">Two</text:h></text:list-item></text:list>'
    )
    markdown = opened(text, convert_bytes, open_text, styles)
    assert markdown == "- Section 1 one\n\n  - 1.1 deeper still\n\nBetween.\n\n- 1.2 deeper still\n\n## Section 2 Two\n"


def test_pictures_of_open_text_have_their_alternative_texts(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    """Also one that is shown twice, and one in a link."""

    def picture(told: str) -> str:
        return (
            f'<draw:frame svg:width="1in" svg:height="1in"><draw:image xlink:href="Pictures/a.png"/>{told}</draw:frame>'
        )

    first, second = (
        picture("<svg:title>One</svg:title><svg:desc>A mill.</svg:desc>"),
        picture("<svg:title>Two</svg:title>"),
    )
    text = f'<text:p>Seen {first} and {second} and <text:a xlink:href="https://example.org/">the page{picture("")}</text:a>.</text:p>'
    markdown = convert_bytes(open_text(text, files={"Pictures/a.png": "a picture"}), ODT).pages[0].markdown
    assert markdown == ("Seen ![A mill.](a.png) and ![Two](a.png) and [the page](https://example.org/)![](a.png).\n")


def test_white_and_tiny_text_of_open_text_is_kept_apart(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    """ENG-23: by a style or one that it is based on; in a cell, which may be dark, white is a colour."""
    fo = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'

    def style(name: str, properties: str) -> str:
        return f'<style:style style:name="{name}" style:family="text" {fo}><style:text-properties {properties}/></style:style>'

    styles = (
        style("W", 'fo:color="#ffffff"')
        + style("D", 'fo:color="#ffffff" fo:background-color="#000000"')
        + style("T", 'fo:font-size="1pt"')
        + '<style:style style:name="U" style:family="text" style:parent-style-name="T"/>'
    )
    spans = "".join(
        f'<text:span text:style-name="{name}">{text}</text:span>' for name, text in (("W", "a"), ("D", "b"), ("U", "c"))
    )
    cell = '<table:table-cell><text:p><text:span text:style-name="W">in a cell</text:span></text:p></table:table-cell>'
    table = f"<table:table><table:table-column/><table:table-row>{cell}</table:table-row></table:table>"
    page = convert_bytes(open_text(f"<text:p>Seen {spans}.</text:p>{table}", styles=styles), ODT).pages[0]
    assert (page.markdown, page.tables[0].rows) == ("Seen b.\n\n| in a cell |\n| --- |\n", (("in a cell",),))
    assert [(one.text, one.why) for one in page.hidden_text] == [("a", "white"), ("c", "tiny")]


def test_controls_and_fields_keep_their_text(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    text = (
        f'<text:p>Paid <loext:content-control {LOEXT}><loext:list-item loext:value="n"/>Yes<text:span>!</text:span></loext:content-control>'
        ' on <text:date text:date-value="2024-03-05">5 March 2024</text:date> by <text:author-name>Ada</text:author-name>.</text:p>'
    )
    assert opened(text, convert_bytes, open_text) == "Paid Yes! on 5 March 2024 by Ada.\n"


def test_the_text_of_a_drawn_shape_follows_its_paragraph(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    text = (
        f"<text:p>Before<draw:custom-shape {DRAWING}><text:p>In the box</text:p><text:p>Second line</text:p></draw:custom-shape>"
        " after</text:p><text:p>Then.</text:p>"
    )
    assert opened(text, convert_bytes, open_text) == "Before after\n\nIn the box\n\nSecond line\n\nThen.\n"


@pytest.mark.parametrize(
    ("content", "markdown"),
    [
        ("<text:section><text:h text:outline-level='2'>Tides</text:h><text:p>High.</text:p></text:section>", "## Tides\n\nHigh.\n"),
        ("<text:section><text:section><text:p>Within two.</text:p></text:section></text:section>", "Within two.\n"),
        ("<text:numbered-paragraph><text:p>Numbered.</text:p></text:numbered-paragraph>", "Numbered.\n"),
        ("<text:bibliography><text:index-body><text:p>A source.</text:p></text:index-body></text:bibliography>", "A source.\n"),
        ("<text:table-of-content><text:index-body><text:p>Tides</text:p></text:index-body></text:table-of-content>", ""),
        (f"<text:p>Beside <draw:frame {DRAWING}><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame></text:p>", "Beside\n\nBoxed.\n"),
        (f"<draw:frame {DRAWING}><draw:text-box><text:p>On the page.</text:p></draw:text-box></draw:frame>", "On the page.\n"),
    ],
)  # fmt: skip
def test_what_containers_hold_is_read(
    content: str, markdown: str, convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    """Pandoc passes over sections, indexes and boxes with all that they hold; a list of the headings stays out."""
    assert opened(f"<text:p>One.</text:p>{content}", convert_bytes, open_text) == f"One.\n\n{markdown}".rstrip() + "\n"


def test_rows_in_groups_are_rows(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    """The rows that head a table on each page, and rows that can be folded, stand in elements of their own."""

    def row(text: str) -> str:
        return f"<table:table-row><table:table-cell><text:p>{text}</text:p></table:table-cell></table:table-row>"

    rows = (
        f"<table:table-header-rows>{row('Port')}</table:table-header-rows>"
        f"<table:table-row-group>{row('North')}</table:table-row-group>{row('South')}"
    )
    page = convert_bytes(open_text(f"<table:table><table:table-column/>{rows}</table:table>"), ODT).pages[0]

    assert [table.rows for table in page.tables] == [(("Port",), ("North",), ("South",))]


def test_paragraphs_of_lists_and_tables_in_notes_and_items_are_read(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    note = (
        "<text:note text:note-class='footnote'><text:note-citation>1</text:note-citation><text:note-body><text:list><text:list-item>"
        "<text:p>listed in the note</text:p></text:list-item></text:list></text:note-body></text:note>"
    )
    table = (
        "<table:table><table:table-row><table:table-cell><text:p>in a cell</text:p></table:table-cell></table:table-row>"
        "</table:table>"
    )
    item = f"<text:list><text:list-item><text:p>item</text:p>{table}</text:list-item></text:list>"

    markdown = opened(f"<text:p>Text{note}.</text:p>{item}", convert_bytes, open_text)

    assert "listed in the note" in markdown
    assert "in a cell" in markdown


def test_a_hidden_section_is_hidden_text(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    section = "<text:section text:display='none'><text:p>Not shown.</text:p></text:section>"

    page = convert_bytes(open_text(f"<text:p>Shown.</text:p>{section}"), ODT).pages[0]

    assert (page.markdown, [hidden.text for hidden in page.hidden_text]) == ("Shown.\n", ["Not shown."])
