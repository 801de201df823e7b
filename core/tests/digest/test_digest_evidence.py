"""Evidence: exact slices, ranked, within bounds, the same every time (DIG-3, DIG-12 … DIG-15, R-2, R-7, R-9)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo.digest import SCORERS, EvidenceSettings, find_evidence, locate, scorer_named
from octavo.digest.evidence import DEFAULT_EVIDENCE
from octavo.digest.sentences import sentence_spans
from octavo.digest.variety import choose_varied, overlap
from octavo.text.canonical import CanonicalText, canonical_body, canonicalise, join_bodies
from octavo.text.chunking import ChunkingConfig
from octavo_contracts import Locator, Scorer, Span, resolve_locator

WORDS = [
    "tide",
    "surge",
    "gauge",
    "harbour",
    "seal",
    "buoy",
    "wind",
    "salt",
    "moon",
    "wave",
    "rock",
    "cliff",
    "sand",
    "bell",
    "rope",
    "log",
]


def prose(seed: int, sentences: int) -> str:
    rng = random.Random(seed)
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(4, 14))).capitalize() + "." for _ in range(sentences))


def pages(*texts: str) -> CanonicalText:
    return join_bodies([canonical_body(text) for text in texts], paginated=True)


def evidence(text: CanonicalText, query: str, scorer: str = "bm25/v1", **settings: int):
    return find_evidence(text, query, scorer=scorer_named(scorer), settings=EvidenceSettings(**settings))


@pytest.mark.parametrize("scorer", SCORERS)
def test_each_snippet_is_the_slice_that_its_locator_names(scorer: str) -> None:
    text = pages(prose(1, 40), prose(2, 40), "", prose(3, 40))

    found = evidence(text, "harbour surge at the gauge", scorer)

    assert len(found) == 5
    for snippet in found:
        assert resolve_locator(text.text, snippet.locator) == snippet.text
        assert Locator.parse(snippet.locator).page in (1, 2, 4)
        assert len(snippet.text) <= 400
        assert snippet.text == snippet.text.strip()


def test_locators_count_from_the_page_and_from_the_text_where_there_are_no_pages() -> None:
    text = pages("one two", "three four")
    assert str(locate(text, Span(start=text.pages[1].start, end=text.pages[1].end))) == "page:2:char:0-10"
    assert str(locate(canonicalise("one two"), Span(start=4, end=7))) == "char:4-7"


@pytest.mark.parametrize("scorer", SCORERS)
def test_snippets_stand_by_score_then_by_place(scorer: str) -> None:
    text = canonicalise("\n\n".join(prose(seed, 6) for seed in range(30)))

    found = evidence(text, "wind moon rope", scorer, max_snippets=10)

    keys = [(-snippet.relevance_score, Locator.parse(snippet.locator).start) for snippet in found]
    assert keys == sorted(keys)
    assert len(keys) == 10
    assert all(round(snippet.relevance_score, 6) == snippet.relevance_score for snippet in found)


def test_the_query_decides_what_is_quoted() -> None:
    """DIG-5."""
    text = canonicalise(prose(1, 30) + "\n\nThe lighthouse was painted red.\n\n" + prose(2, 30))

    assert "lighthouse" in evidence(text, "painted lighthouse")[0].text
    assert not any("lighthouse" in snippet.text for snippet in evidence(text, "moon rope bell", max_snippets=1))


def test_near_copies_give_way_to_something_else() -> None:
    """Variety: with MMR the second-best passage is another one, although four copies of the best score higher."""
    copy = "The surge at the harbour gauge was the highest of the year, and the harbour wall held. " * 4
    other = "A surge seldom comes alone, said the pilot, who had seen many of them in his life at sea. " * 4
    text = canonicalise("\n\n".join([copy, copy, copy, copy, other]))

    found = evidence(text, "surge harbour gauge", max_snippets=2)

    assert any("pilot" in snippet.text for snippet in found)


@pytest.mark.parametrize("size", [1, 7, 40, 120, 399])
def test_a_snippet_below_a_chunks_size_is_a_part_of_it_with_its_own_locator(size: int) -> None:
    text = canonicalise(prose(5, 60))

    found = evidence(text, "surge harbour", max_chars=size)

    assert found
    for snippet in found:
        assert 0 < len(snippet.text) <= size
        assert resolve_locator(text.text, snippet.locator) == snippet.text


def test_the_part_taken_is_the_one_that_answers() -> None:
    filler = "Nothing happened on that day, nor on the day before, nor on the day after it. "
    text = canonicalise(filler * 4 + "The lighthouse keeper saw a whale. " + filler)

    assert "whale" in evidence(text, "lighthouse whale", max_chars=120)[0].text


def test_no_evidence_is_taken_where_none_is_wanted_or_there_is_no_text() -> None:
    assert evidence(canonicalise("Some text."), "text", max_snippets=0) == ()
    assert evidence(canonicalise(""), "text") == ()
    assert evidence(canonicalise(" \n\t "), "text") == ()
    assert evidence(pages("", "", ""), "text") == ()


@pytest.mark.parametrize("change", [{"max_snippets": 11}, {"max_snippets": -1}, {"max_chars": 0}, {"max_chars": 501}])
def test_settings_beyond_the_payloads_limits_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        EvidenceSettings(**change)


@pytest.mark.parametrize("bounds", [{"max_snippets": 0, "max_chars": 1}, {"max_snippets": 10, "max_chars": 500}])
def test_settings_at_the_payloads_limits_are_taken(bounds: dict[str, int]) -> None:
    assert {name: getattr(EvidenceSettings(**bounds), name) for name in bounds} == bounds


def test_the_settings_that_all_share_can_not_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        DEFAULT_EVIDENCE.max_chars = 500  # type: ignore[misc]  # what is tried


def test_by_default_there_are_5_snippets_of_400_characters() -> None:
    """DIG-15."""
    text = canonicalise(" ".join(f"tide{n}" for n in range(2_000)) + " surge " * 2_000)

    found = find_evidence(text, "surge", scorer=scorer_named("bm25/v1"))

    assert len(found) == 5
    assert max(len(snippet.text) for snippet in found) in range(390, 401)


@pytest.mark.parametrize("query", ["", "the of and which", "?", "\ud800", "🌊"])
def test_without_words_to_compare_the_beginning_counts(query: str) -> None:
    """R-9: position alone, where no structure is known."""
    text = CanonicalText.from_archive(canonicalise(prose(1, 80)).text)

    found = evidence(text, query, max_snippets=2)

    assert next(Locator.parse(snippet.locator).start for snippet in found) == 0
    assert found[0].relevance_score == 1.0


def test_without_words_headings_and_the_end_count_where_structure_is_known() -> None:
    """R-9: `bm25/v1` also takes headings and conclusion; `keyword/v1` does not."""
    parts = [prose(1, 40), "Results", prose(2, 40), "Outlook", prose(3, 40) + " So it ends."]
    text = canonicalise("\n\n".join(parts))

    found = " ".join(snippet.text for snippet in evidence(text, "", max_snippets=4))

    assert "So it ends." in found
    assert "Results" in found
    assert "Outlook" in found
    assert "So it ends." not in " ".join(s.text for s in evidence(text, "", "keyword/v1", max_snippets=4))


def test_a_query_of_one_word_finds_that_word() -> None:
    text = canonicalise(prose(1, 60) + " The lighthouse was red. " + prose(2, 60))

    assert "lighthouse" in evidence(text, "lighthouse", max_snippets=1)[0].text
    assert evidence(text, "lighthouse", "keyword/v1", max_snippets=1)[0].relevance_score == 1.0


def test_a_query_of_100_kilobytes_is_answered() -> None:
    text = canonicalise(prose(1, 60))

    assert len(evidence(text, "harbour surge " * 7_500)) == 5


def test_a_line_of_two_megabytes_is_cut_and_quoted() -> None:
    text = canonicalise("x" * 2_000_000)

    found = evidence(text, "tide harbour", "keyword/v1")
    assert found == ()
    assert [len(snippet.text) for snippet in evidence(text, "", max_snippets=2)] == [400, 400]


def test_lone_surrogates_and_nul_become_replacement_characters_first() -> None:
    """DIG-8: they never reach a snippet, so that the archive can be written."""
    text = canonicalise("The surge \ud800 reached \x00 the harbour. " * 20)

    found = evidence(text, "surge harbour")

    assert "\ufffd" in found[0].text
    assert found[0].text.encode()


def test_a_separator_written_in_a_text_makes_no_page() -> None:
    text = canonicalise("First part of the surge.\n\n---PAGE 2---\n\nSecond part of the harbour.")

    found = evidence(text, "surge harbour", max_snippets=1)

    assert found[0].locator.startswith("char:")
    assert resolve_locator(text.text, found[0].locator) == found[0].text


@settings(deadline=None, max_examples=60)
@given(
    bodies=st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=1500), max_size=4),
    query=st.text(max_size=40),
    size=st.integers(1, 500),
    scorer=st.sampled_from(sorted(SCORERS)),
)
def test_whatever_the_text_every_locator_verifies(bodies: list[str], query: str, size: int, scorer: str) -> None:
    text = pages(*bodies) if bodies else canonicalise("")

    for snippet in evidence(text, query, scorer, max_chars=size):
        assert snippet.text
        assert resolve_locator(text.text, snippet.locator) == snippet.text


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = """
import random
from octavo.digest import PlainDigestor, scorer_named
from octavo.text.canonical import canonicalise
rng = random.Random(7)
words = "tide surge gauge harbour seal buoy wind salt moon wave rock".split()
text = canonicalise("\\n\\n".join(" ".join(rng.choices(words, k=9)).capitalize() + "." for _ in range(300)))
for name in ("keyword/v1", "bm25/v1"):
    print(PlainDigestor(scorer=scorer_named(name)).digest(text, "surge at the harbour gauge, moon").payload.to_json())
