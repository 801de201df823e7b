"""Four metrics with the 25 % rule, and the agreement of two texts (CNV-4)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_library.facade.routing_review.side_by_side import Row, rows
from octavo_library.ingestion.sampling.measures import (
    METRICS,
    Reading,
    agreement,
    compare_readings,
    count_headings,
    count_tables,
)

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


def reading(
    *pages: str, markdown: tuple[str, ...] = (), paginated: bool = True, anchors: float | None = 1.0
) -> Reading:
    return Reading(
        tool="one",
        engine_version=None,
        pages=pages or ("",),
        paginated=paginated,
        markdown=markdown or pages,
        page_anchors=anchors,
    )


def test_the_four_metrics_are_those_of_the_specification_in_its_order() -> None:
    measured = compare_readings(reading("abcd"), reading("abcd"), threshold=0.25)
    assert METRICS == tuple(measured.metrics) == ("text_yield", "tables", "headings", "page_anchors")
    assert (measured.diverging, measured.agreement, measured.pages) == ((), 1.0, (1.0,))


@pytest.mark.parametrize(("chars", "diverges"), [(100, False), (75, False), (74, True), (0, True)])
def test_a_metric_diverges_when_it_differs_by_more_than_a_quarter_of_the_larger(chars: int, diverges: bool) -> None:
    measured = compare_readings(reading("x" * 100), reading("x" * chars), threshold=0.25)
    one = measured.metrics["text_yield"]
    assert (one.a, one.b, one.difference, one.diverges) == (100, chars, (100 - chars) / 100, diverges)


def test_tables_and_headings_are_counted_in_the_markdown_of_every_page() -> None:
    rich = reading("", "", markdown=(f"# One\n\n{TABLE}", f"## Two\n\nText\n\n{TABLE}\n\n{TABLE}"))
    measured = compare_readings(rich, reading("", "", markdown=("One", "Two")), threshold=0.25)
    assert {name: (one.a, one.b) for name, one in measured.metrics.items()} == {
        "text_yield": (0, 0),
        "tables": (3, 0),
        "headings": (2, 0),
        "page_anchors": (1.0, 1.0),
    }
    assert measured.diverging == ("tables", "headings")


def test_lost_pages_diverge_and_a_format_without_pages_has_nothing_to_lose() -> None:
    whole = reading("a b c", paginated=False, anchors=None)
    measured = compare_readings(reading("a", "b c"), whole, threshold=0.25)
    assert (measured.metrics["page_anchors"].difference, measured.diverging) == (1.0, ("page_anchors",))
    assert measured.pages == (), "pages that do not correspond are not compared one by one"
    assert compare_readings(whole, whole, threshold=0.25).metrics["page_anchors"].difference is None


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        ("# One\n## Two\n### Three", 3),
        ("#hashtag\n    # code", 0),
        ("```\n# no\n```\n# yes", 1),
        ("- item\n\n      ```\n# no\n      ```\n# yes", 1),
        ("# " + "x" * 10_000, 0),
        ("~~~~\n# no\n~~~\n# no\n~~~~\n# yes", 1),
        ("One\n===\n\nTwo\n---", 2),
        ("- item\n---\n\n---\n", 0),
        (TABLE, 0),
    ],
)
def test_headings_are_counted_as_a_reader_of_markdown_would(markdown: str, count: int) -> None:
    assert count_headings(markdown) == count


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        (TABLE, 1),
        (f"{TABLE}\n\n{TABLE}", 2),
        ("a | b\n--- | ---\n1 | 2", 1),
        (" \t| a | b |\n  | :-- |--:  | \t", 1),
        ("a | b\n--- || ---", 0),
        ("a | b\n- |-|" + "-|" * 10_000, 0),
        ("      ~~~\n| a | b |\n|---|---|\n      ~~~", 0),
        ("```\n| a | b |\n|---|---|\n```", 0),
        ("a | b\n\n---", 0),
        ("<table><tr><td>1</td></tr></table>\n<TABLE >", 2),
        ("no | table", 0),
    ],
)
def test_tables_are_counted_with_pipes_and_in_html(markdown: str, count: int) -> None:
    assert count_tables(markdown) == count


@pytest.mark.parametrize(
    "line",
    [
        " " * 100_000 + "|x",
        "|" + " " * 100_000 + "x|",
        "|" + "-" * 100_000 + "x",
        "|-" * 50_000 + "x",
        "`" * 100_000 + "x",
        ("|" + " " * 9_000 + "x\n") * 20,
        ("|" + "-" * 9_000 + "x\n") * 20,
        ("=" * 4_000 + " " * 4_000 + "x\n") * 20,
    ],
)
def test_hostile_lines_cost_no_more_than_their_length(line: str) -> None:
    started = time.perf_counter()
    assert (count_tables(f"|\n{line}"), count_headings(f"a\n{line}")) == (0, 0)
    assert time.perf_counter() - started < 1.0


def test_agreement_tells_missing_words_and_another_order() -> None:
    text = "the keeper read the gauge at dawn and wrote the figure down"
    assert agreement(text, text.upper()) == 1.0
    assert agreement(text, "") == 0.0
    halves = text.split(" at ")
    assert 0.6 < agreement(text, f"{halves[1]} at {halves[0]}") < 1.0
    assert agreement(text, " ".join(reversed(text.split()))) < 0.1
    assert agreement("潮が変わる", "潮が変わる") == 1.0


@given(st.text(), st.text())
def test_agreement_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0.0 <= agreement(one, other) <= 1.0
    assert agreement(one, other) == agreement(other, one)
    assert agreement(one, one) == 1.0


def test_pages_are_compared_one_by_one_where_they_correspond() -> None:
    measured = compare_readings(reading("one two", "three four"), reading("one two", "five six"), threshold=0.25)
    assert measured.pages == (1.0, 0.0)


def test_side_by_side_shows_what_differs_and_how_much_is_alike() -> None:
    assert rows("a\n\nb\nc\nd", "a\nb  \nX\nd") == [Row("", "", 2), Row("c", "X"), Row("", "", 1)]
    assert rows("a", "a\nb\nc") == [Row("", "", 1), Row("", "b"), Row("", "c")]
    assert rows("", "") == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a\nb\n" * 1000, "b\na\n" * 1000),
        ("a\n" * 2000, "a\nb\n" * 1000),
        ("a\nb\nc\n" * 700, "c\nb\na\n" * 700),
        ("a\n" * 2000, "b\n" * 999 + "a\n" + "b\n" * 999),
        ("\n".join(map(str, range(2000))), "\n".join(map(str, range(2000, 0, -1)))),
    ],
)
def test_side_by_side_of_repetitive_pages_ends_and_says_what_it_left_out(left: str, right: str) -> None:
    """Where every line is like hundreds of others, a comparison of each with each would take minutes."""
    found = rows(left, right)
    compared = sum(row.same or bool(row.left) for row in found)
    assert compared + found[-1].beyond == len(left.split())


def test_a_long_page_of_lines_of_their_own_is_compared_up_to_the_limit() -> None:
    lines = [f"line {number}" for number in range(2010)]
    found = rows("\n".join(lines), "\n".join(["other", *lines[1:]]))
    assert found == [Row("line 0", "other"), Row("", "", 1999), Row("", "", beyond=10)]
