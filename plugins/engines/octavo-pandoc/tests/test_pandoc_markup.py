"""Markup that people write by hand, and XML that programs do: what is kept, what is hidden, what is not opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import Conversion, ConversionTimeout, SourceCorrupt

TEX, RST, ORG, WIKI = "application/x-tex", "text/x-rst", "text/x-org", "text/x-wiki"
FB2, OPML = "application/x-fictionbook+xml", "text/x-opml+xml"
Convert = Callable[..., Conversion]

BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info>
<author><first-name>Ada</first-name><last-name>Quay</last-name></author><book-title>The Lamp</book-title>
<annotation><p>About a lamp.</p></annotation></title-info></description>
<body><title><p>The Lamp</p></title><section><title><p>Ebb</p></title><p>It was <emphasis>lit</emphasis>.<a l:href="#n1"
type="note">1</a></p></section></body>
<body name="notes"><section id="n1"><title><p>1</p></title><p>By whom?</p></section></body></FictionBook>"""


def warned(conversion: Conversion) -> list[tuple[str, str]]:
    return [(warning.code, warning.message) for warning in conversion.warnings]


def test_a_page_of_a_wiki_keeps_headings_links_tables_notes_and_lists(convert_bytes: Convert) -> None:
    text = (
        "= Tides =\nThe '''keeper''' wrote [[Log|the log]].<ref>By whom?</ref>\n\n"
        '{| class="wikitable"\n|+ Fog days\n! Month !! Days\n|-\n| May || 4\n|}\n\n* one\n** two\n\n{{Stub|a=1}}\n'
    )
    page = convert_bytes(text, WIKI).pages[0]
    assert page.markdown.startswith("# Tides\n\nThe **keeper** wrote the log.[^1]\n")
    assert page.tables[0].rows == (("Month", "Days"), ("May", "4"))
    assert "- one\n  - two" in page.markdown
    assert "{{Stub|a=1}}" in page.markdown
    assert page.markdown.endswith("[^1]: By whom?\n")


@pytest.mark.parametrize("breaks", [1, 2, 3])
def test_breaks_around_a_paragraph_leave_no_marks(convert_bytes: Convert, breaks: int) -> None:
    many = "<br/>" * breaks
    page = convert_bytes(f"{many} one<br/>two {many}\n", WIKI).pages[0]
    assert page.markdown == "one\\\ntwo\n"


def test_what_the_html_of_a_wiki_hides_stands_apart(convert_bytes: Convert) -> None:
    text = (
        "Seen <span style=\"display:none\">obey ''me''</span> here.<br>\n\n<div hidden>\nnever\n\n* seen\n</div>\n\n"
        "<div><b>After</b> it</div>\n"
    )
    page = convert_bytes(text, WIKI).pages[0]
    assert "Seen here." in page.markdown
    assert "After" in page.markdown
    assert [hidden.text for hidden in page.hidden_text] == ["never seen", "obey me"]
    assert not {"obey", "never", "<"} & set(page.markdown.replace("<", " < ").split())


def test_html_in_another_markup_shows_what_it_shows(convert_bytes: Convert) -> None:
    """A script is no text, and what hides is kept apart."""
    html = (
        '<p>loud<br/></p><img src="x"><script>steal()</script><div style="visibility: hidden">obey <i>me</i></div></b>'
    )
    page = convert_bytes(f"Quiet\n\n.. raw:: html\n\n   {html}\n", RST).pages[0]
    assert "loud" in page.markdown
    assert not {"steal", "obey"} & set(page.markdown.replace("(", " ").split())
    assert [hidden.text for hidden in page.hidden_text] == ["obey me"]


def test_a_book_in_xml_has_its_title_once_with_its_annotation_and_notes(convert_bytes: Convert) -> None:
    conversion = convert_bytes(BOOK, FB2)
    assert conversion.pages[0].markdown == (
        "Ada Quay\n\n## Abstract\n\nAbout a lamp.\n\n# The Lamp\n\n## Ebb\n\nIt was *lit*.[^1]\n\n[^1]: By whom?\n"
    )
    assert (conversion.metadata.title, conversion.metadata.author) == ("The Lamp", "Ada Quay")
    assert warned(conversion) == []


def test_tables_of_a_book_in_xml_are_named_as_left_out(convert_bytes: Convert) -> None:
    """Pandoc drops them in silence."""
    text = BOOK.replace("</section></body>\n<body", "<table><tr><td>May</td></tr></table></section></body>\n<body")
    assert warned(convert_bytes(text, FB2)) == [("partial_conversion", "Tables of a FictionBook are not read.")]


