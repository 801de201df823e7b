"""HTML bodies of mail, through the hook."""

from __future__ import annotations

import time

import pytest


@pytest.fixture
def page(convert):
    """`page(html)`: the one page of a mail with this HTML body."""

    def run(html: str):
        data = b"Subject: s\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode()
        return convert(data, "message/rfc822").pages[0]

    return run


def body(page) -> str:
    return page.markdown.removeprefix("# s").strip("\n")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Head</h2><p>One <b>two</b> <i>three</i>.<p>Four", "## Head\n\nOne **two** *three*.\n\nFour"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("a<br>b<br><br>c", "a\\\nb\n\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a</li><li><p>b</p><p>c</p></li></ol>", "1. a\n2. b\n\n   c"),
        ('<a href="https://x.org/a b">text</a>', "[text](https://x.org/a%20b)"),
        (
            '<a href="https://x.org/?a=1&reg=2&copy=3&amp;b=4&para">text</a>',
            "[text](https://x.org/?a=1&reg=2&copy=3&b=4¶)",
        ),
        ('<a href="https://x.org">https://x.org</a> <a href="javascript:x()">js</a>', "https://x.org js"),
        ("<blockquote><p>q1</p><p>q2</p></blockquote>", "> q1\n>\n> q2"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("x <code>a`b</code> y", "x ``a`b`` y"),
        ("a &lt; b &amp; c &gt; d", "a < b & c > d"),
        ("1 * 2 # 3", "1 \\* 2 # 3"),
        ("<b><b>x</b></b>", "**x**"),
        ("<style>p{}</style><script>x</script><title>t</title>shown", "shown"),
        ('<p title="a>b">ok</p>', "ok"),
        ("<!-- c --><!doctype html><![if mso]>x<![endif]>", "x"),
        ("keep <!-- open <p>this", "keep open\n\nthis"),
        ("a <b unfinished", "a \\<b unfinished"),
        ("<hr>", "---"),
        ("<table><tr><td>left</td><td>right</td></tr></table>", "left\n\nright"),
    ],
)
def test_markup_becomes_markdown(page, html, markdown):
    assert body(page(html)) == markdown


def test_a_table_with_header_cells_is_a_table(page):
    found = page("<table><thead><tr><th>A<th>B</tr></thead><tr><td>1<br>2<td>x|y</tr><tr><td>z</td></tr></table>")
    assert body(found) == "| A | B |\n| --- | --- |\n| 1 2 | x\\|y |\n| z |"
    assert found.tables[0].rows == (("A", "B"), ("1 2", "x|y"), ("z", ""))


@pytest.mark.parametrize(
    ("element", "why"),
    [
        ('<p style="display: none">SECRET</p>', "hidden_style"),
        ("<p hidden>SECRET</p>", "hidden_style"),
        ('<p style="visibility:hidden">SECRET</p>', "hidden_style"),
        ('<p style="mso-hide:all">SECRET</p>', "hidden_style"),
        ('<p style="font-size:0px;color:#123">SECRET</p>', "tiny"),
        ('<p style="position:absolute;left:-9999px">SECRET</p>', "off_page"),
        ('<p style="color:#FFFFFF">SECRET</p>', "white"),
        ('<font color="white">SECRET</font>', "white"),
        ('<img src="t.gif" width="1" height="1" alt="SECRET">', "tiny"),
        ('<div style="display:none"><script>x</script><p>SECRET</p></div>', "hidden_style"),
    ],
)
def test_hidden_text_is_kept_apart(page, element, why):
    found = page(f"<p>Before</p>{element}<p>After</p>")
    assert body(found) == "Before\n\nAfter"
    assert [(hidden.text, hidden.why) for hidden in found.hidden_text] == [("SECRET", why)]


@pytest.mark.parametrize(
    "html",
    [
        '<table bgcolor="#003366"><tr><td style="color:#fff">Shown</td></tr></table>',
        '<p style="background-color:navy;color:white">Shown</p>',
        '<p style="font-size:10px;opacity:0.5">Shown</p>',
    ],
)
def test_text_that_can_be_seen_is_not_hidden(page, html):
    found = page(html)
    assert body(found) == "Shown"
    assert found.hidden_text == ()


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<div>" * 20_000 + "deep end", "deep end"),
        ("<div>" * 200 + "x" + "</div>" * 200 + "after", "after"),
        ("<p>lead</p>" + "<!--" * 20_000, "lead"),
        ("<a " * 20_000 + "end", "end"),
        ("<b>x" * 20_000 + "end", "end"),
        ("<div>" * 90 + "</p>" * 20_000 + "end", "end"),
        ("<table><tr><td>x" * 5_000 + "end", "end"),
        ("start<script>" * 2_000, "start"),
        ('<p data-x="' + "y" * 50_000 + '">end', "end"),
        ('<img src="data:image/png;base64,' + "A" * 500_000 + '">end', "end"),
    ],
    ids=[
        "deep",
        "deep-closed",
        "comments",
        "unclosed-tags",
        "bold",
        "end-tags",
        "tables",
        "scripts",
        "long-tag",
        "data-uri",
    ],
)
def test_floods_end_soon_and_keep_their_text(page, html, kept):
    started = time.monotonic()
    assert kept in page(html).markdown
    assert time.monotonic() - started < 20
