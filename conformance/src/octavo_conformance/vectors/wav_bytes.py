"""Writes WAV files of 8-bit mono samples."""

from __future__ import annotations

import struct

RATE = 8000
SILENCE = b"\x80"
"""The middle of the range: 8-bit samples are unsigned."""


def wav(samples: bytes) -> bytes:
    """Return a WAV file.

    Args:
        samples: one byte each, `RATE` per second.
    """
    facts = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, RATE, 1, 8)
    body = b"WAVE" + facts + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body
