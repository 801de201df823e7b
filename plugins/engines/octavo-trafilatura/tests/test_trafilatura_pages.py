"""Articles, plain documents, listings and pages that hold nothing (CNV-11)."""

from __future__ import annotations

import pytest
from octavo_contracts import SourceCorrupt

SENTENCE = "The harbour authority counted the ships that called in spring and wrote a report about them. "
PARAGRAPHS = "".join(f"<p>{SENTENCE}Paragraph number {number} tells of berth {number}.</p>" for number in range(8))
MENU = "<nav><ul>" + "".join(f'<li><a href="/m{n}">Menu entry {n}</a></li>' for n in range(20)) + "</ul></nav>"
ARTICLE = f"""<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8"><title>Ships in spring | Harbour News</title>
<meta property="og:type" content="article"><meta property="og:site_name" content="Harbour News">
<meta name="author" content="Ada Lovelace"><meta property="article:published_time" content="2024-03-05T10:00:00Z">
<link rel="canonical" href="https://news.example.org/ships"></head><body>{MENU}
<article><h1>Ships in spring</h1>{PARAGRAPHS}<h2>By berth</h2><ul><li>First berth of all</li><li>Second berth of all</li></ul>
<table><tr><th>Berth</th><th>Calls</th></tr><tr><td>One</td><td>12</td></tr></table>
<p>See <a href="https://example.org/report">the full report</a> for more about the ships &amp; their cargo &lt;1 t.</p></article>
<footer><p>Copyright Harbour News, all rights reserved, imprint, privacy</p></footer></body></html>"""


def codes(conversion):
    return [warning.code for warning in conversion.warnings]


def test_the_main_content_comes_without_the_furniture(convert):
    conversion = convert(ARTICLE)
    text = conversion.pages[0].markdown
    assert all(f"berth {number}" in text for number in range(8))
    assert "Menu entry" not in text
    assert "Copyright" not in text
    assert (conversion.paginated, conversion.pages[0].kind, conversion.warnings) == (False, "whole", ())


def test_structure_of_the_main_content_is_kept(convert):
    page = convert(ARTICLE).pages[0]
    assert "## By berth" in page.markdown
    assert "- First berth of all\n- Second berth of all" in page.markdown
    assert "| Berth | Calls |\n| --- | --- |\n| One | 12 |" in page.markdown
    assert "[the full report](https://example.org/report)" in page.markdown
    assert "ships & their cargo <1 t." in page.markdown
    assert page.tables[0].rows == (("Berth", "Calls"), ("One", "12"))


def test_metadata_is_what_the_page_says_of_itself(convert):
    metadata = convert(ARTICLE).metadata
    assert metadata.title == "Ships in spring"
    assert (metadata.author, metadata.date, metadata.source) == ("Ada Lovelace", "2024-03-05", "Harbour News")
    assert metadata.language == "en-GB"
    assert metadata.fields["url"] == "https://news.example.org/ships"


def test_equal_bytes_give_equal_conversions(convert):
    assert convert(ARTICLE) == convert(ARTICLE)


def test_code_in_an_article_stays_code(convert):
    page = ARTICLE.replace("<h2>By berth", "<pre><code>for ship in fleet:\n    print(ship)</code></pre><h2>By berth")
    assert "```\nfor ship in fleet:\n    print(ship)\n```" in convert(page).pages[0].markdown


def test_a_plain_document_is_converted_whole(convert):
    """A page without furniture is a document: nothing of it may be taken for boilerplate."""
    page = "<h1>Manual</h1><p>Short.</p><h2>Use</h2><ol><li>Open</li><li>Close</li></ol><h3>Note</h3><p>End.</p>"
    conversion = convert(page)
    assert conversion.pages[0].markdown == "# Manual\n\nShort.\n\n## Use\n\n1. Open\n2. Close\n\n### Note\n\nEnd."
    assert conversion.warnings == ()


def test_a_corner_of_a_listing_is_not_taken_for_its_content(convert):
    items = "".join(f"<div class=item><a href='/p{n}'>Product {n}</a> costs {n} euros</div>" for n in range(120))
    conversion = convert(f"<html><body>{MENU}<p>{SENTENCE * 3}</p><div class=list>{items}</div></body></html>")
    text = conversion.pages[0].markdown
    assert "[Product 0](/p0) costs 0 euros" in text
    assert "[Product 119](/p119)" in text
    assert "Menu entry" not in text
    assert codes(conversion) == ["main_content_not_found"]


def test_when_nothing_is_found_the_whole_page_is_given(convert):
    page = (
        f"<html><body>{MENU}<div role=main><ul>"
        + "".join(f"<li><a href='/{n}'>Entry {n}</a></li>" for n in range(90))
        + "</ul></div></body></html>"
    )
    conversion = convert(page)
    assert "- [Entry 89](/89)" in conversion.pages[0].markdown
    assert "Menu entry" not in conversion.pages[0].markdown
    assert codes(conversion) == ["main_content_not_found"]


