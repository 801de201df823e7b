"""Text between the tags of a generated page of any nesting is in the markdown or in the hidden text (CNV-11)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from octavo_conformance.hook_calls import ConvertCall
from octavo_contracts import Conversion
from octavo_trafilatura import plugin

_INLINE = ("b", "i", "em", "strong", "span", "sup", "sub", "code", "u")
_BLOCKS = ("p", "div", "section", "article", "blockquote", "h2", "h3", "ul", "ol", "table", "dl", "figure")
_FILLER = "<p>The tide gauge at the end of the pier was read twice a day, at high and at low water.</p>"


class _Words:
    """Gives words that occur once."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def next(self) -> str:
        """A new word."""
        self.given.append(f"walrus{len(self.given):03d}q")
        return self.given[-1]


def _inline(draw: st.DrawFn, words: _Words, depth: int) -> str:
    pieces = [words.next()]
    if depth:
        tag = draw(st.sampled_from((*_INLINE, "a")))
        inner = _inline(draw, words, depth - 1)
        opened = f"<{tag} href='https://example.org/{words.given[-1]}'>" if tag == "a" else f"<{tag}>"
        pieces += [f"{opened}{inner}</{tag}>", words.next()]
    return draw(st.sampled_from((" ", ""))).join(pieces) if len(pieces) > 1 else pieces[0]


def _block(draw: st.DrawFn, words: _Words, depth: int) -> str:
    tag = draw(st.sampled_from(_BLOCKS))

    def content() -> str:
        if depth and draw(st.booleans()):
            return "".join(_block(draw, words, depth - 1) for _ in range(draw(st.integers(1, 2))))
        return _inline(draw, words, draw(st.integers(0, 2)))

    count = draw(st.integers(1, 3))
    if tag in ("ul", "ol"):
        inside = "".join(f"<li>{content()}</li>" for _ in range(count))
    elif tag == "table":
        rows = ("".join(f"<td>{content()}</td>" for _ in range(2)) for _ in range(count))
        inside = "".join(f"<tr>{row}</tr>" for row in rows)
    elif tag == "dl":
        inside = "".join(f"<dt>{words.next()}</dt><dd>{content()}</dd>" for _ in range(count))
    elif tag == "figure":
        inside = f"{content()}<figcaption>{words.next()}</figcaption>"
    elif tag in ("p", "h2", "h3"):
        inside = _inline(draw, words, draw(st.integers(0, 2)))
    else:
        inside = content()
    return f"<{tag}>{inside}</{tag}>"


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A page, and the words that stand in it."""
    words = _Words()
    blocks = "".join(_block(draw, words, draw(st.integers(0, 3))) for _ in range(draw(st.integers(1, 4))))
    body = f"<article><h1>Tides</h1>{_FILLER}{blocks}{_FILLER}</article>"
    return f"<html><head><title>Tides</title></head><body>{body}</body></html>", words.given


def converted(page: str) -> Conversion:
    """Convert a page in a folder of its own."""
    with TemporaryDirectory() as folder:
        call = ConvertCall(plugin.convert, Path(folder), media_type="text/html", name="page.html")
        found = call(page.encode())
    assert isinstance(found, Conversion)
    return found


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(pages())
def test_every_word_between_tags_is_in_the_markdown(made: tuple[str, list[str]]) -> None:
    page, words = made
    conversion = converted(page)
    text = "".join(one.markdown for one in conversion.pages)
    text += "".join(hidden.text for one in conversion.pages for hidden in one.hidden_text)
    lost = [word for word in words if word not in text]
    assert not lost, f"lost in silence: {lost} of {page}"


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(pages())
def test_markdown_of_a_generated_page_renders_without_stray_marks(made: tuple[str, list[str]]) -> None:
    """No row of a table is glued to a heading, no emphasis is left as stars, every row of a table is a row."""
    markdown = "".join(one.markdown for one in converted(made[0]).pages)
    rendered = [
        token.content
        for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
        if token.type == "inline"
        for token in token.children or ()
        if token.type == "text"
    ]
    assert not [text for text in rendered if "**" in text], markdown
    assert not [text for text in rendered if text.lstrip().startswith("|")], markdown
    assert "****" not in markdown


@pytest.mark.parametrize(
    "inner", ["<ul><li>walrus</li></ul>", "<p>walrus</p>", "<table><tr><td>walrus</td></tr></table>"]
)
def test_a_block_inside_a_cell_keeps_its_words(inner: str) -> None:
    page = f"<html><body><article><h1>T</h1>{_FILLER}<table><tr><td>a</td><td>{inner}</td></tr></table></article></body></html>"
    assert "walrus" in converted(page).pages[0].markdown