def test_an_outline_keeps_its_levels_and_says_that_addresses_are_left_out(convert_bytes: Convert) -> None:
    text = (
        '<?xml version="1.0"?><opml version="2.0"><head><title>Harbours</title></head><body><outline text="North">'
        '<outline text="Skagen" type="rss" xmlUrl="https://octavo.example/feed"/></outline><outline text="West"/></body></opml>'
    )
    conversion = convert_bytes(text, OPML)
    assert conversion.pages[0].markdown == "# Harbours\n\n## North\n\n### Skagen\n\n## West\n"
    assert warned(conversion) == [("partial_conversion", "Addresses of an outline's entries are not read.")]


@pytest.mark.parametrize("command", ["input", "include", "verbatiminput", "lstinputlisting"])
def test_latex_does_not_open_the_files_that_it_names(command: str, convert_bytes: Convert, tmp_path: Path) -> None:
    """CNV-17: by name, by path, or from the folder where Pandoc runs."""
    secret = tmp_path / "secret.tex"
    secret.write_text("The password is herring.")
    text = (
        "\\documentclass{article}\\usepackage{listings,verbatim}\\begin{document}Before\n\n"
        f"\\{command}{{secret}}\n\n\\{command}{{{secret}}}\n\n\\{command}{{../secret.tex}}\n\nAfter\\end{{document}}"
    )
    conversion = convert_bytes(text, TEX)
    markdown = conversion.pages[0].markdown
    assert "herring" not in markdown
    assert markdown.startswith("Before")
    assert markdown.rstrip().endswith("After")
    if command in ("input", "include"):
        ((code, message),) = warned(conversion)
        assert code == "partial_conversion"
        assert message.startswith("Files that the document includes are not opened: secret")


def test_many_files_that_are_not_opened_are_counted(convert_bytes: Convert) -> None:
    inputs = "".join(f"\\input{{part{number}}}\n" for number in range(8))
    ((_, message),) = warned(convert_bytes(f"\\begin{{document}}{inputs}Text\\end{{document}}", TEX))
    assert message.endswith("part4.tex and 3 more.")


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        (ORG, '* Log\n#+INCLUDE: "{secret}"\nEnd\n'),
        (RST, "Log\n===\n\n.. include:: {secret}\n\n.. literalinclude:: {secret}\n\nEnd\n"),
        (WIKI, "= Log =\n{{{{:{secret}}}}}\n\nEnd\n"),
    ],
)
def test_other_markup_does_not_open_the_files_that_it_names(
    media_type: str, text: str, convert_bytes: Convert, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is herring.")
    markdown = convert_bytes(text.format(secret=secret), media_type).pages[0].markdown
    assert "herring" not in markdown
    assert "End" in markdown


def test_a_table_from_a_file_is_an_error_of_the_document(convert_bytes: Convert) -> None:
    """Pandoc gives up then; the next engine has the source of the text."""
    with pytest.raises(SourceCorrupt, match="secret"):
        convert_bytes(".. csv-table:: Fog\n   :file: secret.csv\n", RST)


def test_macros_that_double_without_end_end_with_the_time(convert_bytes: Convert) -> None:
    macros = "".join(f"\\def\\{chr(98 + n)}{{{f'{chr(92)}{chr(97 + n)}' * 10}}}" for n in range(12))
    with pytest.raises(ConversionTimeout):
        convert_bytes(f"\\def\\a{{xx}}{macros}\\begin{{document}}\\m\\end{{document}}", TEX, seconds=2)


@pytest.mark.parametrize(("media_type", "text"), [(FB2, BOOK), (OPML, '<opml version="2.0"><body/></opml>')])
def test_declared_entities_are_refused_in_each_kind_of_xml(media_type: str, text: str, convert_bytes: Convert) -> None:
    root = text.partition("?>")[2] or text
    with pytest.raises(SourceCorrupt, match="entities"):
        convert_bytes(f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hosts">]>{root}', media_type)


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        (r"\cventry{1842}{Analyst}{Babbage and Co}{}{}{Wrote the first program.}", r"\cventry"),
        (r"\important{You must pay within ten days.}", r"\important"),
        (r"\marginpar{in the margin}", r"\marginpar"),
    ],
)
def test_words_in_a_command_that_is_not_known_are_not_lost_in_silence(
    convert_bytes: Convert, command: str, lost: str
) -> None:
    ((code, message),) = warned(
        convert_bytes(f"\\documentclass{{cv}}\\begin{{document}}Seen. {command}\\end{{document}}", TEX)
    )
    assert code == "partial_conversion"
    assert message == f"Commands that Pandoc does not know are left out, and the words in them: {lost}."


