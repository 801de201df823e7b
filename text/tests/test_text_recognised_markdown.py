"""Recognised text as markdown: large print is a heading, a bullet an item; nothing else is markup."""

from __future__ import annotations

from collections.abc import Mapping

from octavo_text.recognised_headings import headings_of
from octavo_text.recognised_markdown import as_markdown

BODY = tuple(f"line {number} of the text of this page" for number in range(1, 10))


def words(lines: Mapping[str, float] | tuple[str, ...], *, size: float = 10) -> list[tuple[str, float, float]]:
    """The words of lines, each five points a letter wide, and as high as its line says."""
    heights = lines if isinstance(lines, Mapping) else dict.fromkeys(lines, size)
    return [(word, 5.0 * len(word), height) for line, height in heights.items() for word in line.split()]


def test_lines_in_large_print_are_headings() -> None:
    lines = {"Tides": 22.0, "Of the year": 15.0, **dict.fromkeys(BODY, 10.0), "A sentence in large print.": 15.0}
    text = "\n".join(lines)
    assert headings_of(text, words(lines)) == {"Tides": 1, "Of the year": 2}
    shown = as_markdown("Tides\nOf the year\nfirst line\nsecond line", {"Tides": 1, "Of the year": 2})
    assert shown == "# Tides\n\n## Of the year\n\nfirst line\nsecond line"


def test_a_page_without_a_body_has_no_headings() -> None:
    """Of a few lines, as of a sign, none is known to be larger than usual; a page on its side has words that are high."""
    few = {"Tides": 22.0, "line 1": 10.0, "line 2": 10.0}
    assert headings_of("\n".join(few), words(few)) == {}
    lines = {"Tides": 22.0, **dict.fromkeys(BODY, 10.0)}
    turned = [(word, height, width) for word, width, height in words(lines)]
    assert headings_of("\n".join(lines), turned) == {}
    assert headings_of("\n".join(BODY), words(BODY)) == {}
    assert headings_of("", []) == {}


def test_a_word_that_lies_on_its_side_is_no_heading() -> None:
    lines = dict.fromkeys(BODY, 10.0)
    text = "\n".join((*BODY, "Sprouts |"))
    assert headings_of(text, [*words(lines), ("Sprouts", 18.0, 66.0), ("|", 20.0, 19.0)]) == {}


def test_narrow_letters_do_not_lie_on_their_side() -> None:
    lines = {"Aufklarung ift der Ausgang": 16.0, **dict.fromkeys(BODY, 10.0)}
    assert "Aufklarung ift der Ausgang" in headings_of("\n".join(lines), words(lines))


def test_a_line_whose_words_are_not_those_of_the_text_is_no_heading() -> None:
    lines = {"Tides": 22.0, **dict.fromkeys(BODY, 10.0)}
    assert headings_of("\n".join(("T1des", *BODY)), words(lines)) == {}


def test_bullets_are_items_and_all_else_is_inert() -> None:
    assert as_markdown("\u2022 one *star*\n\u2022 two\nthree") == "- one \\*star\\*\n- two\nthree"
    assert as_markdown("# 12 *units*\n- one\n\n\n1. two") == "\\# 12 \\*units\\*\n\\- one\n\n1\\. two"
    assert as_markdown("\u2022\n\n \n") == "\u2022"
