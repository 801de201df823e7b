"""Decodes bytes with the decoder that all of Octavo shares."""

from __future__ import annotations

from octavo_contracts import ToolUnavailable
from octavo_contracts.authoring import decoding
from octavo_contracts.authoring.decoding import Decoded

__all__ = ["Decoded", "decode"]


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Decode bytes; see `octavo_contracts.authoring.decoding.decode`.

    Raises:
        ToolUnavailable: the encoding has to be guessed, and charset-normalizer is not installed.
    """
    try:
        return decoding.decode(data, declared=declared)
    except ToolUnavailable as error:
        error.located(plugin="plaintext")
        raise
