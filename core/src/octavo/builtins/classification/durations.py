"""Reads the duration of a recording from its headers (CLS-2 audioDuration)."""

from __future__ import annotations

from typing import BinaryIO

_MP3_BITRATES = {
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Bit rates of layer III in kbit/s by the version bits: 3 for MPEG 1, 2 for MPEG 2 and 2.5."""
_MP3_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_SCAN = 1 << 16
_MAX_BOXES = 1000


def audio_duration(stream: BinaryIO, *, media_type: str) -> float | None:
    """Return the duration in seconds, or None if the headers do not contain it.

    Args:
        stream: the file, seekable.
        media_type: its type by content.
    """
    read = _READERS.get(media_type)
    seconds = read(stream) if read else None
    return round(seconds, 3) if seconds is not None and seconds > 0 else None


def _wav(stream: BinaryIO) -> float | None:
    size = stream.seek(0, 2)
    at, bytes_a_second = 12, 0
    while at + 8 <= size:
        stream.seek(at)
        head = stream.read(24)
        length = int.from_bytes(head[4:8], "little")
        if head[:4] == b"fmt ":
            bytes_a_second = int.from_bytes(head[16:20], "little")
        if head[:4] == b"data":
            return min(length, size - at - 8) / bytes_a_second if bytes_a_second else None
        at += 8 + length + length % 2
    return None


def _flac(stream: BinaryIO) -> float | None:
    stream.seek(0)
    head = stream.read(42)
    if len(head) < 26:
        return None
    packed = int.from_bytes(head[18:26], "big")
    rate, samples = packed >> 44, packed & ((1 << 36) - 1)
    return samples / rate if rate else None


def _mpeg4(stream: BinaryIO) -> float | None:
    """Read timescale and duration from the movie header in the box `moov`."""
    end = stream.seek(0, 2)
    at = 0
    for _ in range(_MAX_BOXES):
        stream.seek(at)
        head = stream.read(16)
        if len(head) < 8:
            return None
        size = int.from_bytes(head[:4], "big")
        if head[4:8] == b"moov":
            return _movie_header(stream.read(200))
        at += int.from_bytes(head[8:16], "big") if size == 1 else size
        if size == 0 or at >= end:
            return None
    return None


def _movie_header(moov: bytes) -> float | None:
    # The first 16 bytes of `moov` were already read with its head, and may contain the type `mvhd`.
    start = moov.find(b"mvhd")
    body = moov[start + 4 :] if start >= 0 else moov
    wide = body[:1] == b"\x01"
    scale = int.from_bytes(body[20:24] if wide else body[12:16], "big")
    duration = int.from_bytes(body[24:32] if wide else body[16:20], "big")
    return duration / scale if scale else None


def _mp3(stream: BinaryIO) -> float | None:
    size = stream.seek(0, 2)
    stream.seek(0)
    tag = stream.read(10)
    start = 0
    if tag[:3] == b"ID3" and len(tag) == 10:
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(tag[6:10], (21, 14, 7, 0), strict=True))
    stream.seek(start)
    block = stream.read(_SCAN)
    at = block.find(b"\xff")
    while 0 <= at < len(block) - 200:
        version, layer = block[at + 1] >> 3 & 3, block[at + 1] >> 1 & 3
        bitrate, rate = block[at + 2] >> 4, block[at + 2] >> 2 & 3
        if block[at + 1] & 0xE0 == 0xE0 and version != 1 and layer == 1 and bitrate not in {0, 15} and rate != 3:
            return _mp3_seconds(block[at : at + 200], size - start - at, version=version, bitrate=bitrate, rate=rate)
        at = block.find(b"\xff", at + 1)
    return None


def _mp3_seconds(frame: bytes, size: int, *, version: int, bitrate: int, rate: int) -> float:
    """Compute the duration from the frame count of a Xing or Info header, else from the first frame's bit rate."""
    mark = max(frame.find(b"Xing"), frame.find(b"Info"))
    if mark > 0 and frame[mark + 7] & 1:
        frames = int.from_bytes(frame[mark + 8 : mark + 12], "big")
        return frames * (1152 if version == 3 else 576) / _MP3_RATES[version][rate]
    return size * 8 / (_MP3_BITRATES[3 if version == 3 else 2][bitrate] * 1000)


def _ogg(stream: BinaryIO) -> float | None:
    """Divide the last page's position by the rate of the first packet; Opus always counts in 48 kHz."""
    size = stream.seek(0, 2)
    stream.seek(0)
    head = stream.read(256)
    rate = 0
    if (vorbis := head.find(b"\x01vorbis")) >= 0:
        rate = int.from_bytes(head[vorbis + 12 : vorbis + 16], "little")
    elif b"OpusHead" in head:
        rate = 48_000
    stream.seek(max(0, size - _SCAN))
    tail = stream.read()
    last = tail.rfind(b"OggS")
    return int.from_bytes(tail[last + 6 : last + 14], "little") / rate if rate and last >= 0 else None


_READERS = {
    "audio/wav": _wav,
    "audio/flac": _flac,
    "audio/mp4": _mpeg4,
    "audio/mpeg": _mp3,
    "audio/ogg": _ogg,
}
