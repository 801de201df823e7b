"""Plain text from markdown: what a reader would read."""

import pytest
from octavo_text.markdown import plain_text, tables_in, visible_text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Title\n\nBody *with* `code`.", "Title\n\nBody with code."),
        ("a &lt; b and c &gt; d", "a < b and c > d"),
        ("[link](http://x.test) and ![alt](p.png)", "link and alt"),
        ("- one\n- two\n  - three", "one\n\ntwo\n\nthree"),
        ("| a | b |\n|---|---|\n| 1 | |\n| x \\| y | 2 |", "a b\n\n1\n\nx | y 2"),
        ("```py\nx = 1\n```", "x = 1\n"),
        ("one  \ntwo", "one\ntwo"),
        ("a<br>b <b>c</b>", "a b c"),
        ("<div><p>x</p><script>evil()</script><p>y</p></div>", "\n\nx\n\ny\n\n"),
        ("", ""),
    ],
)
def test_markdown_reads_as_its_visible_text(markdown, expected):
    assert plain_text(markdown) == expected


def test_inline_elements_part_by_nothing_and_blocks_by_a_break():
    assert visible_text("<p>foo<b>bar</b></p><p>baz &amp; co</p>").split() == ["foobar", "baz", "&", "co"]


def test_scripts_styles_and_templates_are_dropped():
    assert visible_text("<style>p{}</style><template>t</template><noscript>n</noscript>x") == "x"


@pytest.mark.parametrize("depth", [5, 19, 21, 60, 200, 2000])
def test_no_word_is_lost_however_deep_it_is_nested(depth):
    """The parser leaves out in silence what is nested deeper than its limit."""
    quoted = "> " * depth + "deep words\n\nafter"
    listed = "\n".join("  " * level + f"- item{level}" for level in range(depth)) + "\n\nafter"
    assert plain_text(quoted).split()[-3:] == ["deep", "words", "after"]
    words = plain_text(listed).split()
    assert {f"item{level}" for level in range(depth)} <= set(words)
    assert "after" in words


def test_pipe_tables_are_read_as_grids_of_plain_text():
    markdown = "Above\n\n| **Ship** | Cargo |\n| --- | --- |\n| Freja | salt \\| fish |\n| Ran |\n\nBetween\n\n| A | B |\n| - | - |\n| 1 | 2 |"
    first, second = tables_in(markdown)
    assert first.rows == (("Ship", "Cargo"), ("Freja", "salt | fish"), ("Ran", ""))
    assert second.rows == (("A", "B"), ("1", "2"))


@pytest.mark.parametrize("markdown", ["no table", "a | b", "```\n| A | B |\n| - | - |\n```", "> " * 200 + "| A |"])
def test_what_is_no_table_gives_none(markdown):
    assert tables_in(markdown) == ()
