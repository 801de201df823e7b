"""Decodes the sound of a recording with PyAV: mono, 16,000 samples per second, in pieces of bounded size.

PyAV and numpy are imported when a recording is opened: speech engines depend on them, the contracts do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple

from ..conversion import ConversionWarning
from ..errors import ContentTooLarge, SourceCorrupt, ToolUnavailable
from ..reasons import DegradedFlag

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RATE: Final = 16_000
"""Samples per second that Whisper expects."""

PIECE_SECONDS: Final = 300
"""Longest piece passed to the model at once: its features take about 1 MB per second of sound."""

SEARCH_SECONDS: Final = 30
"""A piece is cut at the quietest point in this many seconds at its end, so that no word is split."""

QUIET_SAMPLES: Final = RATE // 10
MAX_SECONDS: Final = 24 * 3600
"""Longer recordings are refused: a few kilobytes of FLAC can contain days of silence."""

SHORT_BY_SECONDS: Final = 0.5
SHORT_BY_SHARE: Final = 0.01
"""A recording that is shorter than its header says by at least this is truncated. Less is encoder padding."""

GAP_SECONDS: Final = 0.01
"""A gap of this length between frames means that a frame is missing. Some formats round times to a millisecond."""

STREAMED: Final = frozenset({0, 0xFFFFFFFF})
"""Lengths that a recorder writes into a WAV header when the length is not known in advance."""

LARGEST_PAGE: Final = 65_307
"""Largest page that Ogg allows, bytes."""

DEMUXERS: Final = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp4": "mov",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
}
"""Media type → the only FFmpeg demuxer that may read the bytes: others follow references to other files."""

_MAGIC: Final[dict[str, tuple[tuple[int, tuple[bytes, ...]], ...]]] = {
    "audio/wav": ((0, (b"RIFF", b"RIFX", b"RF64")), (8, (b"WAVE",))),
    "audio/mp4": ((4, (b"ftyp",)),),
    "audio/flac": ((0, (b"fLaC", b"ID3")),),
    "audio/ogg": ((0, (b"OggS",)),),
}
"""Media type → offsets and the bytes expected there. MPEG audio has no signature: its frames are checked."""


class Piece(NamedTuple):
    """A part of a recording.

    Attributes:
        start: seconds from the beginning of the recording.
        samples: float32, mono, `RATE` per second, between -1 and 1.
    """

    start: float
    samples: NDArray[np.float32]


class Recording:
    """A recording that is decoded while it is read. The caller must close it.

    Args:
        stream: the file, at its first byte.
        media_type: its type, one of `DEMUXERS`.

    Raises:
        SourceCorrupt: the bytes are not of that type, or contain no sound.
        ToolUnavailable: PyAV is missing.
    """

    def __init__(self, stream: BinaryIO, *, media_type: str) -> None:
        try:
            import av
        except ImportError as error:
            raise ToolUnavailable(f"PyAV cannot be imported: {error}", remedy="Run: pip install av") from error
        self._av = av
        _check_magic(stream, media_type)
        self._cut = _how_cut(stream, media_type)
        try:
            self._container = av.open(stream, "r", format=DEMUXERS[media_type], metadata_errors="ignore")
        except (av.FFmpegError, ValueError) as error:
            raise SourceCorrupt(f"the file cannot be opened as {media_type}: {_reason(error)}") from error
        if not self._container.streams.audio:
            self.close()
            raise SourceCorrupt("the file contains no sound")
        self._sound = self._container.streams.audio[0]
        self._samples = 0
        self._ends: float | None = None
        self.damaged = 0
        """Number of undecodable packets so far, plus places where packets are missing."""

    @property
    def seconds(self) -> float:
        """Seconds decoded so far; the total length once `pieces` is exhausted."""
        return self._samples / RATE

    def close(self) -> None:
        """Free the decoder."""
        self._container.close()

    @property
    def declared(self) -> float | None:
        """Length according to the header, seconds; None if the header does not state it."""
        stream, container = self._sound, self._container
        if stream.duration is not None and stream.time_base is not None:
            return float(stream.duration * stream.time_base)
        return float(container.duration / self._av.time_base) if container.duration is not None else None

    def pieces(self) -> Iterator[Piece]:
        """Yield the sound in pieces, from beginning to end.

        Raises:
            SourceCorrupt: nothing could be decoded, or the recording lasts 0 seconds.
            ContentTooLarge: the recording is longer than `MAX_SECONDS`.
        """
        import numpy as np

        start, length = 0, 0
        waiting: list[NDArray[np.float32]] = []
        for block in self._blocks():
            self._samples += len(block)
            if self.seconds > MAX_SECONDS:
                raise ContentTooLarge(f"the recording is longer than {MAX_SECONDS // 3600} hours")
            waiting.append(block)
            length += len(block)
            while length >= PIECE_SECONDS * RATE:
                whole = np.concatenate(waiting)
                at = quietest(whole[: PIECE_SECONDS * RATE])
                yield Piece(start / RATE, whole[:at])
                start += at
                waiting, length = [whole[at:]], length - at
        if not self._samples:
            why = f"none of its {self.damaged} packets can be decoded" if self.damaged else "its length is 0 seconds"
            raise SourceCorrupt(f"the file contains no sound: {why}")
        if length:
            yield Piece(start / RATE, np.concatenate(waiting))

    def warnings(self) -> list[ConversionWarning]:
        """Warnings about parts of the recording that were not transcribed. Call it once `pieces` is exhausted."""
        said = []
        declared = self.declared
        if self.damaged:
            said.append(f"at {self.damaged} places its sound is damaged and was skipped")
        if declared is not None and declared - self.seconds > max(SHORT_BY_SECONDS, declared * SHORT_BY_SHARE):
            said.append(f"its header states {declared:.1f} seconds; it contains {self.seconds:.1f}")
        if self._cut:
            said.append(self._cut)
        if others := len(self._container.streams.audio) - 1:
            said.append(f"only the first of its {others + 1} tracks was transcribed")
        pictures = [video for video in self._container.streams.video if not _is_cover(video)]
        if pictures:
            said.append("it is a video: only its sound was transcribed")
        return [ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION.value, message=text) for text in said]

    def _blocks(self) -> Iterator[NDArray[np.float32]]:
        import numpy as np

        resampler = self._av.AudioResampler(format="s16", layout="mono", rate=RATE)
        for frame in self._frames():
            try:
                made = resampler.resample(frame)
            except (self._av.FFmpegError, ValueError):  # the sample format changes within the stream
                self.damaged += 1
                continue
            for part in made:
                yield (part.to_ndarray().reshape(-1) / np.float32(32768)).astype(np.float32)

    def _frames(self) -> Iterator[Any]:
        """Yield decoded frames, then None, which flushes the resampler."""
        packets = self._container.demux(self._sound)
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                break
            except self._av.FFmpegError:  # the container is damaged from here on
                self.damaged += 1
                break
            try:
                frames = packet.decode()
            except self._av.FFmpegError:
                self.damaged += 1
                continue
            for frame in frames:
                self._note_gap(frame)
                frame.pts = None  # timestamps in damaged files jump; the samples are in order
                yield frame
        if self._sound.codec_context.is_open:
            yield None

    def _note_gap(self, frame: Any) -> None:
        """Count a frame that starts after the end of the previous one: the frames between were skipped silently."""
        if frame.pts is None or not frame.sample_rate:
            return
        begins = float(frame.pts * frame.time_base)
        if self._ends is not None and begins - self._ends > GAP_SECONDS:
            self.damaged += 1
        self._ends = begins + frame.samples / frame.sample_rate


def quietest(samples: NDArray[np.float32]) -> int:
    """Return where to cut a piece: the middle of the quietest tenth of a second near its end."""
    import numpy as np

    tail = samples[-SEARCH_SECONDS * RATE :]
    count = len(tail) // QUIET_SAMPLES
    loudness = np.square(tail[: count * QUIET_SAMPLES].reshape(count, QUIET_SAMPLES)).mean(axis=1)
    place = int(np.argmin(loudness))
    return len(samples) - len(tail) + place * QUIET_SAMPLES + QUIET_SAMPLES // 2


def _check_magic(stream: BinaryIO, media_type: str) -> None:
    head = stream.read(12)
    stream.seek(0)
    if media_type == "audio/mpeg":
        fits = head[:3] == b"ID3" or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0)
    else:
        fits = all(any(head[at:].startswith(word) for word in words) for at, words in _MAGIC[media_type])
    if not fits:
        raise SourceCorrupt(f"the first bytes of the file are not those of {media_type}")


def _how_cut(stream: BinaryIO, media_type: str) -> str:
    """Describe, as a clause, a missing end of the file that FFmpeg ignores; empty if the file looks complete."""
    said = ""
    if media_type == "audio/wav" and (missing := _missing_bytes(stream)):
        said = f"its header states {missing:,} more bytes of sound than the file contains"
    elif media_type == "audio/ogg" and not _has_last_page(stream):
        said = "it ends before the page that is marked as its last"
    stream.seek(0)
    return said


def _missing_bytes(stream: BinaryIO) -> int:
    order: Literal["big", "little"] = "big" if stream.read(4) == b"RIFX" else "little"
    size, at = stream.seek(0, 2), 12
    while at + 8 <= size:
        stream.seek(at)
        head = stream.read(8)
        length = int.from_bytes(head[4:], order)
        if head[:4] == b"data":
            return 0 if length in STREAMED else max(0, length - (size - at - 8))
        at += 8 + length + length % 2
    return 0


def _has_last_page(stream: BinaryIO) -> bool:
    size = stream.seek(0, 2)
    stream.seek(max(0, size - LARGEST_PAGE))
    tail = stream.read()
    last = tail.rfind(b"OggS")
    if last < 0 or len(tail) < last + 27:
        return False
    lacing = tail[last + 27 : last + 27 + tail[last + 26]]
    return bool(tail[last + 5] & 4) and len(tail) >= last + 27 + len(lacing) + sum(lacing)


def _is_cover(video: Any) -> bool:
    """True if a video stream is the cover picture."""
    return bool(video.disposition & type(video.disposition).attached_pic)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
