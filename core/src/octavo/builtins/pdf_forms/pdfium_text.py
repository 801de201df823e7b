"""Texts that pdfium writes to a buffer."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

MAX_ASKED = 1 << 24
"""Characters of one text: a longer one is not asked for."""


class TextTooLongError(ValueError):
    """A text of more than `MAX_ASKED` characters."""


def ask_text(ask: Callable[[Any, int], int]) -> str:
    """What pdfium writes, UTF-16 with a zero at its end.

    Args:
        ask: takes a buffer and its size in bytes, gives the size that is needed, and writes where the buffer is large enough.

    Raises:
        TextTooLongError: it has more characters than are asked for.
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
    """A text or a name in the annotation's own dictionary; empty without one."""
    import pypdfium2.raw as raw

    return ask_text(partial(raw.FPDFAnnot_GetStringValue, annotation, key))


def put(annotation: Any, key: bytes, text: str) -> None:
    """Set a text in the annotation's own dictionary, as it is in memory; the file stays as it is."""
    import pypdfium2.raw as raw

    buffer = ctypes.create_string_buffer(text.encode("utf-16-le", "ignore") + b"\0\0")
    raw.FPDFAnnot_SetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)))


def one_line(text: str) -> str:
    """The text as one line that can be printed."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(text.split())
