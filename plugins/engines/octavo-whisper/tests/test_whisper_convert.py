"""openai-whisper's own loading and decoding on real small weights; and what is said without any."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_contracts import (
    MANIFEST_NAME,
    ContentTooLarge,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_contracts.authoring.listening import MEDIA_TYPES

pytestmark = [
    # openai-whisper leaves the file of its vocabulary to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed file.*tiktoken:ResourceWarning"),
    pytest.mark.filterwarnings("ignore:Exception ignored in.*tiktoken:pytest.PytestUnraisableExceptionWarning"),
]

needs_av = pytest.mark.skipif(not find_spec("av"), reason="PyAV is not installed: it comes with octavo-whisper")
needs_whisper = pytest.mark.skipif(
    not find_spec("whisper") or not find_spec("torch"),
    reason="openai-whisper is not installed: it brings torch, and is in no extra but `models`",
)


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def test_speech_is_written_down_by_the_real_loader_and_the_real_weights(spoken, weights, convert_file):
    """CNV-9: `whisper.load_model` reads the checkpoint, `model.transcribe` hears the words."""
    made = convert_file(spoken, options={"model": str(weights)})
    (page,) = made.pages
    assert {"swear", "truth", "oath"} <= words(page.text)
    assert (page.kind, page.label) == ("time_block", "00:00:00")
    assert page.markdown == f"[00:00:00] {page.text}"
    assert made.metadata.language == "en"
    assert 2 < made.metadata.fields["duration_seconds"] < 5
    assert 0 < made.extensions["octavo.page_confidences"]["1"] <= 1
    assert made.engine_version
    assert made == convert_file(spoken, options={"model": str(weights)})


def test_silence_is_no_words(quiet, weights, convert_file):
    made = convert_file(quiet, options={"model": str(weights)})
    assert [page.text for page in made.pages] == [""]
    assert made.metadata.language is None


def test_what_whisper_itself_takes_for_no_speech_is_no_words(tmp_path, quiet, weights, convert_file):
    """A whisper of noise, above the level of silence."""
    import random

    dice = random.Random(7)
    data = bytearray(quiet.read_bytes()[:44])
    for _ in range(320_000):
        data += int(dice.gauss(0, 40)).to_bytes(2, "little", signed=True)
    data[4:8], data[40:44] = (len(data) - 8).to_bytes(4, "little"), (len(data) - 44).to_bytes(4, "little")
    path = tmp_path / "noise.wav"
    path.write_bytes(bytes(data))
    made = convert_file(path, options={"model": str(weights)})
    assert "".join(page.text for page in made.pages) == ""


def test_a_language_that_the_model_does_not_know_is_told(quiet, weights, convert_file):
    with pytest.raises(ToolUnavailable, match="does not know the language 'de'"):
        convert_file(quiet, options={"model": str(weights), "language": "de"})
    assert convert_file(quiet, options={"model": str(weights), "language": "en-US", "beam_size": 1}).paginated


@pytest.mark.corpus
def test_real_speech_is_written_down_nearly_word_for_word(weights, convert_file):
    corpus = pytest.importorskip("tests.benchmarks.corpus", reason="the workspace's benchmarks are not at hand")
    speech = pytest.importorskip("tests.benchmarks.speech", reason="the workspace's benchmarks are not at hand")
    folder = corpus.corpus_folder()
    if folder is None:
        pytest.skip("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    paths: dict[str, Path] = {path.name: path for path in (folder / "audio").iterdir()}
    longest = max(speech.clips(folder), key=lambda clip: len(clip.truth))
    made = convert_file(paths[longest.name], options={"model": str(weights)})
    assert speech.error_rate(longest.truth, " ".join(page.text or "" for page in made.pages)) < 1 / 6


def test_manifest_and_code_name_the_same_types():
    pytest.importorskip("octavo_whisper.convert", reason="octavo-whisper is not installed: it asks for torch")
    manifest = PluginManifest.from_toml((files("octavo_whisper") / MANIFEST_NAME).read_text(encoding="utf-8"))
    assert set(manifest.media_types) == MEDIA_TYPES
    assert manifest.name == "whisper"


def test_importing_the_plugin_leaves_the_engine_alone():
    pytest.importorskip("octavo_whisper", reason="octavo-whisper is not installed: it asks for torch")
    script = (
        "import sys, octavo_whisper.plugin, octavo_whisper.convert;"
        "print({'whisper', 'torch', 'av', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("options", "message"),
    [({}, "no Whisper checkpoint is set"), ({"model": "base"}, "the checkpoint base is no file that can be read")],
)
def test_without_weights_the_setting_is_named_at_once(options, message, quiet, convert_file):
    """A model's name is not asked of the network."""
    started = time.perf_counter()
    with pytest.raises(ToolUnavailable, match=rf"{message}.*setting speech\.model"):
        convert_file(quiet, options=options)
    assert time.perf_counter() - started < 1


