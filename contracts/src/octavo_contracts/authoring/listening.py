"""What engines that listen to recordings have in common: everything but the model."""

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
"""The recordings that can be decoded."""


class Listener(Protocol):
    """A model at work on one recording, given its pieces in order."""

    @property
    def language(self) -> str | None:
        """Of the speech, BCP 47; None until it is known."""

    def listen(self, piece: Piece, /) -> Iterator[Utterance]:
        """What is said in a piece."""


def transcribe_with(
    make_listener: Callable[[], Listener],
    source: SourceView,
    *,
    request: ConvertRequest,
    doubtful_below: float,
    engine_version: str | None,
) -> Conversion:
    """Write down what is said in a recording.

    Args:
        make_listener: loads the model; called once the recording is known to be one that may be listened to.
        source: the recording.
        request: what was asked for.
        doubtful_below: confidence of a block under which a warning says that its words may be wrong (OCR-5).
        engine_version: of the engine that listens.

    Raises:
        UnsupportedFormat: the type is none of `MEDIA_TYPES`.
        UsageError: single pages are asked for.
        SourceEmpty, SourceCorrupt: there are no bytes, or no sound in them.
        ContentTooLarge: it lasts longer than a day, or has more time blocks than the request allows.
        ToolUnavailable: PyAV is missing.
    """
    require_media_type(request, MEDIA_TYPES)
    if request.pages is not None:
        raise UsageError("single time blocks cannot be asked for: the plugin has not the capability page_ranges")
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
    """Threads of a call: OMP_NUM_THREADS, else one. More make the words depend on the machine, and documents wait."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and int(asked) else 1
