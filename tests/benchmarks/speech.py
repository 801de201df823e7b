"""Transcription of the corpus's speech: word error rate and real-time factor of each engine, in one table.

Word error rate: NFKC, without regard to case, punctuation or hyphens; edit distance over the words of the truth, at most 1 a
recording. Numbers and titles count as they are written: "10" is not "ten". The real-time factor is the seconds of the
converter over those of the sound, in a warm worker.

A second table, with --noise, gives the same recordings with white noise, and says how well the confidence of a
transcript tells that a quarter of its words or more are wrong: by it the engines' threshold was set.
Usage: python -m tests.benchmarks.speech [--engines faster-whisper,whisper] [--whisper tiny.en.pt] [--noise]
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from octavo.conversion.options import ConvertOptions
from octavo.conversion.pipeline import run
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo.settings.audio import SpeechSettings
from octavo.settings.settings import Settings

from . import ocr
from .corpus import corpus_folder

SNR = (20, 10, 5, 0, -5, -10)
"""Decibels by which the speech is louder than the noise."""
WRONG = 0.25
"""A transcript with this share of wrong words should be flagged."""
THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)


@dataclass(frozen=True, kw_only=True)
class Clip:
    """A recording with its truth."""

    name: str
    data: bytes
    truth: str


@dataclass(frozen=True, kw_only=True)
class Heard:
    """The result of one recording.

    Attributes:
        name: of the recording.
        error_rate: of its words, 0..1.
        confidence: of the whole, 0..1; None where nothing was heard.
        seconds: that the converter took.
        duration: seconds of sound.
    """

    name: str
    error_rate: float
    confidence: float | None
    seconds: float
    duration: float


def clips(folder: Path) -> Iterator[Clip]:
    """The recordings of the corpus whose words are known."""
    for row in json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]:
        if row["kind"] == "audio-speech":
            truth = (folder / row["ground_truth"]).read_text(encoding="utf-8")
            yield Clip(name=Path(row["path"]).name, data=(folder / row["path"]).read_bytes(), truth=truth)


def error_rate(truth: str, given: str) -> float:
    """Wrong words over those of the truth; "cold-hearted" is two words, as in a truth that was written by ear."""
    return ocr.error_rate(*(ocr.words(text.replace("-", " "), language="en") for text in (truth, given)))


def noisy(clip: Clip, *, snr: int) -> Clip:
    """The recording with white noise, the same in every run."""
    import numpy as np
    from octavo_contracts.authoring.recordings import RATE, Recording

    kind = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".flac": "audio/flac"}
    recording = Recording(io.BytesIO(clip.data), media_type=kind[Path(clip.name).suffix])
    sound = np.concatenate([piece.samples for piece in recording.pieces()])
    recording.close()
    loudness = np.sqrt(np.mean(np.square(sound)))
    noise = np.random.default_rng(snr + 100).standard_normal(len(sound)) * loudness * 10 ** (-snr / 20)
    mixed = sound + noise
    samples = (mixed / max(1.0, float(np.abs(mixed).max())) * 32767).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(RATE)
        made.writeframes(samples.tobytes())
    return Clip(name=f"{clip.name} {snr} dB.wav", data=buffer.getvalue(), truth=clip.truth)


def listen(runtime: Runtime, clip: Clip, *, engine: str) -> Heard:
    """Convert one recording and score it."""
    with Source.from_bytes(clip.data, name=clip.name) as source:
        outcome = run(runtime, source, ConvertOptions(plugin=engine, asked_by="the benchmark"))
    version = outcome.versions[outcome.active]
    fields = version.conversion.metadata.fields
    confidence, duration = fields.get("confidence"), fields["duration_seconds"]
    assert isinstance(duration, float)
    return Heard(
        name=clip.name,
        error_rate=error_rate(clip.truth, version.texts.canonical.text),
        confidence=confidence if isinstance(confidence, float) else None,
        seconds=sum(attempt.duration_ms for attempt in version.attempts if attempt.hook == "convert") / 1000,
        duration=duration,
    )


def measure(engine: str, found: Sequence[Clip], *, model: Path | None) -> list[Heard]:
    """Every recording by one engine, the first of them once before, so that its model is loaded."""
    with Runtime(Settings(workers=1, speech=SpeechSettings(model=model))) as runtime:
        listen(runtime, found[0], engine=engine)
        heard = []
        for clip in found:
            heard.append(listen(runtime, clip, engine=engine))
            print(f"{engine} {vars(heard[-1])}", file=sys.stderr, flush=True)
        return heard


def print_scores(scores: dict[str, list[Heard]]) -> None:
    """One row a recording, one column an engine; then the means."""
    names = list(scores)
    print("word error rate (real-time factor)".ljust(40) + "".join(name.rjust(20) for name in names))
    for row in zip(*scores.values(), strict=True):
        cells = [f"{one.error_rate:.3f} ({one.seconds / one.duration:.2f})" for one in row]
        print(f"{row[0].name}, {row[0].duration:.1f} s".ljust(40) + "".join(cell.rjust(20) for cell in cells))
    cells = []
    for heard in scores.values():
        mean = sum(one.error_rate for one in heard) / len(heard)
        factor = sum(one.seconds for one in heard) / sum(one.duration for one in heard)
        cells.append(f"{mean:.3f} ({factor:.2f})")
    print(f"mean of {len(next(iter(scores.values())))}".ljust(40) + "".join(cell.rjust(20) for cell in cells))


def print_thresholds(heard: Sequence[Heard]) -> None:
    """For each threshold, how many transcripts it flags, and how many of those and of the wrong ones are wrong and flagged."""
    wrong = [one for one in heard if one.error_rate >= WRONG and one.confidence is not None]
    nothing = [one for one in heard if one.confidence is None]
    print(
        f"{len(heard)} transcripts, {len(nothing)} of them without a word; {len(wrong)} others have {WRONG:.0%} wrong words"
    )
    print("flagged below   flagged   precision   recall")
    for threshold in THRESHOLDS:
        flagged = [one for one in heard if one.confidence is not None and one.confidence < threshold]
        right = sum(one in wrong for one in flagged)
        precision = f"{right / len(flagged):.2f}" if flagged else "–"
        print(f"{threshold:13.2f}{len(flagged):10}{precision:>12}{right / max(1, len(wrong)):9.2f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="faster-whisper")
    parser.add_argument("--whisper", type=Path, help="checkpoint of the engine whisper")
    parser.add_argument("--noise", action="store_true", help="the second table, by the first engine")
    options = parser.parse_args()
    folder = corpus_folder()
    if folder is None:
        raise SystemExit("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
    found, engines = list(clips(folder)), options.engines.split(",")
    models = {"whisper": options.whisper}
    scores = {name: measure(name, found, model=models.get(name)) for name in engines}
    print_scores(scores)
    if options.noise:
        degraded = [noisy(clip, snr=snr) for clip in found for snr in SNR]
        heard = measure(engines[0], degraded, model=models.get(engines[0]))
        print_thresholds([*scores[engines[0]], *heard])


if __name__ == "__main__":
    main()