@needs_av
@needs_whisper
@pytest.mark.parametrize("data", [b"", b"no checkpoint", b"PK\x03\x04 cut"])
def test_weights_that_are_none_are_told(data, tmp_path, quiet, convert_file):
    path = tmp_path / "model.pt"
    path.write_bytes(data)
    with pytest.raises(ToolUnavailable, match="cannot be loaded"):
        convert_file(quiet, options={"model": str(path)})


@needs_whisper
def test_a_checkpoint_of_something_else_is_told(tmp_path, quiet, convert_file):
    """Weights of another network, and a pickle that would run code: torch loads numbers alone."""
    import pickle

    import torch

    other, hostile = tmp_path / "other.pt", tmp_path / "hostile.pt"
    torch.save({"weights": torch.zeros(3)}, other)
    hostile.write_bytes(pickle.dumps({"dims": print}, protocol=2))
    for path in (other, hostile):
        with pytest.raises(ToolUnavailable, match="cannot be loaded"):
            convert_file(quiet, options={"model": str(path)})


@needs_av
def test_a_missing_engine_names_its_command(monkeypatch, tmp_path, quiet, convert_file):
    monkeypatch.setitem(sys.modules, "whisper", None)
    path = tmp_path / "model.pt"
    path.write_bytes(b"x")
    with pytest.raises(ToolUnavailable, match="pip install octavo-whisper"):
        convert_file(quiet, options={"model": str(path)})


def test_what_can_not_be_heard_is_refused(tmp_path, quiet, convert_file):
    with pytest.raises(UnsupportedFormat, match="application/pdf"):
        convert_file(quiet, media_type="application/pdf")
    with pytest.raises(UsageError, match="page_ranges"):
        convert_file(quiet, pages=(1,))
    empty = tmp_path / "empty.wav"
    empty.write_bytes(b"")
    with pytest.raises(SourceEmpty):
        convert_file(empty)


@needs_av
def test_bytes_of_another_kind_and_too_long_recordings_are_refused(tmp_path, quiet, convert_file):
    """Before any weights are loaded."""
    weights, text, long = tmp_path / "model.pt", tmp_path / "note.wav", tmp_path / "long.wav"
    weights.write_bytes(b"x")
    text.write_bytes(b"Just words, spoken by nobody.")
    with pytest.raises(SourceCorrupt, match="first bytes"):
        convert_file(text, options={"model": str(weights)})
    sound = bytes(32_000 * 70)
    head = bytearray(quiet.read_bytes()[:44])
    head[40:44] = len(sound).to_bytes(4, "little")
    long.write_bytes(bytes(head) + sound)
    with pytest.raises(ContentTooLarge, match="2 time blocks"):
        convert_file(long, options={"model": str(weights)}, max_pages=1)


@pytest.mark.parametrize(("asked", "given"), [(None, 1), ("0", 1), ("3", 3)])
def test_threads_are_those_of_the_environment_or_one(monkeypatch, asked, given):
    model = pytest.importorskip("octavo_whisper.model", reason="octavo-whisper is not installed: it asks for torch")
    if asked is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert model.threads() == given


def test_words_that_go_in_a_circle_are_not_trusted():
    convert = pytest.importorskip("octavo_whisper.convert", reason="octavo-whisper is not installed: it asks for torch")
    assert convert.confidence({"avg_logprob": -0.1, "compression_ratio": 1.2}) == round(math.exp(-0.1), 3)
    assert convert.confidence({"avg_logprob": -0.1, "compression_ratio": 9.0}) == convert.REPEATING_CONFIDENCE
