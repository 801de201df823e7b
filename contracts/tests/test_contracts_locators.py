"""Locators and page separators: DIG-3, DIG-7 and R-2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import Locator, LocatorError, Span, page_separator, page_spans, resolve_locator, resolve_span
from pydantic import ValidationError

OFFSETS = st.integers(0, 10**18 - 1)
PAGES = st.none() | st.integers(1, 10**18 - 1)
# Canonical page bodies hold no line break; everything else may stand in one, a separator's inner text too.
BODIES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=12)
    | st.sampled_from(["", "---PAGE 2---", "🌊海", "שלום", "e\u0301"]),
    min_size=1,
    max_size=6,
)


def canonical(bodies: list[str]) -> str:
    """Join page bodies as DIG-7 says."""
    text = bodies[0]
    for page, body in enumerate(bodies[1:], start=2):
        text += page_separator(page) + body
    return text


@given(PAGES, OFFSETS, OFFSETS)
def test_printing_and_parsing_are_inverse(page: int | None, one: int, other: int) -> None:
    """What is printed is parsed to the same place, and printed again the same."""
    locator = Locator(page=page, start=min(one, other), end=max(one, other))
    assert Locator.parse(str(locator)) == locator
    assert str(Locator.parse(str(locator))) == str(locator)


def test_the_two_forms() -> None:
    """The forms stand in the contract to the letter."""
    assert str(Locator(start=10, end=20)) == "char:10-20"
    assert str(Locator(page=3, start=0, end=0)) == "page:3:char:0-0"
    assert Locator.parse("page:12:char:5-9") == Locator(page=12, start=5, end=9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "char:",
        "char:1",
        "char:1-",
        "char:-1",
        "char:1-2 ",
        " char:1-2",
        "char:1-2\n",
        "CHAR:1-2",
        "char:01-2",
        "char:1-02",
        "char:+1-2",
        "char:1.0-2",
        "char:1_0-20",
        "char:١-٢",
        "page:0:char:1-2",
        "page:01:char:1-2",
        "page:-1:char:1-2",
        "page::char:1-2",
        "page:1:1-2",
        "page:1:char:1-2:3",
        "page:1:page:1:char:1-2",
        "line:1-2",
        "char:5-4",
        "page:2:char:5-4",
        "char:0-" + "9" * 5000,
        "page:" + "9" * 5000 + ":char:0-1",
    ],
)
def test_a_malformed_locator_is_refused(text: str) -> None:
    """One spelling a place: no signs, zeros, blanks, foreign digits, nor numbers longer than any text."""
    with pytest.raises(LocatorError):
        Locator.parse(text)
    with pytest.raises(LocatorError):
        resolve_locator("some text", text)


def test_a_reversed_locator_can_not_be_built() -> None:
    """Nor one on page 0."""
    with pytest.raises(ValidationError, match="end 4 is before start 5"):
        Locator(start=5, end=4)
    with pytest.raises(ValidationError):
        Locator(page=0, start=0, end=1)
    with pytest.raises(ValidationError):
        Locator(start=-1, end=1)


def test_the_separator_names_the_page_that_follows() -> None:
    """DIG-7, to the letter."""
    assert page_separator(2) == "\n\n---PAGE 2---\n\n"


@given(BODIES)
def test_page_spans_give_back_the_page_bodies(bodies: list[str]) -> None:
    """Joining and splitting are inverse, with empty pages and look-alikes inside a body."""
    text = canonical(bodies)
    assert [span.of(text) for span in page_spans(text)] == bodies


def test_empty_pages_are_kept() -> None:
    """First, middle and last page may be empty, and an empty text is one empty page."""
    text = canonical(["", "", "body", ""])
    assert [span.of(text) for span in page_spans(text)] == ["", "", "body", ""]
    assert page_spans("") == (Span(start=0, end=0),)
    assert page_spans("one page") == (Span(start=0, end=8),)


@pytest.mark.parametrize(
    "forged",
    [
        "a---PAGE 2---b",
        "a\n---PAGE 2---\nb",
        "a\n\n---PAGE 3---\n\nb",
        "a\n\n---PAGE 02---\n\nb",
        "a\n\n---PAGE 1---\n\nb",
        "a\n\n---PAGE ٢---\n\nb",
        "a\n\n---page 2---\n\nb",
        "a\n\n---PAGE " + "9" * 5000 + "---\n\nb",
    ],
)
def test_a_separator_that_is_not_the_next_one_does_not_split(forged: str) -> None:
    """Only the exact form with the number that is due ends a page."""
    assert page_spans(forged) == (Span(start=0, end=len(forged)),)


def test_a_separator_out_of_turn_stays_in_its_page() -> None:
    """Pages 2 and 3 are found around a wrong number."""
    text = "a" + page_separator(2) + "b" + page_separator(7) + "c" + page_separator(3) + "d"
    bodies = [span.of(text) for span in page_spans(text)]
    assert bodies == ["a", "b" + page_separator(7) + "c", "d"]


@given(BODIES, st.data())
def test_a_page_locator_counts_from_the_start_of_its_page(bodies: list[str], data: st.DataObject) -> None:
    """R-2: offsets are relative to the page, on the wire and always."""
    text = canonical(bodies)
    page = data.draw(st.integers(1, len(bodies)))
    body = bodies[page - 1]
    start = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(start, len(body)))
    locator = Locator(page=page, start=start, end=end)
    assert resolve_locator(text, locator) == body[start:end]
    assert resolve_locator(text, str(locator)) == body[start:end]
    assert resolve_span(text, locator).of(text) == body[start:end]


def test_offsets_count_code_points() -> None:
    """Neither UTF-16 units nor bytes: 🌊 is one, 海 is one, a combining accent is one of its own."""
    text = canonical(["tide 🌊🌊 table", "潮汐表 e\u0301bb", "جدول المد"])
    assert resolve_locator(text, "page:1:char:5-7") == "🌊🌊"
    assert resolve_locator(text, "page:2:char:0-3") == "潮汐表"
    assert resolve_locator(text, "page:2:char:4-6") == "e\u0301"
    assert resolve_locator(text, "page:3:char:5-9") == "المد"
    assert resolve_locator(text, "char:5-7") == "🌊🌊"
    assert resolve_span(text, "page:2:char:0-3") == Span(start=29, end=32)


@pytest.mark.parametrize(
    ("locator", "message"),
    [
        ("char:0-100", "ends past the text's 25 code points"),
        ("page:1:char:0-6", "ends past the page's 5 code points"),
        ("page:2:char:0-5", "ends past the page's 4 code points"),
        ("page:3:char:0-0", "names page 3; the text has 2"),
    ],
)
def test_a_locator_outside_its_text_is_refused(locator: str, message: str) -> None:
    """A page's quotation may not run on into the next page."""
    with pytest.raises(LocatorError, match=message):
        resolve_locator(canonical(["first", "last"]), locator)


def test_the_end_of_a_text_is_a_place() -> None:
    """An empty slice at the very end is inside."""
    assert resolve_locator("abc", "char:3-3") == ""
    assert resolve_locator("abc", "page:1:char:0-3") == "abc"
