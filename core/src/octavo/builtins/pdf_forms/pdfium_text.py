"""Reads text that pdfium writes to a buffer."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

MAX_ASKED = 1 << 24
"""Maximum length of one text in characters; longer ones are not read."""


class TextTooLongError(ValueError):
    """A text of more than `MAX_ASKED` characters."""


def ask_text(ask: Callable[[Any, int], int]) -> str:
    """Read a text from pdfium: UTF-16 with a terminating zero.

    Args:
        ask: takes a buffer and its size in bytes, returns the required size, and writes if the buffer is large enough.

    Raises:
        TextTooLongError: the text exceeds `MAX_ASKED`.
    """
    import pypdfium2.raw as raw

    size = ask(None, 0)
    if size > 2 * MAX_ASKED:
        raise TextTooLongError(f"a text of {size // 2} characters")
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    ask(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore")


def entry(annotation: Any, key: bytes) -> str:
    """Return a string or name from the annotation's own dictionary; empty if the key is missing."""
    import pypdfium2.raw as raw

    return ask_text(partial(raw.FPDFAnnot_GetStringValue, annotation, key))


def put(annotation: Any, key: bytes, text: str) -> None:
    """Set a string in the annotation's own dictionary, in memory only; the file is unchanged."""
    import pypdfium2.raw as raw

    buffer = ctypes.create_string_buffer(text.encode("utf-16-le", "ignore") + b"\0\0")
    raw.FPDFAnnot_SetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)))


def one_line(text: str) -> str:
    """Return the text as one printable line."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())
