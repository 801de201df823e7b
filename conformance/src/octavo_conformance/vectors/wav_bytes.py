"""Sound, written byte by byte: 8-bit mono samples in a WAV file."""

from __future__ import annotations

import struct

RATE = 8000
SILENCE = b"\x80"
"""The middle of the range: samples of 8 bits have no sign."""


def wav(samples: bytes) -> bytes:
    """A WAV file.

    Args:
        samples: one byte each, `RATE` a second.
    """
    facts = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, RATE, 1, 8)
    body = b"WAVE" + facts + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body