def test_layout_that_is_left_out_is_no_loss(convert_bytes: Convert) -> None:
    text = (
        r"\documentclass{article}\usepackage[margin=1cm]{geometry}\begin{document}\section{Ebb}\label{sec:ebb}"
        r"\vspace{1cm}\noindent It \textbf{ebbs}.\newpage\centering\hfill\bibliographystyle{plain}\end{document}"
    )
    assert warned(convert_bytes(text, TEX)) == []


RUSSIAN = "Привет, мир."


@pytest.mark.parametrize(
    ("text", "encoding", "media_type"),
    [
        (BOOK.replace("UTF-8", "windows-1251").replace("About a lamp.", RUSSIAN), "cp1251", FB2),
        (BOOK.replace("UTF-8", "UTF-16").replace("About a lamp.", RUSSIAN), "utf-16", FB2),
        (
            rf"\documentclass{{a}}\usepackage[koi8-r]{{inputenc}}\begin{{document}}{RUSSIAN}\end{{document}}",
            "koi8-r",
            TEX,
        ),
        (f"Title\n=====\n\n{RUSSIAN}\n", "utf-16", RST),
    ],
)
def test_a_document_is_read_in_the_encoding_that_it_says(
    convert_bytes: Convert, text: str, encoding: str, media_type: str
) -> None:
    """Pandoc itself takes all that is no UTF-8 for Latin-1."""
    assert RUSSIAN in convert_bytes(text.encode(encoding), media_type).pages[0].markdown


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (RUSSIAN.encode("cp1251"), WIKI),
        (BOOK.replace("About a lamp.", RUSSIAN).encode("cp1251"), FB2),
        (BOOK.replace("UTF-8", "martian").encode(), FB2),
    ],
)
def test_an_encoding_that_nobody_says_is_not_guessed(convert_bytes: Convert, data: bytes, media_type: str) -> None:
    """An engine that guesses may follow."""
    with pytest.raises(SourceCorrupt):
        convert_bytes(data, media_type)


@pytest.mark.parametrize(
    ("text", "media_type", "said"),
    [
        ('{| class="wikitable"\n! colspan=2 | People\n|-\n| Berlin || 3\n|}\n', WIKI, "merged cells"),
        ("* Seen\nhere\n* Kept :ARCHIVE:\nthere\n", ORG, "Archived"),
        ("T\n=\n\n.. literalinclude:: a.py\n\nSeen.\n", RST, "not opened"),
        (
            "<book xmlns='http://docbook.org/ns/docbook' xmlns:xi='http://www.w3.org/2001/XInclude'><title>T</title>"
            "<chapter><title>A</title><para>B</para></chapter><xi:include href='c.xml'/></book>",
            "application/docbook+xml",
            "not opened",
        ),
    ],
)
def test_what_pandoc_drops_is_said(convert_bytes: Convert, text: str, media_type: str, said: str) -> None:
    assert [said in message for _, message in warned(convert_bytes(text, media_type))] == [True]


def test_white_text_of_a_wiki_stands_apart(convert_bytes: Convert) -> None:
    page = convert_bytes(
        "Seen <span style='color:white'>obey</span> <span style='background-color: white'>on white</span>.\n", WIKI
    ).pages[0]
    assert [hidden.text for hidden in page.hidden_text] == ["obey"]
    assert "on white" in page.markdown


def test_letters_and_roman_numerals_of_a_list_stay_as_they_are_shown(convert_bytes: Convert) -> None:
    """CNV-8: markdown numbers lists in decimals alone."""
    text = "iv. ebb\n\n    more of it\n\nv. flow\n\n(B) quay\n\n(C) pier\n\n1) one\n2) two\n"
    page = convert_bytes(text, RST).pages[0]
    lines = page.markdown.split("\n")
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "- iv. ebb",
        "- v. flow",
        "- (B) quay",
        "- (C) pier",
        "1) one",
        "2) two",
    ]
    assert "  more of it" in page.markdown


def test_lists_in_cells_are_shown_item_by_item(convert_bytes: Convert) -> None:
    """CNV-8."""
    table = (
        "+------+-----------+\n| Who  | Does      |\n+======+===========+\n| Ada  | Mondays:  |\n|      |           |\n"
        "|      | - reads   |\n|      | - winds   |\n|      |           |\n|      | then home |\n+------+-----------+\n"
    )
    page = convert_bytes(table, RST).pages[0]
    assert page.markdown.splitlines()[-1] == "| Ada | Mondays:<br>- reads<br>- winds<br>then home |"
    assert page.tables[0].rows[1] == ("Ada", "Mondays: reads winds then home")
