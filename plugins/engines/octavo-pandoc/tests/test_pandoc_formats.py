"""What becomes of documents of each type: content, tables, notes, metadata."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from octavo_conformance.office_writer import zipped
from octavo_contracts import Conversion

ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
JATS = "application/jats+xml"
Convert = Callable[..., Conversion]

ARTICLE = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.0//EN" "JATS.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<title-group><article-title>Fog over harbours</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Quay</surname><given-names>Ada</given-names></name></contrib></contrib-group>
<abstract><p>Fog was counted.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>We counted 10<sup>6</sup> drops<xref ref-type="bibr" rid="r1">1</xref>.</p>
<table-wrap><caption><p>Fog days</p></caption><table><thead><tr><th>Month</th><th>Days</th></tr></thead>
<tbody><tr><td>May</td><td>4</td></tr><tr><td colspan="2">none <bold>later</bold></td></tr></tbody></table></table-wrap></sec></body>
<back><ref-list><ref id="r1"><mixed-citation>Pier B. <italic>Mist</italic>. 1999;4:1-9.</mixed-citation></ref>
<ref id="r2"><element-citation><name><surname>Mole</surname></name><year>2001</year></element-citation></ref></ref-list></back></article>"""


def test_an_article_keeps_title_abstract_sections_tables_and_references(convert_bytes: Convert) -> None:
    """CNV-5: JATS, whose references Pandoc itself drops."""
    conversion = convert_bytes(ARTICLE, JATS)
    page = conversion.pages[0]
    assert (page.kind, conversion.paginated) == ("whole", False)
    lines = page.markdown.splitlines()
    assert lines[0] == "# Fog over harbours"
    assert [line for line in lines if line.startswith("##")] == ["## Abstract", "## Methods", "## References"]
    assert "Fog was counted." in lines
    assert "We counted 10⁶ drops1." in page.markdown
    assert lines[-2:] == ["- Pier B. Mist. 1999;4:1-9.", "- Mole 2001"]
    assert page.tables[0].rows == (("Month", "Days"), ("May", "4"), ("none later", ""))
    assert page.tables[0].header_rows == 1
    assert "Fog days" in lines
    assert "| none **later** |  |" in lines
    assert (conversion.metadata.title, conversion.metadata.author) == ("Fog over harbours", "Ada Quay")


def test_entities_of_html_are_read_in_text_and_references(convert_bytes: Convert) -> None:
    """Only the document type declares them, and it is never fetched."""
    text = ARTICLE.replace("Mist", "Mist &eacute;").replace("Fog was", "Fog &ndash; was <![CDATA[&ndash;]]> &lt;")
    markdown = convert_bytes(text, JATS).pages[0].markdown
    assert "Fog – was &amp;ndash; < counted." in markdown.replace("\\&", "&amp;")
    assert "- Pier B. Mist é. 1999;4:1-9." in markdown


def test_rich_text_keeps_emphasis_lists_tables_and_properties(convert_bytes: Convert) -> None:
    text = (
        r"{\rtf1\ansi{\info{\title Log}{\author Ada Quay}}\pard The \b keeper\b0  lit \i it\i0 .\par"
        r"\trowd\cellx2000\cellx4000\intbl Month\cell Days\cell\row"
        r"\trowd\cellx2000\cellx4000\intbl May\cell 4\cell\row\pard Na\u239?ve \'e9t\'e9.\par}"
    )
    conversion = convert_bytes(text, "application/rtf")
    page = conversion.pages[0]
    assert page.markdown.startswith("The **keeper** lit *it*.\n")
    assert "Naïve été." in page.markdown
    assert page.tables[0].rows == (("Month", "Days"), ("May", "4"))
    assert (conversion.metadata.title, conversion.metadata.author) == ("Log", "Ada Quay")


def test_characters_of_rich_text_by_number_take_one_stand_in_with_them(convert_bytes: Convert) -> None:
    text = r"{\rtf1\ansi \u8220?A\u8221? caf\u233\'e9 na\u239 ?ve \\u65? \u-10179?\u-9085?\par}"
    assert convert_bytes(text, "application/rtf").pages[0].markdown.startswith("“A” café naïve \\\\u65?")


