"""Converts a recording to time blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from octavo_contracts import Conversion, ConvertRequest, SourceView, ToolUnavailable
from octavo_contracts.authoring import PAUSE_SECONDS, Utterance
from octavo_contracts.authoring.listening import transcribe_with
from octavo_contracts.authoring.recordings import RATE, Piece
from octavo_contracts.authoring.usage_events import silence_usage_events

from .model import REMEDY, load_model, model_folder

if TYPE_CHECKING:
    import numpy as np
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment
    from numpy.typing import NDArray

BEAM_SIZE: Final = 5
ENGLISH: Final = "en"

DOUBTFUL_BELOW: Final = 0.7
"""Confidence of a block under which its words are flagged (OCR-5). Measured on speech with noise: every transcript with a
quarter of its words wrong is below it, and three of four that are below it have so many."""

REPEATING: Final = 2.4
"""Text that packs better than this repeats itself: Whisper's own mark of a decoding that went in a circle."""

REPEATING_CONFIDENCE: Final = 0.2


def transcribe(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Transcribe a recording.

    Args:
        source: the recording.
        request: the options `model` (folder of the weights), `language` (BCP 47; None: the model tells) and
            `beam_size` are known.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages are asked for.
        SourceEmpty, SourceCorrupt: there are no bytes, or no sound in them.
        ContentTooLarge: it lasts longer than a day, or has more time blocks than the request allows.
        ToolUnavailable: the engine or its model is missing.
    """
    return transcribe_with(
        lambda: Listener(load_model(model_folder(request.options.get("model"))), request),
        source,
        request=request,
        doubtful_below=DOUBTFUL_BELOW,
        engine_version=_engine_version(),
    )


class Listener:
    """Gives pieces of one recording to a model, in order: the language of the first speech is that of all.

    Args:
        model: the loaded model.
        request: its options are read.

    Raises:
        ToolUnavailable: a language is asked for that the model does not know.
    """

    def __init__(self, model: WhisperModel, request: ConvertRequest) -> None:
        self._model = model
        beams = request.options.get("beam_size")
        self._beams = beams if isinstance(beams, int) and beams > 0 else BEAM_SIZE
        asked = request.options.get("language")
        self.language: str | None = str(asked).partition("-")[0].lower() if asked else None
        """Of the speech; None until it is known."""
        if self.language is None and not model.model.is_multilingual:
            self.language = ENGLISH
        elif self.language is not None and self.language not in model.supported_languages:
            raise ToolUnavailable(f"the model does not know the language {asked!r}", remedy=REMEDY)

    def listen(self, piece: Piece) -> Iterator[Utterance]:
        """Transcribe a piece.

        Speech is told from other sounds first: left alone with silence or a tone, Whisper makes words up. Each stretch of it is
        decoded by itself, so that words do not lose their time.
        """
        stretches = speech(piece.samples)
        if not stretches:
            return
        segments, info = self._model.transcribe(
            piece.samples,
            language=self.language,
            beam_size=self._beams,
            temperature=0.0,
            condition_on_previous_text=False,
            clip_timestamps=[at for stretch in stretches for at in stretch],
        )
        self.language = info.language
        for segment in segments:
            words = " ".join(segment.text.split())
            if any(char.isalnum() for char in words):
                yield Utterance(
                    start=round(piece.start + segment.start, 2),
                    end=round(piece.start + segment.end, 2),
                    text=words,
                    confidence=confidence(segment),
                )


def speech(samples: NDArray[np.float32]) -> list[tuple[float, float]]:
    """Where somebody speaks, as seconds from the first sample; what is nearer together than a paragraph's pause is one."""
    silence_usage_events()
    from faster_whisper.vad import get_speech_timestamps

    found: list[tuple[float, float]] = []
    for part in get_speech_timestamps(samples):
        start, end = part["start"] / RATE, part["end"] / RATE
        if found and start - found[-1][1] < PAUSE_SECONDS:
            start = found.pop()[0]
        found.append((start, end))
    return found


def confidence(segment: Segment) -> float:
    """The mean probability of a segment's tokens, 0..1; little where its words go round in a circle."""
    mean = min(1.0, math.exp(segment.avg_logprob))
    return round(min(mean, REPEATING_CONFIDENCE) if segment.compression_ratio > REPEATING else mean, 3)


def _engine_version() -> str | None:
    try:
        return version("faster-whisper")
    except PackageNotFoundError:
        return None
