"""Checks audio files: the header must not declare more data than the file contains."""

from __future__ import annotations

from typing import BinaryIO

from octavo_contracts import QualityFinding, SourceCorrupt

from .report import damaged

_STREAMED = {0, 0xFFFFFFFF}
"""Lengths that a recorder writes if it does not know the end."""


def check_wav(stream: BinaryIO) -> tuple[QualityFinding, ...]:
    """Compare the length of a WAV's data chunk with the file.

    Raises:
        SourceCorrupt: there is no data chunk.
    """
    size = stream.seek(0, 2)
    at = 12
    while at + 8 <= size:
        stream.seek(at)
        head = stream.read(8)
        length = int.from_bytes(head[4:8], "little")
        if head[:4] == b"data":
            held = size - at - 8
            if length > held and length not in _STREAMED:
                return (damaged(f"The WAV header declares {length:,} bytes of sound; the file contains {held:,}."),)
            return ()
        at += 8 + length + length % 2
    raise SourceCorrupt("the WAV file contains no sound: its data chunk is missing")