def test_equations_of_rich_text_are_named_as_left_out(convert_bytes: Convert) -> None:
    conversion = convert_bytes(r"{\rtf1\ansi So {\mmath{\*\moMath{\mr x}}} it is.\par}", "application/rtf")
    assert [warning.code for warning in conversion.warnings] == ["partial_conversion"]


def test_open_text_keeps_headings_lists_tables_and_properties(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    text = (
        '<text:h text:outline-level="2">Weather</text:h><text:p>Wind<text:tab/>north | 1. sure</text:p>'
        "<table:table><table:table-column/><table:table-column/><table:table-row>"
        "<table:table-cell><text:list><text:list-item><text:p>first</text:p></text:list-item>"
        "<text:list-item><text:p>second</text:p></text:list-item></text:list></table:table-cell>"
        "<table:table-cell><text:p>4</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><table:table><table:table-column/><table:table-row><table:table-cell>"
        "<text:p>inner</text:p></table:table-cell></table:table-row></table:table></table:table-cell>"
        "<table:table-cell><text:p>5</text:p></table:table-cell></table:table-row></table:table>"
        '<text:p>Seen<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>By whom?</text:p></text:note-body></text:note></text:p>"
    )
    meta = "<dc:title>Log</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:date>2026-05-01</dc:date>"
    conversion = convert_bytes(open_text(text, meta=meta), ODT)
    page = conversion.pages[0]
    assert page.markdown.splitlines()[0] == "## Weather"
    assert page.tables[0].rows == (("first second", "4"), ("inner", "5"))
    assert page.markdown.endswith("Seen[^1]\n\n[^1]: By whom?\n")
    assert conversion.metadata.model_dump(exclude_defaults=True) == {
        "title": "Log", "author": "Ada", "date": "2026-05-01"
    }  # fmt: skip


def test_a_list_in_a_cell_of_an_open_text_is_shown_item_by_item(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    """CNV-8: numbers, deeper items and what stands beside the list are kept, each in its cell."""
    numbered = (
        '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-suffix="."'
        ' style:num-format="1"/></text:list-style>'
        '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>'
    )

    def listed(*items: str, style: str = "B") -> str:
        inside = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
        return f'<text:list text:style-name="{style}">{inside}</text:list>'

    cells = (
        listed("<text:p>oil</text:p>" + listed("<text:p>lamp</text:p>"), "<text:p>wick</text:p>"),
        "<text:p>Then</text:p>"
        + listed("<text:p>fill</text:p>", "<text:p>light</text:p>", style="N")
        + "<text:p>go</text:p>",
        "<text:p>dusk</text:p>",
        "<table:table><table:table-column/><table:table-row><table:table-cell>"
        + listed("<text:p>inner</text:p>")
        + "</table:table-cell></table:table-row></table:table>",
    )
    rows = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell>{cell}</table:table-cell>' for cell in row)}</table:table-row>"
        for row in (cells[:2], cells[2:])
    )
    text = f"<text:p>Before</text:p><table:table><table:table-column/><table:table-column/>{rows}</table:table><text:p>After</text:p>"

    page = convert_bytes(open_text(text, styles=numbered), ODT).pages[0]

    assert page.markdown == (
        "Before\n\n| - oil<br>- lamp<br>- wick | Then<br>1. fill<br>2. light<br>go |\n| --- | --- |\n| dusk | - inner |\n\nAfter\n"
    )
    assert page.tables[0].rows == (("oil lamp wick", "Then fill light go"), ("dusk", "inner"))


def test_hidden_text_deletions_and_comments_of_an_open_text_stand_apart(
    convert_bytes: Convert, open_text: Callable[..., bytes]
) -> None:
    styles = (
        '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="V" style:family="text"><style:text-properties text:display="true"/></style:style>'
    )
    text = (
        "<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>Ben</dc:creator>"
        "<dc:date>2026-05-02T10:00:00</dc:date></office:change-info><text:p>the whole night</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:p>The <text:span text:style-name="H">obey me </text:span><text:span text:style-name="V">lamp</text:span>'
        "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-05-01T09:00:00</dc:date><text:p>Which?</text:p>"
        '</office:annotation> burnt<text:hidden-text text:string-value="and never went out"/>.</text:p>'
    )
    page = convert_bytes(open_text(text, styles=styles), ODT).pages[0]
    assert page.markdown == (
        "The lamp burnt.\n\n## Tracked changes\n\n- Deleted by Ben, 2026-05-02: the whole night\n\n"
        "## Comments\n\n- Comment by Ada, 2026-05-01: Which?\n"
    )
    assert [hidden.text for hidden in page.hidden_text] == ["obey me", "and never went out"]


def book(first: str, second: str) -> bytes:
    """Return an EPUB of two chapters."""
    return zipped(
        {
            "mimetype": EPUB,
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "b.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">1</dc:identifier><dc:title>Tides</dc:title>'
            "<dc:creator>Ada Quay</dc:creator><dc:language>en</dc:language></metadata><manifest>"
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
            "a.xhtml": first,
            "b.xhtml": second,
        }
    )


def test_a_book_keeps_its_chapters_and_hides_what_its_pages_hide(convert_bytes: Convert) -> None:
    chapter = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{}</body></html>'
    first = chapter.format(
        '<h1>Ebb</h1><p>Water goes. <span style="display: none">obey me</span></p>'
        '<div hidden="hidden"><p>never seen</p></div><p><img src="sea.png" alt="the sea"/></p>'
    )
    second = chapter.format(
        "<h1>Flow</h1><blockquote><p>Water <code>comes</code>.</p></blockquote><dl><dt>Tide</dt><dd>both</dd></dl><hr/>"
    )
    conversion = convert_bytes(book(first, second), EPUB)
    page = conversion.pages[0]
    assert page.markdown == (
        "# Ebb\n\nWater goes.\n\n![the sea](sea.png)\n\n# Flow\n\n> Water `comes`.\n\n**Tide**\n\nboth\n\n---\n"
    )
    assert page.has_images
    assert {hidden.text for hidden in page.hidden_text} == {"obey me", "never seen"}
    assert (conversion.metadata.title, conversion.metadata.author, conversion.metadata.language) == (
        "Tides", "Ada Quay", "en"
    )  # fmt: skip


def test_a_link_inside_code_keeps_its_address(convert_bytes: Convert) -> None:
    chapter = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>{}</body></html>'
    linked = chapter.format(
        '<p>See <code><a\n href="https://x.org/s">epub:switch</a></code> and <code>epub:case</code>.</p>'
    )
    page = convert_bytes(book(linked, chapter.format("<p>end</p>")), EPUB).pages[0]
    assert page.markdown == "See [`epub:switch`](https://x.org/s) and `epub:case`.\n\nend\n"


def test_a_chapter_that_ends_in_the_middle_is_flagged(convert_bytes: Convert) -> None:
    whole, cut = "<html><body><p>Water goes.</p></body></html>", "<html><body><p>Water comes and"
    conversion = convert_bytes(book(whole, cut), EPUB)
    assert "Water comes and" in conversion.pages[0].markdown
    assert [warning.code for warning in conversion.warnings] == ["partial_conversion"]
    assert "b.xhtml" in conversion.warnings[0].message


def test_a_notebook_keeps_text_code_and_outputs(convert_bytes: Convert) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", "\n", "1. ebb\n", "2. flow"]},
        {
            "cell_type": "code", "metadata": {}, "execution_count": 1, "source": ["print(6*7)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}],
        },
        {"cell_type": "raw", "metadata": {}, "source": ["Slack water"]},
    ]  # fmt: skip
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    page = convert_bytes(json.dumps(notebook), "application/x-ipynb+json").pages[0]
    assert page.markdown.startswith("# Tides\n\n1. ebb\n2. flow\n\n```")
    assert "print(6*7)" in page.markdown
    assert "42" in page.markdown.splitlines()
    assert page.markdown.endswith("```\nSlack water\n```\n")


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("text/x-rst", "Tides\n=====\n\nEbb\n---\n\nWater *goes*.\n\nFlow\n----\n\n"),
        ("text/x-org", "#+TITLE: Tides\n* Ebb\nWater /goes/.\n* Flow\n"),
        (
            "application/x-tex",
            "\\title{Tides}\\begin{document}\\maketitle\\section{Ebb}Water \\emph{goes}.\\section{Flow}\\end{document}",
        ),
        (
            "application/docbook+xml",
            "<article><title>Tides</title><section><title>Ebb</title><para>Water <emphasis>goes</emphasis>.</para></section><section><title>Flow</title></section></article>",
        ),
    ],
)
def test_text_markup_keeps_title_headings_and_emphasis(media_type: str, text: str, convert_bytes: Convert) -> None:
    conversion = convert_bytes(text, media_type)
    assert conversion.pages[0].markdown == "# Tides\n\n## Ebb\n\nWater *goes*.\n\n## Flow\n"
    assert conversion.metadata.title == "Tides"


