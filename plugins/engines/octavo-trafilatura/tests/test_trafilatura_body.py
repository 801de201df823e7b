"""How elements become markdown, through pages that are plain documents."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a <b>b</b> <em>c</em> <del>d</del> H<sub>2</sub>O</p>", "a **b** *c* ~~d~~ H<sub>2</sub>O"),
        ("<p><b>a <b>b</b></b><strong> c </strong>d</p>", "**a b** **c** d"),
        ("<p>1 * 2, a_b, _c_, [d], <code>x`y</code></p>", "1 \\* 2, a_b, \\_c\\_, \\[d\\], ``x`y``"),
        ("<p># no heading<br>- no list</p><p>1. no list</p>", "\\# no heading\\\n\\- no list\n\n1\\. no list"),
        ("<p>one. <br><br></p><p>two<br> </p>", "one.\n\ntwo"),
        ("one<br>two<br><br>three", "one\\\ntwo\n\nthree"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<span><p>a</p></span>b", "a\n\nb"),
        ('<p><a href="https://x.org/a (b)">l</a>, <a href="#f">f</a>, <a href="javascript:x">j</a>, <a href="p.html">r</a></p>',
         "[l](https://x.org/a%20%28b%29), f, j, [r](p.html)"),
        ('<head><base href="https://x.org/d/"></head><p>A sentence of several words leads to <a href="p.html">r</a> or <a href="http://[">b</a>.</p>', "A sentence of several words leads to [r](https://x.org/d/p.html) or [b](http://[)."),
        ('<p>see <a href="http://[">broken</a></p>', "see [broken](http://[)"),
        ('<p>x <img src="i.png" alt="A cat"> <img src="data:image/png;base64,AA" alt="dot"> <img src="n.png"></p>',
         "x ![A cat](i.png) [Image: dot]"),
        ("<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul>", "- a\n  - b\n- c\n\n  d"),
        ("<ol start=3><li>a</li><li>b</li><ul><li>c</li></ul></ol>", "3. a\n4. b\n   - c"),
        ("<ul>lead<li>a</li>between</ul>", "- lead\n- a\n- between"),
        ("<dl><dt>T</dt><dd>one</dd><dd>two</dd></dl>", "- **T**\n  - one\n  - two"),
        ("<dl>loose<dt>T</dt></dl>", "loose\n\nT"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
        ('<pre class="language-python">a\n  b</pre>', "```python\na\n  b\n```"),
        ("<pre>a<br>```</pre>", "````\na\n```\n````"),
        ("<pre> </pre><p>x</p><hr>", "x\n\n---"),
        ("<h3>a<br>b</h3><h4></h4>", "### a b"),
        ("<p>x <script>s</script><button>b</button><svg><text>t</text></svg>y</p>", "x y"),
        ('<p><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math> and <math><mi>y</mi></math></p>',
         "$x^2$ and $y$"),
        ("<p>AT&amp;T &amp;amp; &lt;b&gt;</p>", "AT&T \\&amp; \\<b>"),
        ("<figure><img src=a.png alt=pic><figcaption>Cap</figcaption></figure>", "![pic](a.png)\n\nCap"),
    ],
)  # fmt: skip
def test_elements(convert, html, markdown):
    assert convert(f"<html>{html}</html>").pages[0].markdown == markdown


def table(convert, html):
    page = convert(f"<p>Text before the table.</p>{html}").pages[0]
    return page, page.markdown.removeprefix("Text before the table.").strip()


def test_spans_are_spread_out_and_stand_at_the_top_left(convert):
    page, text = table(
        convert,
        "<table><caption>Cap</caption><tr><th colspan=2>A</th><th>B</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5|6</td></tr></table>",
    )
    assert page.tables[0].rows == (("A", "", "B"), ("1", "2", "3"), ("", "4", "5|6"))
    assert (page.tables[0].caption, page.tables[0].header_rows) == ("Cap", 1)
    assert text == "Cap\n\n| A |  | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5\\|6 |"


def test_two_header_rows_are_counted(convert):
    page, _ = table(convert, "<table><tr><th>A<th>B</tr><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>")
    assert page.tables[0].header_rows == 2


def test_rich_cells_stay_on_one_line(convert):
    _, text = table(
        convert, "<table><tr><th>A<th>B</tr><tr><td><ul><li>x</li><li>y</li></ul><td><b>z</b><br>w</tr></table>"
    )
    assert text.splitlines()[-1] == "| - x<br>- y | **z** w |"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("On Monday:<ol start=3><li>a<li><p>b</p></ol>then", "On Monday:<br>3. a<br>4. b<br>then"),
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a<br>- b<br>- c<br>- d"),
        ("<ul><li>alone</ul>", "alone"),
        ("<ul></ul>x &lt;br&gt; y", "x \\<br> y"),
    ],
)
def test_lists_in_cells_are_shown_item_by_item(convert, cell, expected):
    page, text = table(convert, f"<table><tr><th>A<th>B</tr><tr><td>{cell}</td><td>z</td></tr></table>")
    assert text.splitlines()[-1] == f"| {expected} | z |"
    assert "<br>" not in page.tables[0].rows[1][0].replace("<br> y", "")


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>only one column</td></tr><tr><td>x</td></tr></table>",
        '<table role="presentation"><tr><th>a<th>b</tr></table>',
        "<table><tr><td><h2>a</h2><td>b</tr><tr><td>c<td>d</tr></table>",
        "<table><tr><td><table><tr><td>a</table><td>b</tr><tr><td>c<td>d</tr></table>",
        "<table><tr><th> <th> </tr></table>",
    ],
)
def test_layout_is_no_table(convert, html):
    page, text = table(convert, html)
    assert page.tables == ()
    assert "|" not in text


def test_spans_without_measure_stay_small(convert):
    page, _ = table(convert, "<table><tr><th colspan=99999999 rowspan=0>A<th>B</tr><tr><td>1<td>2</tr></table>")
    assert max(len(row) for row in page.tables[0].rows) <= 201


def test_an_element_of_endless_attributes_is_refused(convert):
    from octavo_contracts import ContentTooLarge

    with pytest.raises(ContentTooLarge, match="attributes"):
        convert("<p " + " ".join(f"a{n}=1" for n in range(6000)) + ">x</p>")
