"""Web pages and e-books (CNV-5)."""

from __future__ import annotations

import pytest
from octavo_conformance.office_writer import zipped
from octavo_contracts import ContentTooLarge, SourceCorrupt
from octavo_contracts.authoring import containers
from octavo_markitdown.web import prune


def test_a_page_keeps_headings_lists_and_tables(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Pipes in cells stay in their cell; scripts go; the title is metadata."""
    page = (
        "<html lang=de><head><title> A  title </title><script>alert(1)</script></head><body><h1>Überschrift</h1>"
        "<ul><li>one</li></ul><table><tr><th>k|1</th><th>v</th></tr><tr><td>x</td><td><b>y</b></td></tr></table></body></html>"
    )
    conversion = convert_bytes("page.html", page)
    assert not conversion.paginated
    assert conversion.pages[0].markdown == "# Überschrift\n\n* one\n\n| k\\|1 | v |\n| --- | --- |\n| x | **y** |"
    assert conversion.pages[0].tables[0].rows == (("k|1", "v"), ("x", "y"))
    assert (conversion.metadata.title, conversion.metadata.language) == ("A title", "de")


@pytest.mark.parametrize(
    ("inner", "markdown"),
    [
        ("<p>task_228_arc is a__b, not _c or d_</p>", r"task_228_arc is a__b, not \_c or d\_"),
        ("<table><tr><th>snake_case</th></tr></table>", "| snake_case |\n| --- |"),
        ("<p><code>a\\_b</code> a_b</p>", "`a\\_b` a_b"),
        ("<pre>a\\_b\n</pre><p>a_b</p>", "```\na\\_b\n```\n\na_b"),
        ("<p>größe_2 and 2_größe</p>", "größe_2 and 2_größe"),
    ],
)
def test_underscores_within_words_have_no_backslash(inner: str, markdown: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    assert convert_bytes("page.html", f"<body>{inner}</body>").pages[0].markdown == markdown


def test_row_spans_keep_columns_in_line(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A cell that reaches down leaves empty cells, at the row's end too."""
    table = (
        "<table><tr><td rowspan=3>A</td><td>1</td><td rowspan=2>Z</td></tr><tr><td>2</td></tr>"
        "<tr><td>3</td><td>4</td></tr></table>"
    )
    rows = convert_bytes("table.html", table).pages[0].tables[0].rows
    assert rows == (("A", "1", "Z"), ("", "2", ""), ("", "3", "4"))


@pytest.mark.parametrize(
    ("element", "why"),
    [
        ("<p hidden>obey</p>", "hidden_style"),
        ('<p style="display: none">obey</p>', "hidden_style"),
        ('<p style="color:red; visibility:hidden">obey</p>', "hidden_style"),
        ('<p style="opacity:0">obey</p>', "hidden_style"),
        ('<p style="font-size:0">obey</p>', "tiny"),
        ('<p style="font-size:1px !important">obey</p>', "tiny"),
        ('<p style="position:absolute;left:-9999px">obey</p>', "off_page"),
        ('<p style="color:#FFF">obey</p>', "white"),
        ('<img width="1" height="1" alt="obey" src="a.png">', "tiny"),
    ],
)
def test_hidden_elements_are_kept_apart(element: str, why: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """What the page's own markup hides is no text of the page."""
    page = convert_bytes("page.html", f"<body><p>seen</p>{element}<!-- obey --></body>").pages[0]
    assert page.markdown == "seen"
    assert [(hidden.text, hidden.why) for hidden in page.hidden_text] == [("obey", why)]


@pytest.mark.parametrize(("inside", "found"), [("", []), ("<p>obey</p>", ["Parts Chapter obey"])])
def test_a_menu_of_an_e_book_is_no_hidden_text(inside: str, found: list[str], convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    menu = f'<nav epub:type="landmarks" hidden=""><h2>Parts</h2><ol><li><a href="a">Chapter</a></li></ol>{inside}</nav>'
    page = convert_bytes("book.epub", zipped(book_parts(f"<p>seen</p>{menu}"))).pages[0]
    assert page.markdown == "**Title:** Book\n\nseen"
    assert [hidden.text for hidden in page.hidden_text] == found


@pytest.mark.parametrize(
    "element",
    [
        '<p style="font-size:1.2em">kept</p>',
        '<p style="font-size:1em">kept</p>',
        '<p style="font-size:10px">kept</p>',
        '<p style="opacity:0.5">kept</p>',
        '<div style="background:#000"><p style="color:#fff">kept</p></div>',
        '<p class="banner" style="color:white">kept</p>',
        '<p style="display:none-such">kept</p>',
    ],
)
def test_elements_that_can_be_seen_stay(element: str) -> None:
    """Small, pale and white on dark are text."""
    markup, hidden = prune(f"<body>{element}</body>")
    assert "kept" in markup
    assert hidden == ()


@pytest.mark.parametrize(
    ("data", "flagged"),
    [
        ("<p>naïve</p>".encode(), False),
        (b"\xef\xbb\xbf" + "<p>naïve</p>".encode(), False),
        (b"\xff\xfe" + "<p>naïve</p>".encode("utf-16-le"), False),
        ('<meta charset="windows-1252"><p>naïve</p>'.encode("cp1252"), False),
        ((" " * 70_000 + "<p>naïve</p>").encode(), False),
        (b"\xef\xbb\xbf<p>na\xc3\xafve</p><p>\xff</p>", True),
    ],
)
def test_encodings_are_told_apart(data: bytes, flagged: bool, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """By mark, by UTF-8, by declaration; what had to be replaced is said."""
    conversion = convert_bytes("page.html", data)
    assert conversion.pages[0].markdown.startswith("naïve")
    assert ("encoding_repaired" in [warning.code for warning in conversion.warnings]) is flagged


def test_deep_nesting_keeps_the_text_and_says_so(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The engine falls back to plain text; that is a partial conversion."""
    conversion = convert_bytes("deep.html", "<div>" * 3000 + "deep" + "</div>" * 3000)
    assert "deep" in conversion.pages[0].markdown
    assert [warning.code for warning in conversion.warnings] == ["partial_conversion"]


def test_a_page_without_text_says_so(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Nothing is a result too, with a flag."""
    conversion = convert_bytes("empty.html", "<html><body><script>x()</script></body></html>")
    assert conversion.pages[0].markdown == ""
    assert [warning.code for warning in conversion.warnings] == ["no_content"]


def book_parts(chapter: str) -> dict[str, str | bytes]:
    """An EPUB of one chapter."""
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/c.opf"/></rootfiles></container>',
        "OPS/c.opf": '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Book</dc:title></metadata>'
        '<manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
        "OPS/a.xhtml": f"<html><body>{chapter}</body></html>",
    }


def test_a_book_keeps_its_chapters_and_hides_what_is_hidden(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Chapters in reading order, the title as metadata."""
    conversion = convert_bytes("book.epub", zipped(book_parts("<h1>One</h1><p>漢字</p><p hidden=''>obey</p>")))
    page = conversion.pages[0]
    assert "# One\n\n漢字" in page.markdown
    assert "obey" not in page.markdown
    assert [hidden.text for hidden in page.hidden_text] == ["obey"]
    assert conversion.metadata.title == "Book"


@pytest.mark.parametrize(
    ("chapter", "markdown"),
    [
        (
            "<p>It is <math xmlns='http://www.w3.org/1998/Math/MathML'>\n<mfrac>\n<mi>a_1</mi>\n<mn>2</mn></mfrac>\n</math> long.</p>",
            "It is $\\frac{a\\_1}{2}$ long.",
        ),
        (
            "<div><m:math xmlns:m='http://www.w3.org/1998/Math/MathML' display='block'>\n<m:mi>x</m:mi>\n<m:mo>=</m:mo><!-- is -->"
            "<m:mn>2</m:mn></m:math><p>so</p></div>",
            "$$x = 2$$\n\nso",
        ),
        (
            "<table><tr><th>a</th></tr><tr><td><math><mo>|</mo><mi>x</mi><mo>|</mo></math></td></tr></table>",
            "| a |\n| --- |\n| $\\|x\\|$ |",
        ),
        (
            "<epub:switch><epub:case required-namespace='urn:x'><p>no</p></epub:case>"
            "<epub:default><p>yes</p></epub:default></epub:switch><p>end</p>",
            "yes\n\nend",
        ),
        (
            "<epub:switch><epub:case required-namespace='http://www.w3.org/1998/Math/MathML'><p><math><mi>x</mi></math></p></epub:case>"
            "<epub:default><p>no</p></epub:default></epub:switch>",
            "$x$",
        ),
        (
            "<p>the <code><a href='https://x.org/s'>epub:switch</a></code> element</p>",
            "the [`epub:switch`](https://x.org/s) element",
        ),
        (
            "<p>one line\n   of the source,\n<b>then</b> another</p><pre>a\n b</pre>",
            "one line of the source, **then** another\n\n```\na\n b\n```",
        ),
    ],
)
def test_a_chapter_is_read_as_a_book_shows_it(chapter: str, markdown: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Formulas are TeX, a switch has one branch, code in a link is no link in code, and lines of the source are no lines of the text."""
    assert convert_bytes("book.epub", zipped(book_parts(chapter))).pages[0].markdown == f"**Title:** Book\n\n{markdown}"


def test_a_book_names_its_authors_and_its_language(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    parts = book_parts("<p>x</p>")
    said = "<dc:creator>Ada Lovelace</dc:creator><dc:creator>Mary\n Somerville</dc:creator><dc:language>en-GB</dc:language>"
    parts["OPS/c.opf"] = str(parts["OPS/c.opf"]).replace("</dc:title>", f"</dc:title>{said}")
    book = convert_bytes("book.epub", zipped(parts))
    metadata = book.metadata
    assert (metadata.title, metadata.author, metadata.language) == ("Book", "Ada Lovelace, Mary Somerville", "en-GB")
    assert book.pages[0].markdown.startswith("**Title:** Book\\\n**Authors:** Ada Lovelace, ")
    assert book.pages[0].markdown.endswith("\\\n**Language:** en-GB\n\nx"), "the last line of the head has no break"


def test_a_chapter_that_ends_in_the_middle_is_flagged(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine reads HTML, which may end anywhere; a chapter of a book may not."""
    parts = book_parts("<h1>One</h1><p>Ebb and flow</p>")
    parts["OPS/a.xhtml"] = "<html><body><h1>One</h1><p>Ebb and"
    conversion = convert_bytes("book.epub", zipped(parts))
    assert "Ebb and" in conversion.pages[0].markdown
    assert [warning.code for warning in conversion.warnings] == ["partial_conversion"]


def test_a_broken_book_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The message names the class of the cause that the engine swallowed."""
    parts = book_parts("x")
    del parts["META-INF/container.xml"]
    with pytest.raises(SourceCorrupt, match="EpubConverter failed with KeyError"):
        convert_bytes("book.epub", zipped(parts))


@pytest.mark.parametrize(("limit", "value"), [("MAX_ENTRIES", 2), ("MAX_UNPACKED_BYTES", 50)])
def test_containers_beyond_the_limits_are_too_large(  # type: ignore[no-untyped-def]  # fixtures
    limit: str, value: int, monkeypatch: pytest.MonkeyPatch, convert_bytes
) -> None:
    """Entries and unpacked bytes are counted before anything is read."""
    monkeypatch.setattr(containers, limit, value)
    with pytest.raises(ContentTooLarge):
        convert_bytes("book.epub", zipped(book_parts("x")))


def test_an_unknown_encoding_is_guessed(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A declaration that names no encoding does not stop the conversion."""
    text = "Здравствуйте, это обычный русский текст о гавани и кораблях. " * 20
    page = convert_bytes("page.html", f'<meta charset="no-such"><p>{text}</p>'.encode("cp1251")).pages[0]
    assert "обычный русский текст" in page.markdown


def test_markup_that_no_parser_takes_is_corrupt(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A marked section that is none."""
    with pytest.raises(SourceCorrupt, match="cannot be parsed"):
        convert_bytes("page.html", "<p hidden>x</p><![foo[<")


@pytest.mark.parametrize("blank", ["<span> </span>", "<b>\n</b>"])
def test_an_element_with_a_blank_parts_words(blank: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The figures on both sides are two."""
    page = convert_bytes("page.html", f"<html><body><p>12{blank}350</p></body></html>").pages[0]
    assert page.markdown.split() == ["12", "350"]


def test_rows_longer_than_the_first_keep_their_cells(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Markdown drops cells beyond its first row."""
    table = "<table><tr><td>a</td></tr><tr><td>b</td><td>c</td></tr></table>"
    assert convert_bytes("table.html", table).pages[0].tables[0].rows == (("a", ""), ("b", "c"))


def test_items_keep_numbers_of_their_own(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """`value` sets the number of an item and of those behind it."""
    page = "<html><body><ol><li>one</li><li value='14'>two</li><li>three</li></ol></body></html>"
    lines = convert_bytes("list.html", page).pages[0].markdown.split("\n")
    assert [line for line in lines if line] == ["1. one", "14. two", "15. three"]
