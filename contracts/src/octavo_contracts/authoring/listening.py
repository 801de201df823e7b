"""Transcription shared by speech engines: everything except the model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Protocol

from ..conversion import Conversion, ConvertRequest
from ..errors import SourceEmpty, UsageError
from ..source import SourceView
from .recordings import DEMUXERS, Piece, Recording
from .requests import require_media_type
from .transcripts import Utterance, require_room, transcript

MEDIA_TYPES = frozenset(DEMUXERS)
"""Media types of recordings that can be decoded."""


class Listener(Protocol):
    """A speech model that transcribes one recording, piece by piece, in order."""

    @property
    def language(self) -> str | None:
        """Language of the speech, BCP 47; None until it is known."""

    def listen(self, piece: Piece, /) -> Iterator[Utterance]:
        """Transcribe a piece."""


def transcribe_with(
    make_listener: Callable[[], Listener],
    source: SourceView,
    *,
    request: ConvertRequest,
    doubtful_below: float,
    engine_version: str | None,
) -> Conversion:
    """Transcribe a recording.

    Args:
        make_listener: loads the model; called only after the recording has been accepted.
        source: the recording.
        request: the request for the conversion.
        doubtful_below: confidence below which a block gets a warning that its words may be wrong (OCR-5).
        engine_version: version of the speech engine.

    Raises:
        UnsupportedFormat: the type is not one of `MEDIA_TYPES`.
        UsageError: the request names single pages.
        SourceEmpty, SourceCorrupt: the file has no bytes, or contains no sound.
        ContentTooLarge: the recording is longer than a day, or has more time blocks than the request allows.
        ToolUnavailable: PyAV is missing.
    """
    require_media_type(request, MEDIA_TYPES)
    if request.pages is not None:
        raise UsageError("single time blocks cannot be requested: the plugin lacks the capability page_ranges")
    if source.size == 0:
        raise SourceEmpty("the file has no bytes")
    with source.open() as stream, closing(Recording(stream, media_type=request.media_type)) as recording:
        require_room(recording.declared, request)
        listener = make_listener()
        heard = [utterance for piece in recording.pieces() for utterance in listener.listen(piece)]
        require_room(recording.seconds, request)
        return transcript(
            heard,
            duration=recording.seconds,
            language=listener.language if heard else None,
            doubtful_below=doubtful_below,
            engine_version=engine_version,
            warnings=recording.warnings(),
        )


def threads() -> int:
    """Threads of a call: OMP_NUM_THREADS, else 1. More threads make the words depend on the machine and other documents wait."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) else 1