def test_an_engine_that_stumbles_is_replaced_by_the_whole_page(convert, monkeypatch):
    def stumble(*args, **kwargs):
        raise AttributeError("'NoneType' object has no attribute 'text'")

    monkeypatch.setattr("trafilatura.bare_extraction", stumble)
    conversion = convert(ARTICLE)
    assert "berth 7" in conversion.pages[0].markdown
    assert "Menu entry" not in conversion.pages[0].markdown
    assert codes(conversion) == ["main_content_not_found"]
    assert "AttributeError" in conversion.warnings[0].message
    assert conversion.metadata.title == "Ships in spring | Harbour News"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            '<div id="app"></div><noscript>Please enable JavaScript.</noscript><script src="a.js"></script>',
            "script fills in",
        ),
        ('<div id="app">Loading</div><noscript>Please enable JavaScript.</noscript>', "script fills in"),
        ("<img src='a.png'>", "no visible text"),
        ("<h2>Cookies</h2><p>We use cookies with your consent.</p><button>Accept all</button>", "consent wall"),
        ("<h1>Page not found</h1><p>Try the search.</p>", "error page"),
        ("<h1>Just a moment</h1><p>Checking your browser.</p>", "access check"),
    ],
)
def test_a_page_with_nothing_to_read_says_so(convert, body, why):
    conversion = convert(f"<html><head><title>x</title></head><body>{body}</body></html>")
    assert codes(conversion) == ["no_content"]
    assert why in conversion.warnings[0].message


def test_an_article_about_cookies_is_an_article(convert):
    text = f"<h1>Cookies and consent</h1><p>{'Partners set cookies; readers accept or reject them. ' * 40}</p>"
    assert codes(convert(f"<body>{text}</body>")) == []


@pytest.mark.parametrize(
    ("data", "text", "code"),
    [
        ("<p>Grüße</p>".encode("utf-8-sig"), "Grüße", []),
        ("<p>Grüße</p>".encode("utf-16"), "Grüße", []),
        ('<meta charset="iso-8859-1"><p>“Grüße” €</p>'.encode("cp1252"), "“Grüße” €", []),
        ('<meta charset="iso-8859-1"><p>Grüße</p>'.encode(), "Grüße", []),
        ('<meta charset="utf-16"><p>Grüße</p>'.encode(), "Grüße", []),
        ('<meta charset="base64"><p>Grüße</p>'.encode(), "Grüße", []),
        ('<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis"), "日本語", []),
        ('<meta charset="iso-2022-jp"><p>日本語</p>'.encode("iso2022_jp"), "日本語", []),
        (
            ("<p>" + "Привет, мир. Это текст для проверки. " * 5 + "</p>").encode("cp1251"),
            "Привет, мир.",
            ["encoding_guessed"],
        ),
        ('<meta charset="utf-8"><p>Grüße äöü'.encode() + b"\xff</p>", "Grüße äöü\ufffd", ["encoding_repaired"]),
        (b"<p>one\x00two</p>", "one\ufffdtwo", ["encoding_repaired"]),
    ],
)
def test_encodings(convert, data, text, code):
    conversion = convert(data)
    assert text in conversion.pages[0].markdown
    assert codes(conversion) == code


def test_floods_end_and_keep_their_text(convert):
    assert "bottom" in convert("<div>" * 60_000 + "bottom" + "</div>" * 60_000).pages[0].markdown
    assert convert("<p>lead</p>" + "<!--" * 60_000).pages[0].markdown == "lead"


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("<b>x" * 20_000 + "end", "end"),
        ("<ul><li>x" * 10_000 + "end", "end"),
        ("<table><tr><td>x" * 5_000 + "end", "end"),
        ("<div>" * 3_000 + "</p></span>" * 10_000 + "end", "end"),
        ("<div><p>x</div>" * 200 + "<div>" * 400 + "a<br>b<!-- c --><script>s</script></div>" * 400 + "end", "end"),
    ],
    ids=["inline", "lists", "tables", "end-tags", "mixed"],
)
def test_deep_pages_are_unwrapped_with_a_note(convert, page, kept):
    conversion = convert(page)
    assert kept in conversion.pages[0].markdown
    assert "deep_nesting" in codes(conversion)


def test_a_picture_written_into_the_page_costs_nothing(convert):
    page = f'<p>before</p><img alt="" src="data:image/png;base64,{"A" * 11_000_000}"><p>after</p>'
    assert convert(page).pages[0].markdown == "before\n\nafter"


def test_a_text_beyond_the_parser_is_reported(convert):
    conversion = convert("<p>lead</p><p>" + "word " * 2_200_000)
    assert "partial_conversion" in codes(conversion)


def test_deep_json_for_search_engines_is_harmless(convert):
    page = ARTICLE.replace("</head>", f'<script type="application/ld+json">{"[" * 100_000}</script></head>')
    assert "berth 7" in convert(page).pages[0].markdown


def test_a_page_without_an_element_is_corrupt(convert):
    with pytest.raises(SourceCorrupt, match="no HTML element"):
        convert(b" \n ")


def test_links_of_an_article_are_joined_to_its_base(convert):
    page = ARTICLE.replace("<head>", '<head><base href="https://n.example.org/a/b/">').replace(
        "https://example.org/report", "report.html"
    )
    assert "(https://n.example.org/a/b/report.html)" in convert(page).pages[0].markdown
