"""What becomes of texts, presentations and workbooks."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.vectors.png_bytes import png
from octavo_contracts import Conversion

Convert = Callable[..., Conversion]
Saved = Callable[..., Path]

pytestmark = pytest.mark.slow  # LibreOffice takes some seconds to start, each time

BY_BEN = "<office:change-info><dc:creator>Ben</dc:creator><dc:date>2026-05-02T10:00:00</dc:date></office:change-info>"
STYLES = (
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="W" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>'
    '<style:style style:name="D" style:family="text"><style:text-properties fo:color="#ffffff" fo:background-color="#000000"/></style:style>'
    '<style:style style:name="U" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="L" style:family="text"><style:text-properties style:text-position="sub 58%"/></style:style>'
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style>'
)
TEXT = (
    f'<text:tracked-changes><text:changed-region text:id="c1"><text:insertion>{BY_BEN}</text:insertion></text:changed-region>'
    f'<text:changed-region text:id="c2"><text:deletion>{BY_BEN}<text:p>dim </text:p></text:deletion></text:changed-region>'
    "</text:tracked-changes>"
    '<text:h text:outline-level="2">Weather</text:h>'
    '<text:p>The <text:change-start text:change-id="c1"/>bright <text:change-end text:change-id="c1"/>'
    '<text:change text:change-id="c2"/>lamp<text:span text:style-name="H"> obey me</text:span>'
    '<text:span text:style-name="W"> unseen</text:span><text:span text:style-name="D"> seen</text:span>'
    "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-05-01T09:00:00</dc:date><text:p>Which?</text:p></office:annotation>."
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
    "<text:p>By whom?</text:p></text:note-body></text:note></text:p>"
    '<text:p>m<text:span text:style-name="U">st</text:span> H<text:span text:style-name="L">2</text:span>O</text:p>'
    "<text:list><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item>"
    "</text:list></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>"
    '<text:list text:style-name="N"><text:list-item><text:p>one</text:p></text:list-item>'
    "<text:list-item><text:p>two</text:p></text:list-item></text:list>"
    '<table:table><table:table-column table:number-columns-repeated="2"/><table:table-row>'
    '<table:table-cell table:number-columns-spanned="2"><text:p>both</text:p></table:table-cell><table:covered-table-cell/>'
    "</table:table-row><table:table-row><table:table-cell><text:p>a | b</text:p></table:table-cell><table:table-cell>"
    "<text:list><text:list-item><text:p>x</text:p></text:list-item><text:list-item><text:p>y</text:p></text:list-item></text:list>"
    "</table:table-cell></table:table-row></table:table>"
    '<text:p># no heading, <text:a xlink:type="simple" xlink:href="https://octavo.example/">a link</text:a>'
    '<draw:frame text:anchor-type="paragraph" svg:width="5cm" svg:height="2cm"><draw:text-box><text:p>In a frame.</text:p>'
    "</draw:text-box></draw:frame></text:p>"
)
META = "<dc:title>Log</dc:title><meta:initial-creator>Ada</meta:initial-creator>"


@pytest.mark.parametrize("target", ["doc", "odt", "rtf"])
def test_a_text_keeps_structure_notes_changes_and_comments(target: str, convert_file: Convert, saved: Saved) -> None:
    """CNV-6, for Word 97 as for the formats that say more."""
    conversion = convert_file(saved("fodt", TEXT, target, styles=STYLES, meta=META))
    page = conversion.pages[0]
    blocks = page.markdown.rstrip("\n").split("\n\n")
    assert (page.kind, conversion.paginated) == ("whole", False)
    assert blocks[0] == "## Weather"
    assert blocks[1] == "The bright lamp seen.[^1]"
    assert "m<sup>st</sup> H<sub>2</sub>O" in blocks
    assert "- first\n  - inner\n- second" in blocks
    assert "1. one\n2. two" in page.markdown
    assert "| both |  |\n| --- | --- |\n| a \\| b | x y |" in blocks
    assert any(block.startswith("\\# no heading, [a link](https://octavo.example/)") for block in blocks)
    assert page.markdown.count("In a frame.") == 1
    assert blocks[-5:] == [
        "[^1]: By whom?",
        "## Tracked changes",
        "- Deleted by Ben, 2026-05-02: dim\n- Inserted by Ben, 2026-05-02: bright",
        "## Comments",
        "- Comment by Ada, 2026-05-01: Which?",
    ]
    assert page.tables[0].rows == (("both", ""), ("a | b", "x y"))
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [
        ("obey me", "hidden_style"),
        ("unseen", "white"),
    ]
    assert (conversion.metadata.title, conversion.metadata.author) == ("Log", "Ada")
    assert (conversion.engine_version or "").startswith("libreoffice ")


NUMBERED = "".join(
    f'<text:list-style style:name="{name}"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."{more}/>'
    "</text:list-style>"
    for name, more in (("N", ""), ("S", ' text:start-value="7"'))
)
LISTS = (
    '<text:list text:style-name="S" xml:id="a"><text:list-item><text:p>seven</text:p></text:list-item></text:list><text:p>between</text:p>'
    '<text:list text:continue-list="a" text:style-name="S"><text:list-item><text:p>eight</text:p></text:list-item></text:list>'
    '<text:p>between</text:p><text:list text:style-name="N"><text:list-item text:start-value="3"><text:p>three</text:p></text:list-item>'
    "<text:list-item><text:p>four</text:p></text:list-item></text:list><text:p>between</text:p>"
    '<text:list text:style-name="N" text:continue-numbering="true"><text:list-item><text:p>five</text:p></text:list-item></text:list>'
)


@pytest.mark.parametrize(
    ("target", "numbers"),
    [
        ("odt", ["7. seven", "8. eight", "3. three", "4. four", "5. five"]),
        # LibreOffice does not write in these formats where a list begins again within its style.
        ("doc", ["7. seven", "8. eight"]),
        ("rtf", ["7. seven", "8. eight"]),
    ],
)
def test_lists_begin_at_their_own_numbers(target: str, numbers: list[str], convert_file: Convert, saved: Saved) -> None:
    """CNV-6: by their style, by an item, and where they continue another list."""
    markdown = convert_file(saved("fodt", LISTS, target, styles=NUMBERED)).pages[0].markdown
    assert re.findall(r"^\d+\. \w+", markdown, re.MULTILINE)[: len(numbers)] == numbers


CLAUSES = (
    '<text:list-style style:name="C"><text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="Section "/>'
    '<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/>'
    '<text:list-level-style-number text:level="3" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>'
)


@pytest.mark.parametrize("target", ["odt", "doc", "rtf"])
def test_items_and_headings_have_the_labels_that_are_shown(target: str, convert_file: Convert, saved: Saved) -> None:
    """CNV-8: letters, numbers of upper levels, words before a number, and counts that go on behind a paragraph."""
    deepest = "<text:list><text:list-item><text:p>letter</text:p></text:list-item></text:list>"
    deeper = f"<text:list><text:list-item><text:p>deeper</text:p>{deepest}</text:list-item></text:list>"
    text = (
        f'<text:list text:style-name="C"><text:list-item><text:p>one</text:p>{deeper}</text:list-item></text:list><text:p>Between.</text:p>'
        f'<text:list text:style-name="C" text:continue-numbering="true"><text:list-item>{deeper}</text:list-item></text:list>'
        '<text:list text:style-name="C" text:continue-numbering="true"><text:list-item><text:h text:outline-level="1">Two</text:h>'
        "</text:list-item></text:list>"
    )
    markdown = convert_file(saved("fodt", text, target, styles=CLAUSES)).pages[0].markdown
    lines = [line.strip() for line in markdown.splitlines() if line]
    assert lines == [
        "- Section 1 one",
        "- 1.1 deeper",
        "- (a) letter",
        "Between.",
        "- 1.2 deeper",
        "- (a) letter",
        "# Section 2 Two",
    ]


FORMULA = (
    '<draw:frame svg:width="1in" svg:height="0.3in" text:anchor-type="as-char"><draw:object><math xmlns="http://www.w3.org/1998/Math/MathML" '
    'display="block"><semantics><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>=</mo><mfrac><mi>b</mi><mn>2</mn></mfrac></mrow>'
    '<annotation encoding="StarMath 5.0">a^2 = b over 2</annotation></semantics></math></draw:object></draw:frame>'
)


@pytest.mark.parametrize("target", ["odt", "doc"])
def test_formulas_are_tex(target: str, convert_file: Convert, saved: Saved) -> None:
    """CNV-5: in a line, and on a line of their own."""
    text = f"<text:p>So {FORMULA} holds.</text:p><text:p>{FORMULA}</text:p>"
    path = saved("fodt", text, target)
    if b"Object 1" not in path.read_bytes() and "Equation Native".encode("utf-16-le") not in path.read_bytes():
        pytest.skip("LibreOffice's part for formulas, libreoffice-math, is not installed")
    conversion = convert_file(path)
    assert re.fullmatch(
        r"So \$a\^2\s?(=|\\text\{=\})\s?\\frac\{b\}\{2\}\$ holds\.\n\n\$\$a\^2\s?(=|\\text\{=\})\s?\\frac\{b\}\{2\}\$\$\n",
        conversion.pages[0].markdown,
    )
    assert not conversion.warnings


def slides(path: Path) -> None:
    """A deck with a title, a table, notes, a chart and a hidden slide, by python-pptx."""
    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Cm

    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[5])
    first.shapes.title.text = "Fog"
    first.shapes.add_textbox(Cm(1), Cm(6), Cm(10), Cm(2)).text_frame.text = "It comes at dusk."
    table = first.shapes.add_table(2, 2, Cm(1), Cm(9), Cm(10), Cm(3)).table
    for place, text in enumerate(("Month", "Days", "May", "4")):
        table.cell(place // 2, place % 2).text = text
    first.notes_slide.notes_text_frame.text = "Speak slowly."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    second.shapes.add_textbox(Cm(1), Cm(6), Cm(10), Cm(2)).text_frame.text = "Left out."
    second._element.set("show", "0")
    third = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["May", "June"]
    data.add_series("Fog", (4, 7.5))
    third.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(1), Cm(10), Cm(8), data)
    picture = third.shapes.add_picture(io.BytesIO(png([b"\xff" * 64] * 64)), Cm(12), Cm(1), Cm(3), Cm(3))
    picture._element.nvPicPr.cNvPr.set("descr", "A mill [old].")
    deck.save(str(path))


@pytest.mark.parametrize("target", ["ppt", "odp"])
def test_a_presentation_is_a_page_a_slide_with_title_table_notes_and_chart(
    target: str, convert_file: Convert, resaved: Saved, tmp_path: Path
) -> None:
    """CNV-8."""
    slides(tmp_path / "document.pptx")
    conversion = convert_file(resaved(tmp_path / "document.pptx", target))
    first, second, third = conversion.pages
    assert (first.kind, first.label, conversion.paginated) == ("slide", "Fog", True)
    assert first.markdown == (
        "# Fog\n\nIt comes at dusk.\n\n| Month | Days |\n| --- | --- |\n| May | 4 |\n\n**Notes:**\n\nSpeak slowly.\n"
    )
    assert first.tables[0].rows == (("Month", "Days"), ("May", "4"))
    assert not first.has_images
    assert second.markdown == "# Slide 2\n\nLeft out.\n"
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("hidden_slide", 2)]
    assert third.has_images
    if target == "odp":  # PowerPoint 97 keeps a picture of the chart, and no alternative texts
        assert "![A mill \\[old\\].](" in third.markdown
        assert third.tables[0].rows == (("Category", "Fog"), ("May", "4"), ("June", "7.5"))
        assert "**Chart: Fog**\n\n| Category | Fog |" in third.markdown


@pytest.mark.parametrize("target", ["xls", "ods"])
def test_a_workbook_is_a_page_a_sheet_with_every_value(target: str, convert_file: Convert, saved: Saved) -> None:
    """CNV-7."""
    styles = (
        '<style:style style:name="hid" style:family="table"><style:table-properties table:display="false"/></style:style>'
        '<number:date-style style:name="N1"><number:year number:style="long"/><number:text>-</number:text>'
        '<number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>'
        '<style:style style:name="d" style:family="table-cell" style:data-style-name="N1"/>'
    )

    def number(value: str) -> str:
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    def word(text: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    body = (
        '<table:table table:name="Fog"><table:table-row><table:table-cell/><table:table-cell/></table:table-row>'
        f"<table:table-row><table:table-cell/>{word('Month')}{word('Days | all')}</table:table-row>"
        f"<table:table-row><table:table-cell/>{word('May')}{number('4')}</table:table-row>"
        f"<table:table-row table:number-rows-repeated='2'><table:table-cell/>{word('June')}{number('7.5')}</table:table-row>"
        '<table:table-row><table:table-cell/><table:table-cell table:style-name="d" office:value-type="date" office:date-value="2026-05-01"/>'
        "</table:table-row></table:table>"
        f'<table:table table:name="Old" table:style-name="hid"><table:table-row>{word("x")}</table:table-row></table:table>'
        '<table:table table:name="Blank"><table:table-row><table:table-cell/></table:table-row></table:table>'
    )
    conversion = convert_file(saved("fods", body, target, styles=styles))
    fog, old, blank = conversion.pages
    assert [(page.kind, page.label) for page in (fog, old, blank)] == [
        ("sheet", "Fog"),
        ("sheet", "Old"),
        ("sheet", "Blank"),
    ]
    assert fog.tables[0].rows == (
        ("Month", "Days | all"), ("May", "4"), ("June", "7.5"), ("June", "7.5"), ("2026-05-01", "")
    )  # fmt: skip
    assert fog.markdown.startswith("## Fog\n\n| Month | Days \\| all |\n| --- | --- |\n| May | 4 |\n")
    assert (old.markdown, blank.markdown) == ("## Old\n\n| x |\n| --- |\n", "")
    assert [(warning.code, warning.page) for warning in conversion.warnings] == [("hidden_sheet", 2)]


def test_a_cell_far_away_leaves_the_gaps_out(convert_file: Convert, saved: Saved) -> None:
    far = (
        '<table:table table:name="Far"><table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p>'
        '</table:table-cell></table:table-row><table:table-row table:number-rows-repeated="900000"><table:table-cell/>'
        '</table:table-row><table:table-row><table:table-cell table:number-columns-repeated="900"/>'
        '<table:table-cell office:value-type="string"><text:p>z</text:p></table:table-cell></table:table-row></table:table>'
    )
    conversion = convert_file(saved("fods", far, "ods"))
    assert conversion.pages[0].tables[0].rows == (("a", ""), ("", "z"))
    assert [warning.code for warning in conversion.warnings] == ["gaps_left_out"]


def test_the_same_bytes_twice_are_the_same_conversion(convert_file: Convert, saved: Saved) -> None:
    path = saved("fodt", TEXT, "doc", styles=STYLES)
    assert convert_file(path) == convert_file(path)


def test_importing_the_plugin_without_the_program_starts_nothing() -> None:
    code = "import sys, octavo_libreoffice.plugin\nassert not {'octavo_libreoffice.program', 'lxml', 'olefile'} & set(sys.modules)\n"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_filter_answers_no_to_write_questions_only(tmp_path: Path) -> None:
    """The launcher becomes the program it is given, with the answers of the kernel changed."""
    from octavo_libreoffice import launch

    if launch.filter_for(__import__("platform").machine()) is None:
        pytest.skip("no filter is written for this machine")
    assert launch.filter_for("a machine of tomorrow") is None
    ask = f"import os; print(os.access({str(tmp_path)!r}, os.W_OK), os.access({str(tmp_path)!r}, os.R_OK)); open({str(tmp_path / 'x')!r}, 'w')"
    command = [sys.executable, "-I", launch.__file__, sys.executable, "-c", ask]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
    assert (tmp_path / "x").exists()


def test_a_long_work_folder_is_no_hindrance(saved: Saved, tmp_path: Path) -> None:
    """A socket's path may have about a hundred characters: it is relative to the folder."""
    from octavo_libreoffice.plugin import convert

    folder = tmp_path / ("a" * 100)
    folder.mkdir()
    path = saved("fodt", "<text:p>Short.</text:p>", "rtf")
    assert ConvertCall(convert, folder, seconds=120)(path, "application/rtf").pages[0].markdown == "Short.\n"


