"""What trafilatura's own tree loses is taken from the page: headlines, tables, captions, formulas, and sentences in one piece."""

from __future__ import annotations

import pytest

SENTENCE = (
    "The harbour master measured the depth of the channel again and wrote the figures down for the pilots of the port. "
)


def article(inner: str, *, head: str = "", before: str = "") -> str:
    """An article on a page with a menu and a footer, so that its main content has to be found."""
    return (
        f"<html><head><title>Depths – Harbour News</title>{head}</head><body><nav><a href='/a'>Home</a><a href='/b'>News</a></nav>{before}"
        f"<article><p>{SENTENCE * 4}</p>{inner}<p>{SENTENCE * 4}</p></article><footer><a href='/c'>Imprint</a> 2024</footer></body></html>"
    )


@pytest.fixture
def body(convert):  # type: ignore[no-untyped-def]  # fixture
    """The markdown between the two long paragraphs of an article."""

    def read(inner: str, **page: str) -> str:
        markdown = convert(article(inner, **page)).pages[0].markdown
        assert "Imprint" not in markdown
        assert "Home" not in markdown
        _, _, rest = markdown.partition(SENTENCE.strip() + "\n\n")
        return rest.rpartition("\n\n" + SENTENCE[:40])[0]

    return read


@pytest.mark.parametrize(
    ("inner", "markdown"),
    [
        (
            "<table><tr><th>Port</th><th>Map</th></tr><tr><td>Dover</td><td><div><a href='https://x.org/d'>chart</a></div></td></tr></table>",
            "| Port | Map |\n| --- | --- |\n| Dover | [chart](https://x.org/d) |",
        ),
        (
            "<table><caption>Depths in metres</caption><tr><th>A</th><th>B</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
            "Depths in metres\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |",
        ),
        ("<figure><img src='https://x.org/a.png' alt='A chart'><figcaption>The channel at low water</figcaption></figure>",
         "![A chart](https://x.org/a.png)\n\nThe channel at low water"),
        ("<ol start='4'><li>Sound the depth</li><li>Write it down</li></ol>", "4. Sound the depth\n5. Write it down"),
        ("<p>A depth of 3 m<sup>2</sup> and H<sub>2</sub>O in the hold of the ship at the pier.</p>",
         "A depth of 3 m<sup>2</sup> and H<sub>2</sub>O in the hold of the ship at the pier."),
        ("<p>The sum is <ix:nonfraction name='x'>1,200</ix:nonfraction> pounds, or <my-unit>1.2</my-unit> thousand of them.</p>",
         "The sum is 1,200 pounds, or 1.2 thousand of them."),
        ("<p>See note <a href='#n1'>[1]</a> and the <a href='https://x.org/p'>plan</a> of the harbour for this year.</p>",
         "See note \\[1\\] and the [plan](https://x.org/p) of the harbour for this year."),
        ("<h2>Soundings <a href='#s' class='anchor'>#</a></h2><p>They were made in the morning by two boats of the port.</p>",
         "## Soundings\n\nThey were made in the morning by two boats of the port."),
        ("<p>The wave is <math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac></math> high at the mole of the harbour.</p>",
         "The wave is $\\frac{a}{\\sqrt{b}}$ high at the mole of the harbour."),
        ("<p>He wrote <script type='math/tex'>x^2</script> on the wall of the harbour master's house.</p>",
         "He wrote $x^2$ on the wall of the harbour master's house."),
    ],
)  # fmt: skip
def test_parts_of_the_main_content_are_kept(body, inner, markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    assert body(inner) == markdown


def test_the_h1_stands_above_an_article_that_was_found_without_it(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    markdown = convert(article("", before="<div class='top'><h1>Depths of the channel</h1></div>")).pages[0].markdown
    assert markdown.startswith("# Depths of the channel\n\nThe harbour master")
    assert markdown.count("# Depths") == 1


def test_a_headline_is_not_repeated(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    markdown = convert(article("").replace("<article>", "<article><h2>Depths: Harbour News</h2>")).pages[0].markdown
    assert markdown.startswith("## Depths: Harbour News\n\nThe harbour master")


def test_a_first_sentence_with_the_words_of_the_headline_is_no_headline(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    lead = "<p>The harbour master has measured the depth of a channel for the pilots of the port this week again.</p>"
    page = article("", before="<h1>Harbour master measured depth of channel for pilots of port</h1>")
    markdown = convert(page.replace("<article>", f"<article>{lead}")).pages[0].markdown
    assert markdown.startswith(
        "# Harbour master measured depth of channel for pilots of port\n\nThe harbour master has"
    )


def test_the_title_as_second_heading_is_the_headline_below_the_name_of_the_site(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    head = "<meta property='og:type' content='article'><meta property='og:title' content='Depths of the channel'>"
    page = article("", head=head, before="<div class='name'><h1>Harbour News</h1></div>")
    markdown = convert(page.replace("<article>", "<article><h2>Depths of the channel</h2>")).pages[0].markdown
    assert markdown.startswith("## Depths of the channel\n\nThe harbour master")


@pytest.mark.parametrize(
    ("inner", "markdown"),
    [
        ("<div class='story-widget tweet'><div><blockquote><p>Soundings done.</p>— Harbour (@harbour) on Monday</blockquote></div></div>",
         "> Soundings done.\n>\n> — Harbour (@harbour) on Monday"),
        ("<div class='story-widget image'><figure><img src='https://x.org/b.png' alt='A boat'><figcaption>A boat at work</figcaption></figure></div>",
         "![A boat](https://x.org/b.png)\n\nA boat at work"),
        ("<div class='story-widget'><a href='/z'><figure><img src='https://x.org/b.png' alt='A boat'><figcaption>Ten boats</figcaption></figure></a></div>",
         ""),
    ],
)  # fmt: skip  # columns side by side
def test_quotes_and_captions_that_a_site_calls_widgets_are_kept(body, inner, markdown) -> None:  # type: ignore[no-untyped-def]  # fixture
    sentence = "One more sentence about the channel and its depth this week."
    assert body(f"<p>{sentence}</p>{inner}<p>{sentence}</p>") == "\n\n".join(
        filter(None, (sentence, markdown, sentence))
    )


def test_what_the_site_offers_beside_the_text_is_left_out(body) -> None:  # type: ignore[no-untyped-def]  # fixture
    offer = "<ul class='related'><li><a href='/x'>Ten other stories</a></li><li><a href='/y'>More of them</a></li></ul>"
    assert body(f"<p>One more sentence about the channel and its depth this week.</p>{offer}") == (
        "One more sentence about the channel and its depth this week."
    )


def test_relative_links_lead_to_the_page_that_the_article_names(body) -> None:  # type: ignore[no-untyped-def]  # fixture
    head = "<link rel='canonical' href='https://x.org/news/depths.html'>"
    inner = "<p>The <a href='plan.pdf'>plan</a> of the harbour was printed for all the pilots of the port.</p>"
    assert "[plan](https://x.org/news/plan.pdf)" in body(inner, head=head)


def test_a_link_that_only_passes_on_leads_to_its_end(body) -> None:  # type: ignore[no-untyped-def]  # fixture
    inner = "<p>The <a href='https://www.google.com/url?q=https://x.org/p&sa=D'>plan</a> of the harbour was printed for the pilots.</p>"
    assert "[plan](https://x.org/p)" in body(inner)


def test_a_cell_with_a_table_keeps_its_row_where_no_white_space_parts_the_cells(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    page = convert(
        "<p>A table.</p><table><tr><th>A</th><th>B</th></tr>"
        "<tr><td>out</td><td><table><tr><td>in</td><td>keel</td></tr></table></td></tr></table>"
    ).pages[0]
    assert "| out | in / keel |" in page.markdown


TEASERS = "".join(
    f"<li><a href='/{n}'><img src='/{n}.jpg' alt='Ship {n}'></a><h3><a href='/{n}'>The ship number {n} has left its harbour</a></h3>"
    f"<h4>Here is what the crew of ship {n} had to say</h4></li>"
    for n in range(4)
)


def test_a_list_of_other_pages_is_no_part_of_an_article(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    told = "".join(
        f"<p>Paragraph {n} of the report tells at length how the tide of that month rose over the old quay of the town, and "
        "what the keepers of the light wrote into their book on the following days.</p>"
        for n in range(8)
    )
    steps = "<ul><li><h3>Measure</h3>Take the rod to the quay.</li><li><h3>Write</h3>Note the height at noon.</li></ul>"
    menu = "<nav><a href='/a'>News</a> <a href='/b'>Ships</a></nav>"
    page = convert(
        f"{menu}<article><h1>The tide</h1>{told}{steps}<ul>{TEASERS}</ul><p>The end of the report.</p></article>"
    )
    text = page.pages[0].markdown
    assert "crew of ship" not in text
    assert "has left its harbour" not in text
    assert "Note the height at noon" in text  # a list with headings that lead nowhere is the page's own


def test_on_a_page_that_is_a_list_of_other_pages_they_are_kept(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    text = convert(
        f"<nav><a href='/a'>News</a></nav><main><h1>Ships of the week</h1><p>All ships that left.</p><ul>{TEASERS}</ul></main>"
    ).pages[0]
    assert "crew of ship 2" in text.markdown


def test_tables_side_by_side_in_a_table_are_tables(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    one = "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>"
    page = convert(
        f"<p>Two tables.</p><table><tr><th>Left</th><th>Right</th></tr><tr><td>{one}</td><td>{one}</td></tr></table>"
    ).pages[0]
    assert len(page.tables) == 2
    assert page.markdown.count("| A | B |") == 2


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "$x_1^2$"),
        ("<mrow><mi>α</mi><mo>≤</mo><mi>sin</mi><mi>b</mi></mrow>", "$\\alpha \\leq \\sin b$"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "$\\sum_{i = 1}^n$"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "$\\bar{x}$"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "$(a, b)$"),
        ("<munder><munder><mi>a</mi><mo>⏟</mo></munder><mtext>real</mtext></munder>", "$\\underbrace{a}_{\\text{real}}$"),
        ("<munder><mo>max</mo><mi>x</mi></munder><mo>cov</mo><mi>y</mi>", "$\\max_x\\operatorname{cov}y$"),
        ("<munder><mi>x</mi><mi>y</mi></munder>", "$\\underset{y}{x}$"),
        ("<mover><mi>x</mi><mi>z</mi></mover>", "$\\overset{z}{x}$"),
        ("<mlongdiv><mn>3</mn><mn>435.3</mn><mn>1306</mn><msrow><mn>12</mn></msrow></mlongdiv>",
         "$\\begin{array}{r} 3 \\\\ 435.3 \\\\ 1306 \\\\ 12 \\end{array}$"),
        ("<mlongdiv><mn>3</mn><msgroup><msgroup><mn>12</mn></msgroup><msgroup><mn>10</mn><mn>9</mn></msgroup></msgroup></mlongdiv>",
         "$\\begin{array}{r} 3 \\\\ 12 \\\\ 10 \\\\ 9 \\end{array}$"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>",
         "$\\begin{matrix} 1 & 2 \\\\ 3 & 4 \\end{matrix}$"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "$\\sqrt[3]{x}$"),
        ("<mtext>if</mtext><mi>x</mi>", "$\\text{if}x$"),
    ],
)  # fmt: skip
def test_mathml_becomes_tex(convert, mathml, tex) -> None:  # type: ignore[no-untyped-def]  # fixture
    assert convert(f"<html><p>a <math>{mathml}</math> b</p></html>").pages[0].markdown == f"a {tex} b"


@pytest.mark.parametrize(
    "hidden",
    [
        "<div class='dropdown-menu' style='display:none'><a href='/a'>Home and garden pages</a> <a href='/b'>News of the whole week</a></div>",
        "<div role='dialog' style='display:none'>Send this story to a friend by electronic mail</div>",
        "<span class='loading' style='display:none'>Loading, please wait</span>",
    ],
)
def test_hidden_parts_of_the_interface_are_no_hidden_text(convert, hidden) -> None:  # type: ignore[no-untyped-def]  # fixture
    page = convert(f"<h1>Report</h1><p>The report itself.</p>{hidden}").pages[0]
    assert page.hidden_text == ()
    assert page.markdown == "# Report\n\nThe report itself."
