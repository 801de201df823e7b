"""Decodes a text format. The engine examines only the first 64 KiB, and fails on later characters."""

from __future__ import annotations

import codecs
import re

from octavo_contracts import ConversionWarning

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""")
_DECLARATION_REACH = 2048


def decode(data: bytes) -> tuple[str, tuple[ConversionWarning, ...]]:
    """Decode by byte order mark, UTF-8, the document's own declaration, else by what the bytes look like.

    Args:
        data: the file's bytes.

    Returns:
        The text without a byte order mark, and a warning where characters had to be replaced.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    for encoding in ("utf-8", *_declared(data)):
        try:
            return data.decode(encoding), ()
        except (UnicodeError, LookupError):
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return (str(best), ()) if best is not None else _lenient(data, "utf-8")


def _declared(data: bytes) -> list[str]:
    match = _DECLARED.search(data[:_DECLARATION_REACH])
    if match is None:
        return []
    try:
        return [codecs.lookup(match.group(1).decode("ascii")).name]
    except LookupError:
        return []


def _lenient(data: bytes, encoding: str) -> tuple[str, tuple[ConversionWarning, ...]]:
    text = data.decode(encoding, errors="replace")
    if "\ufffd" not in text:
        return text, ()
    message = f"Bytes that are no {encoding} were replaced by U+FFFD."
    return text, (ConversionWarning(code="encoding_repaired", message=message),)
