"""Converts a recording to time blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from octavo_contracts import Conversion, ConvertRequest, SourceView, ToolUnavailable
from octavo_contracts.authoring import Utterance
from octavo_contracts.authoring.listening import transcribe_with
from octavo_contracts.authoring.recordings import RATE, Piece

from .model import REMEDY, checkpoint, load_model

BEAM_SIZE: Final = 5
ENGLISH: Final = "en"

DOUBTFUL_BELOW: Final = 0.7
"""Confidence of a block under which its words are flagged (OCR-5)."""

REPEATING: Final = 2.4
"""Text that packs better than this repeats itself: Whisper's own mark of a decoding that went in a circle."""

REPEATING_CONFIDENCE: Final = 0.2

NO_SPEECH: Final = 0.6
"""Whisper's own probability that nobody speaks, above which a window is passed over."""

SILENT: Final = 0.001
"""A piece that is nowhere louder is not listened to: -60 decibels of full scale. Whisper makes words up of silence."""


def transcribe(source: SourceView, *, request: ConvertRequest) -> Conversion:
    """Write down what is said in a recording.

    Args:
        source: the recording.
        request: the options `model` (path of the checkpoint), `language` (BCP 47; None: the model tells) and
            `beam_size` are known.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages are asked for.
        SourceEmpty, SourceCorrupt: there are no bytes, or no sound in them.
        ContentTooLarge: it lasts longer than a day, or has more time blocks than the request allows.
        ToolUnavailable: the engine or its model is missing.
    """
    return transcribe_with(
        lambda: Listener(load_model(checkpoint(request.options.get("model"))), request),
        source,
        request=request,
        doubtful_below=DOUBTFUL_BELOW,
        engine_version=_engine_version(),
    )


class Listener:
    """Gives pieces of one recording to a model, in order: the language of the first speech is that of all.

    Args:
        model: the loaded model, `whisper.model.Whisper`.
        request: its options are read.

    Raises:
        ToolUnavailable: a language is asked for that the model does not know.
    """

    def __init__(self, model: Any, request: ConvertRequest) -> None:
        from whisper.tokenizer import LANGUAGES

        self._model = model
        beams = request.options.get("beam_size")
        self._beams = beams if isinstance(beams, int) and beams > 0 else BEAM_SIZE
        asked = request.options.get("language")
        self.language: str | None = str(asked).partition("-")[0].lower() if asked else None
        """Of the speech; None until it is known."""
        if self.language is None and not model.is_multilingual:
            self.language = ENGLISH
        elif self.language not in (None, *(LANGUAGES if model.is_multilingual else (ENGLISH,))):
            raise ToolUnavailable(f"the model does not know the language {asked!r}", remedy=REMEDY)

    def listen(self, piece: Piece) -> Iterator[Utterance]:
        """What is said in a piece."""
        if max(piece.samples.max(), -piece.samples.min()) < SILENT:
            return
        answer = self._model.transcribe(
            piece.samples,
            language=self.language,
            beam_size=self._beams,
            temperature=0.0,
            condition_on_previous_text=False,
            no_speech_threshold=NO_SPEECH,
            logprob_threshold=None,  # else a window without speech is kept where the model is sure of its words
            fp16=False,
            verbose=None,
        )
        self.language = answer["language"]
        length = len(piece.samples) / RATE
        for segment in answer["segments"]:
            words = " ".join(segment["text"].split())
            if any(char.isalnum() for char in words):
                yield Utterance(
                    start=round(piece.start + min(segment["start"], length), 2),
                    end=round(piece.start + min(segment["end"], length), 2),
                    text=words,
                    confidence=confidence(segment),
                )


def confidence(segment: dict[str, Any]) -> float:
    """The mean probability of a segment's tokens, 0..1; little where its words go round in a circle."""
    mean = min(1.0, math.exp(segment["avg_logprob"]))
    return round(min(mean, REPEATING_CONFIDENCE) if segment["compression_ratio"] > REPEATING else mean, 3)


def _engine_version() -> str | None:
    try:
        return version("openai-whisper")
    except PackageNotFoundError:
        return None