"""
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }

    assert len(answers) == 1
    assert answers.pop().count("digest/v1") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("See e.g. Table 2. It is long.", ["See e.g. Table 2.", "It is long."]),
        ("J. S. Bach wrote it. Yes.", ["J. S. Bach wrote it.", "Yes."]),
        ("He said “stop.” She did.", ["He said “stop.”", "She did."]),
        ("It rose 1.24 m. then fell", ["It rose 1.24 m. then fell"]),
        ("潮が満ちた。引いた。", ["潮が満ちた。", "引いた。"]),
        ("ما هذا؟ لا شيء۔ نعم", ["ما هذا؟", "لا شيء۔", "نعم"]),
        ("no end", ["no end"]),
    ],
)
def test_sentences_end_where_their_script_ends_them(text: str, expected: list[str]) -> None:
    canonical = canonicalise(text)

    assert [span.of(canonical.text) for span in sentence_spans(canonical)] == expected


def test_no_sentence_runs_over_a_block_or_a_page() -> None:
    text = pages("A heading\n\nThe body", "next page")

    assert [span.of(text.text) for span in sentence_spans(text)] == ["A heading", "The body", "next page"]


def test_variety_prefers_what_is_new() -> None:
    bags = [frozenset("abc"), frozenset("abc"), frozenset("xyz")]

    assert choose_varied([1.0, 0.9, 0.8], bags, limit=2) == [0, 2]
    assert choose_varied([1.0, 0.9, 0.8], bags, limit=2, relevance_share=1.0) == [0, 1]
    assert choose_varied([0.0, 0.0], bags[:2], limit=5) == [0, 1]
    assert choose_varied([], [], limit=3) == []
    assert overlap(frozenset(), frozenset("a")) == 0.0
    assert overlap(frozenset("ab"), frozenset("ab")) == 1.0


def test_a_text_that_repeats_half_gives_way_only_to_one_of_like_worth() -> None:
    """By default relevance weighs 19 times what variety does: a passage of less worth does not win by being new."""
    first, half, new = frozenset("abcd"), frozenset("cdef"), frozenset("wxyz")

    assert choose_varied([1.0, 0.98, 0.96], [first, half, new], limit=2) == [0, 2]
    assert choose_varied([1.0, 0.98, 0.94], [first, half, new], limit=2) == [0, 1]


@pytest.mark.parametrize("scale", [0.01, 0.5, 3.0, 40.0])
def test_the_scale_of_the_scores_changes_no_choice(scale: float) -> None:
    """Scorers of plugins have scales of their own; only the ratio to the best score counts."""
    bags = [frozenset("abcd"), frozenset("cdef"), frozenset("wxyz"), frozenset("defg")]
    scores = [1.0, 0.98, 0.96, 0.2]

    assert choose_varied([scale * score for score in scores], bags, limit=4) == [0, 2, 1, 3]


def test_the_less_relevance_is_to_count_the_more_what_is_new_comes_first() -> None:
    bags = [frozenset("abcd"), frozenset("cdef"), frozenset("wxyz")]

    def second(score_of_new: float, share: float) -> int:
        return choose_varied([1.0, 0.9, score_of_new], bags, limit=2, relevance_share=share)[1]

    # The half that is repeated costs (1 - share) / 2: at 0.5 a quarter against half of the difference in score.
    assert [second(score, 0.5) for score in (0.35, 0.45)] == [1, 2]
    assert [second(score, 0.75) for score in (0.7, 0.75)] == [1, 2]


def test_what_repeats_nine_tenths_of_a_text_comes_after_everything_else() -> None:
    first, repeats, new = frozenset("abcdefghij"), frozenset("abcdefghiz"), frozenset("0123456789")

    assert choose_varied([1.0, 0.99, 0.01], [first, repeats, new], limit=3) == [0, 2, 1]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("ab", "bc", 0.5), ("a", "abcd", 0.5), ("abcd", "abcdefghi", 2 / 3), ("ab", "cd", 0.0)],
)
def test_overlap_is_the_share_of_common_words_by_the_mean_of_the_sizes(
    first: str, second: str, expected: float
) -> None:
    assert overlap(frozenset(first), frozenset(second)) == pytest.approx(expected)
    assert overlap(frozenset(second), frozenset(first)) == pytest.approx(expected)


# -- ranks, with scores that are given ----------------------------------------------------------------------------


class Given:
    """A plugin's scorer whose answers are known."""

    name = "given/v1"

    def __init__(self, *scores: float) -> None:
        self.scores = scores

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


def test_four_times_as_many_chunks_as_are_wanted_compete_for_variety() -> None:
    """A chunk that says something new is taken from among them, and from no lower."""
    copies = ["tide at the gauge"] * 8
    eighth, ninth = blocks(*copies[:7], "a whale", "rope"), blocks(*copies, "a whale")
    falling = Given(*(0.9 - n / 100 for n in range(9)))

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

    found = [snippet.text for snippet in evidence(text, "", max_snippets=3)]

    assert any(part.startswith(block) for part in found) is is_heading


# -- the part of a chunk that is quoted ---------------------------------------------------------------------------


def quoted(body: str, query: str, max_chars: int) -> str:
    """The only snippet of a text of one chunk."""
    (found,) = evidence(canonicalise(body), query, max_chars=max_chars)
    return found.text


def test_a_chunk_that_just_fits_is_quoted_whole() -> None:
    body = "The surge came. The tide went out at noon."

    assert quoted(body, "surge tide", len(body)) == body
    assert quoted(body, "surge tide", len(body) - 1) == "The surge came. The tide went out at"


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
