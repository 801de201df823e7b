"""Which chunks are quoted, in which order, and which part of a chunk: with scores and cuts that are known (DIG-12 … DIG-14)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from octavo_contracts import Locator, Scorer
from octavo_digest import EvidenceSettings, find_evidence, scorer_named
from octavo_text.canonical import CanonicalText, canonical_body, canonicalise, join_bodies
from octavo_text.chunking import ChunkingConfig


class Given:
    """A plugin's scorer whose answers are known."""

    def __init__(self, *scores: float, name: str = "given/v1") -> None:
        self.scores, self.name = scores, name

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        assert len(chunks) == len(self.scores)
        return list(self.scores)


BLOCKS = ChunkingConfig(version="blocks", target=40, maximum=50, minimum=30)
"""Cuts a text of blocks of 40 characters into its blocks."""


def blocks(*texts: str) -> CanonicalText:
    return canonicalise("\n\n".join(text.ljust(39, "~") for text in texts))


def places(text: CanonicalText, query: str, scorer: Scorer, max_snippets: int = 10) -> list[tuple[int, float]]:
    """Which blocks are quoted, and the scores that are shown."""
    found = find_evidence(
        text, query, scorer=scorer, settings=EvidenceSettings(chunking=BLOCKS, max_snippets=max_snippets)
    )
    return [(Locator.parse(snippet.locator).start // 40, snippet.relevance_score) for snippet in found]


def test_chunks_without_a_score_are_never_quoted() -> None:
    """DIG-13: though there is room for them."""
    text = blocks("tide", "surge", "gauge", "rope")

    assert places(text, "two words", Given(0.0, 0.2, 0.000001, 0.9)) == [(3, 0.9), (1, 0.2), (2, 0.000001)]
    assert places(text, "two words", Given(0.0, 0.0, 0.0, 0.0)) == []


def test_a_score_below_0_is_none() -> None:
    text = blocks("tide", "surge", "gauge", "rope")

    assert places(text, "two words", Given(-0.5, 0.2, -1.0, 0.0)) == [(1, 0.2)]
    assert [place for place, _ in places(text, "word", Given(-0.5, 0.0, 0.0, -1.0), max_snippets=2)] == [0, 3]


def test_a_score_above_1_is_shown_as_1_and_still_ranks_above_it() -> None:
    """The payload has scores of 0 to 1; a plugin's scorer may think otherwise."""
    text = blocks("tide", "surge", "gauge")

    assert places(text, "two words", Given(1.5, 7.0, 0.5), max_snippets=1) == [(1, 1.0)]
    assert places(text, "two words", Given(1.5, 7.0, 0.5)) == [(0, 1.0), (1, 1.0), (2, 0.5)]


def test_ranks_are_decided_before_rounding_and_shown_in_the_order_of_the_text_after_it() -> None:
    """DIG-14."""
    text = blocks("tide", "surge", "gauge")
    scores = Given(0.50000001, 0.50000002, 0.1)

    assert places(text, "two words", scores, max_snippets=1) == [(1, 0.5)]
    assert places(text, "two words", scores, max_snippets=2) == [(0, 0.5), (1, 0.5)]
    assert places(text, "two words", Given(0.1234564, 0.1234566, 0.1)) == [(1, 0.123457), (0, 0.123456), (2, 0.1)]


@pytest.mark.parametrize("name", ["given/v1", "zebra/v1"])
def test_four_times_as_many_chunks_as_are_wanted_compete_for_variety(name: str) -> None:
    """A chunk that says something new is taken from among them, and from no lower."""
    copies = ["tide at the gauge"] * 8
    eighth, ninth = blocks(*copies[:7], "a whale", "rope"), blocks(*copies, "a whale")
    falling = Given(*(0.9 - n / 100 for n in range(9)), name=name)

    assert [place for place, _ in places(eighth, "tide gauge", falling, max_snippets=2)] == [0, 7]
    assert [place for place, _ in places(ninth, "tide gauge", falling, max_snippets=2)] == [0, 1]


def test_the_published_baseline_has_no_variety() -> None:
    """`keyword/v1`: equal scores stand in the order of the text."""
    text = blocks("tide gauge", "tide gauge", "tide gauge", "tide rope")

    found = places(text, "tide gauge", scorer_named("keyword/v1"), max_snippets=3)
    assert [place for place, _ in found] == [0, 1, 2]
    assert 3 in [place for place, _ in places(text, "tide gauge", scorer_named("bm25/v1"), max_snippets=2)]


def test_a_query_that_is_nowhere_finds_nothing_unless_there_is_nothing_to_compare() -> None:
    """R-9: two words that the source does not have are an answer; one word is taken for a wish to see what it is about."""
    text = blocks("tide", "surge", "gauge", "rope")

    assert places(text, "whale albatross", scorer_named("bm25/v1")) == []
    assert places(text, "whale albatross turtle", scorer_named("bm25/v1")) == []
    assert [place for place, _ in places(text, "whale", scorer_named("bm25/v1"), max_snippets=2)] == [0, 3]


def test_an_outline_is_the_beginning_the_end_the_headings_and_then_the_rest() -> None:
    """R-9, with the scores of DIG-13's positions."""
    closed = "a sentence that ends".ljust(38, "~") + "."
    text = blocks(closed, closed, "Heading", closed, "Another", closed)

    assert places(text, "", scorer_named("bm25/v1")) == [
        (0, 1.0),
        (5, 0.833333),
        (2, 0.666667),
        (4, 0.5),
        (1, 0.333333),
        (3, 0.166667),
    ]


def test_an_empty_first_page_does_not_cost_the_end_its_place() -> None:
    """Covers are often pictures; the first block then does not begin where the text does."""
    closed = "a sentence that ends".ljust(38, "~") + "."
    bodies = ["", "\n\n".join(["Heading".ljust(39, "~"), closed, closed])]
    text = join_bodies([canonical_body(body) for body in bodies], paginated=True)

    found = find_evidence(text, "", scorer=scorer_named("bm25/v1"), settings=EvidenceSettings(chunking=BLOCKS))

    assert [(snippet.locator, snippet.relevance_score) for snippet in found] == [
        ("page:2:char:0-39", 1.0),
        ("page:2:char:80-119", 0.666667),
        ("page:2:char:40-79", 0.333333),
    ]


@pytest.mark.parametrize(
    ("block", "is_heading"),
    [
        ("h" * 89, True),
        ("h" * 90, False),
        ("h" * 88 + ".", False),
        ("h?", False),
        ("見出し。", False),
        ("見出し", True),
    ],
)
def test_a_heading_is_a_short_block_that_ends_no_sentence(block: str, is_heading: bool) -> None:
    """Short is up to 90 characters with the space that parts it from the next block."""
    rest = ("s" * 99 + ". ") * 4
    text = canonicalise("\n\n".join([rest, rest, block + "\n\n" + rest, rest]))

    scorer, settings = scorer_named("bm25/v1"), EvidenceSettings(max_snippets=3)
    found = [snippet.text for snippet in find_evidence(text, "", scorer=scorer, settings=settings)]

    assert any(part.startswith(block) for part in found) is is_heading


def test_a_long_block_is_no_heading_though_it_ends_no_sentence() -> None:
    """Rows of a table, for example: they come in the order of the text."""
    closed = "a sentence that ends".ljust(38, "~") + "."
    scores = dict(places(blocks(closed, closed, "x" * 120, closed), "", scorer_named("bm25/v1")))

    assert scores[1] > scores[2]


# -- the part of a chunk that is quoted ---------------------------------------------------------------------------


def quoted(body: str, query: str, max_chars: int) -> str:
    """The only snippet of a text of one chunk."""
    settings = EvidenceSettings(max_chars=max_chars)
    (found,) = find_evidence(canonicalise(body), query, scorer=scorer_named("bm25/v1"), settings=settings)
    return found.text


def test_a_chunk_that_just_fits_is_quoted_whole() -> None:
    body = "The surge came. The tide went out at noon."

    assert quoted(body, "surge tide", len(body)) == body
    assert quoted(body, "surge tide", len(body) - 1) == "The surge came. The tide went out at"
    assert quoted("No rope. The tide came.", "tide tables", len("The tide came.")) == "The tide came."


def test_the_part_that_answers_most_is_quoted_and_of_equal_ones_the_longest_then_the_first() -> None:
    """R-7. Words are counted once each, by their stems."""
    assert (
        quoted("A tide, tide, tide. Some rope here. The surges of tides.", "tide surge", 25) == "The surges of tides."
    )
    assert (
        quoted("A tide. Over there is nothing. The tide came in slowly. So.", "tide rope", 25)
        == "The tide came in slowly."
    )
    assert quoted("The tide came. Nobody saw. The tide went. Over.", "tide tables", 15) == "The tide came."


def test_where_no_part_answers_the_first_is_quoted() -> None:
    """Length says nothing then."""
    assert quoted("Short one. A rather longer sentence here. Over.", "", 26) == "Short one. A rather"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x" * 19 + ". " + "y" * 80, "x" * 19 + "."),  # a sentence that fills half of the room
        ("x" * 17 + ". " + "y" * 80, "x" * 17 + ". " + "y" * 21),  # a shorter one does not end a quotation
        ("x" * 9 + ". y" + "y" * 24 + " " + "z" * 80, "x" * 9 + ". y" + "y" * 24),  # the last word that fits
        ("x" * 38 + " " + "y" * 80, "x" * 38),
        ("x" * 39 + " " + "y" * 80, "x" * 39),
        ("x" * 120, "x" * 40),  # else anywhere
    ],
)
def test_a_part_ends_at_the_strongest_boundary_of_its_second_half(body: str, expected: str) -> None:
    assert quoted(body, "", 40) == expected


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_quotation_may_be_one_character_long(size: int) -> None:
    assert quoted("abcdef", "", size) == "abcdef"[:size]