EMPHASIS = (
    '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="I" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>'
    '<style:style style:name="X" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="C" style:family="text"><style:text-properties fo:font-family="&apos;Courier New&apos;"/></style:style>'
    '<style:style style:name="T" style:family="paragraph" style:parent-style-name="Title"/>'
)


@pytest.mark.parametrize("target", ["doc", "odt"])
def test_titles_emphasis_and_code_are_marked(target: str, convert_file: Convert, saved: Saved) -> None:
    """CNV-6: a title is a paragraph with a style; emphasis inside a word cannot be written in markdown."""
    text = (
        '<text:p text:style-name="T">The paper</text:p>'
        '<text:p>A <text:span text:style-name="B">bold</text:span>, <text:span text:style-name="I">leaning</text:span>'
        '<text:span text:style-name="X"> old</text:span> word, <text:span text:style-name="C">call()</text:span>'
        ' and in<text:span text:style-name="B">si</text:span>de.</text:p>'
    )
    (page,) = convert_file(saved("fodt", text, target, styles=EMPHASIS)).pages
    assert page.markdown == "# The paper\n\nA **bold**, *leaning* ~~old~~ word, `call()` and inside.\n"


def test_a_comment_without_a_date_has_none(tmp_path: Path, convert_file: Convert) -> None:
    path = tmp_path / "log.rtf"
    comment = r"{\*\atnid A}{\*\atnauthor Ada}\chatn{\*\annotation\pard\plain Which?}"
    path.write_text(rf"{{\rtf1\ansi\deff0{{\fonttbl{{\f0 Times New Roman;}}}}\pard The lamp{comment} is lit.\par}}")
    assert convert_file(path).pages[0].markdown.endswith("- Comment by Ada: Which?\n")
