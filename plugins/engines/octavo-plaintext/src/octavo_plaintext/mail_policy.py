"""Parses messages so that an attached message is written out again as it was read."""

from __future__ import annotations

import re
from email.policy import Compat32
from typing import Any

_HEAD_BYTES = 65_536
"""How many bytes of a message tell what ends its lines."""


class VerbatimPolicy(Compat32):
    """Policy that keeps the line breaks of header fields.

    It extends the older of Python's policies: the newer one parses a header again at each look, and raises on malformed ones.
    """

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Return a header field as it was read, but for blanks behind its colon."""
        if not isinstance(value, str):  # a `Header`, where the field has bytes outside ASCII
            return super().fold_binary(name, value)
        lines = re.split(r"\r\n|\r|\n", value)
        return f"{name}: {self.linesep.join(lines)}{self.linesep}".encode("utf-8", errors="surrogateescape")


def line_end_of(data: bytes) -> str:
    r"""Return what ends the lines of a message: ``\r\n`` as mail is sent, or ``\n``."""
    return "\r\n" if b"\r\n" in data[:_HEAD_BYTES] else "\n"
