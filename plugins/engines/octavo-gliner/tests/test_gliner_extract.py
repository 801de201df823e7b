"""GLiNER's real code on a model of random weights that the test makes: what it finds is noise, where it finds it is not."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import hook_context
from octavo_contracts import EntityRequest, ToolUnavailable

plugin = pytest.importorskip("octavo_gliner.plugin", reason="octavo-gliner is not installed: it asks for torch")

needs_gliner = pytest.mark.skipif(
    not find_spec("gliner"), reason="gliner is not installed: it brings torch, and is in no extra of the workspace"
)

TEXT = "🚀 Ada Quay met Ben Pier in Lisbon. " * 12
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `from_pretrained` reads it: a tiny DeBERTa with random weights, its tokenizer, GLiNER's own layers."""
    import torch
    from gliner.config import UniEncoderSpanConfig
    from gliner.model import UniEncoderSpanGLiNER
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("gliner")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "Ada", "Quay", "Ben", "Pier", "Lisbon", "met", "in", *LETTERS]
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    ).save_pretrained(folder)
    torch.manual_seed(7)
    size = len(words) + 3
    encoder = {
        "model_type": "deberta-v2",
        "vocab_size": size,
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
    }
    config = UniEncoderSpanConfig(
        model_name=str(folder),
        encoder_config=encoder,
        hidden_size=16,
        vocab_size=size,
        max_len=24,
        max_width=4,
        dropout=0.0,
    )
    UniEncoderSpanGLiNER.load_from_config(config, backbone_from_pretrained=False).save_pretrained(folder)
    return folder


def find(folder: Path | str | None, text: str, tmp_path: Path, **request):
    options = {"model": str(folder), **request.pop("options", {})} if folder else {}
    asked = EntityRequest(labels=("person", "location"), options=options, **request)
    return plugin.extract_entities(text, asked, hook_context(tmp_path))


@needs_gliner
@pytest.mark.filterwarnings("ignore")  # torch and transformers warn of their own deprecations
def test_spans_hold_their_text_over_every_window(weights: Path, tmp_path: Path) -> None:
    found = find(weights, TEXT, tmp_path, threshold=0.05)
    assert found
    assert max(one.end for one in found) > len(TEXT) // 2
    assert all(TEXT[one.start : one.end] == one.text for one in found)
    assert {one.label for one in found} <= {"person", "location"}
    assert all(one.confidence >= 0.05 for one in found)
    assert list(found) == sorted(found, key=lambda one: (one.start, one.end, one.label))


@needs_gliner
@pytest.mark.filterwarnings("ignore")  # torch and transformers warn of their own deprecations
def test_the_same_text_gives_the_same_answer_whatever_the_batch(weights: Path, tmp_path: Path) -> None:
    one = find(weights, TEXT, tmp_path, threshold=0.05, options={"batch_size": 1})
    many = find(weights, TEXT, tmp_path, threshold=0.05, options={"batch_size": 16})
    places = [(seen.start, seen.end, seen.label) for seen in one]
    assert places == [(seen.start, seen.end, seen.label) for seen in many]
    assert find(weights, TEXT, tmp_path, threshold=1.0) == ()
    assert find(weights, TEXT, tmp_path, threshold=0.05, options={"window": 12}) != ()


@needs_gliner
@pytest.mark.filterwarnings("ignore")  # torch and transformers warn of their own deprecations
def test_weights_that_are_damaged_are_a_missing_tool(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "gliner_config.json").write_bytes((weights / "gliner_config.json").read_bytes())
    with pytest.raises(ToolUnavailable, match="cannot be loaded"):
        find(tmp_path, TEXT, tmp_path)


def test_without_weights_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="no folder of weights") as caught:
        find(None, TEXT, tmp_path)
    assert "entities.model" in (caught.value.remedy or "")
    with pytest.raises(ToolUnavailable, match=r"no gliner_config\.json"):
        find(tmp_path / "nowhere", TEXT, tmp_path)


def test_nothing_is_loaded_for_an_empty_text(tmp_path: Path) -> None:
    assert find(None, " \n ", tmp_path) == ()


def test_importing_the_plugin_does_not_import_gliner() -> None:
    code = "import sys, octavo_gliner.plugin; sys.exit(bool({'gliner', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
