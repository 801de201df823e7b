"""Evidence: exact slices, ranked, within bounds, the same every time (DIG-3, DIG-12 … DIG-15, R-2, R-7, R-9)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo_contracts import Locator, Span, resolve_locator
from octavo_digest import SCORERS, EvidenceSettings, find_evidence, locate, scorer_named
from octavo_digest.evidence import DEFAULT_EVIDENCE
from octavo_digest.sentences import sentence_spans
from octavo_text.canonical import CanonicalText, canonical_body, canonicalise, join_bodies

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
from octavo_digest import PlainDigestor, scorer_named
from octavo_text.canonical import canonicalise
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Er kam am 3. Mai 1945 an. Am 4. Juni ging er.", ["Er kam am 3. Mai 1945 an.", "Am 4. Juni ging er."]),
        ("Berlin, 12. Okt. 1990. Es regnete.", ["Berlin, 12. Okt. 1990.", "Es regnete."]),
        ("Im 19. Jahrhundert sank sie. Der 2. Deich hielt.", ["Im 19. Jahrhundert sank sie.", "Der 2. Deich hielt."]),
        ("Die Zahl stieg auf 3. Danach fiel sie.", ["Die Zahl stieg auf 3.", "Danach fiel sie."]),
        ("Der Wert war 2,3. Mai und Juni fehlen.", ["Der Wert war 2,3.", "Mai und Juni fehlen."]),
        ("Das war 1945. Mai und Juni waren warm.", ["Das war 1945.", "Mai und Juni waren warm."]),
        ("He has 3. May we go? I am 3. Then I left.", ["He has 3.", "May we go?", "I am 3.", "Then I left."]),
    ],
)
def test_a_german_ordinal_does_not_end_a_sentence(text: str, expected: list[str]) -> None:
    """The full stop of "am 3. Mai" is not the end of a sentence; that of a number in prose is (DIG-18)."""
    canonical = canonicalise(text)

    assert [span.of(canonical.text) for span in sentence_spans(canonical)] == expected


def test_an_abbreviation_that_opens_a_sentence_does_not_end_it() -> None:
    canonical = canonicalise("The night was good. Dr. Smith came by. (Mr. Jones did not.)")

    sentences = [span.of(canonical.text) for span in sentence_spans(canonical)]

    assert sentences == ["The night was good.", "Dr. Smith came by.", "(Mr. Jones did not.)"]


def test_a_citation_of_a_case_is_not_cut() -> None:
    said = "See Tellabs, Inc. v. Makor Issues & Rights, Ltd., 551 U.S. 308 (2007)."
    canonical = canonicalise(f"{said} Acme Corp., Plaintiff, v. Jane Doe. He sold it in the U.S. Then he left.")

    sentences = [span.of(canonical.text) for span in sentence_spans(canonical)]

    assert sentences == [said, "Acme Corp., Plaintiff, v. Jane Doe.", "He sold it in the U.S.", "Then he left."]


def test_no_sentence_runs_over_a_block_or_a_page() -> None:
    text = pages("A heading\n\nThe body", "next page")

    assert [span.of(text.text) for span in sentence_spans(text)] == ["A heading", "The body", "next page"]