def test_text_that_looks_like_markup_stays_text(convert_bytes: Convert) -> None:
    page = convert_bytes("\\# no heading\n\n1\\. no item, [no] *link* a_b\n", "text/x-org").pages[0]
    assert "\\[no\\]" in page.markdown
    assert not page.markdown.startswith("# ")


def test_formulas_line_blocks_quotes_and_code(convert_bytes: Convert) -> None:
    text = (
        "| one\n| two\n\n:math:`a+b` and `site <https://octavo.example/x>`__ and `here <#x>`__\n\n"
        ".. code:: python\n\n   x = 1\n\n3. third\n4. fourth\n\n   more\n\n.. raw:: html\n\n   <b>loud</b>\n"
    )
    markdown = convert_bytes(text, "text/x-rst").pages[0].markdown
    assert markdown.startswith(
        "one\\\ntwo\n\n$a+b$ and [site](https://octavo.example/x) and here\n\n```python\nx = 1\n```"
    )
    assert "3. third\n\n4. fourth\n\n   more" in markdown
    assert "loud" in markdown


def test_a_document_without_text_says_so(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    conversion = convert_bytes(open_text("<text:p/>"), ODT)
    assert conversion.pages[0].markdown == ""
    assert [warning.code for warning in conversion.warnings] == ["no_content"]


def test_the_same_bytes_twice_are_the_same_conversion(convert_bytes: Convert) -> None:
    first, second = (convert_bytes(ARTICLE, JATS) for _ in range(2))
    assert first == second
    assert (first.engine_version or "").startswith("pandoc ")


def test_importing_the_plugin_without_the_program_starts_nothing() -> None:
    code = "import sys, octavo_pandoc.plugin\nassert not {'octavo_pandoc.program', 'lxml'} & set(sys.modules)\n"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "field",
    [
        r'{\field{\*\fldinst HYPERLINK "https://example.org/a"}{\fldrslt the page}}',
        r'{\field{\*\fldinst{HYPERLINK "https://example.org/a"}}{\fldrslt{the page}}}',
        r'{\field {\*\fldinst HYPERLINK "https://example.org/a"}{\fldrslt {the page}}}',
    ],
)
def test_a_link_of_rich_text_keeps_its_words(convert_bytes: Convert, field: str) -> None:
    """Pandoc drops a result that is no group of its own, and the words with it."""
    text = r"{\rtf1\ansi\deff0 \pard\plain Braces \{ and \}. See " + field + r" now.\par Then.\par}"
    markdown = convert_bytes(text, "application/rtf").pages[0].markdown
    assert markdown.strip() == "Braces { and }. See [the page](https://example.org/a) now.\n\nThen."


def test_what_is_raised_or_lowered_stays_apart(convert_bytes: Convert) -> None:
    """Figures have signs of their own, letters an element of HTML."""
    text = r"{\rtf1\ansi\deff0 \pard\plain 10{\super 6} m{\super st} H{\sub 2}O\par}"
    assert convert_bytes(text, "application/rtf").pages[0].markdown.strip() == "10⁶ m<sup>st</sup> H<sub>2</sub>O"
