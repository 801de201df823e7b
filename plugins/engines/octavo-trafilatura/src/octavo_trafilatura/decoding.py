"""From a page's bytes to its characters: byte order mark, UTF-8, the page's own word, then detection."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

HEAD_BYTES = 4096
"""How far into the page its encoding declaration is looked for."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)

# Browsers read these labels as their Windows supersets; so do we, or curly quotes become control characters.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}


class Decoded(NamedTuple):
    """A decoded page.

    Attributes:
        text: its characters; what could not be decoded is U+FFFD.
        encoding: the Python codec that read it.
        repaired: how many characters were replaced.
    """

    text: str
    encoding: str
    repaired: int


def decode(data: bytes) -> Decoded:
    """Decode a page's bytes; never fails.

    Valid UTF-8 beats the page's declaration: servers and templates lie, multi-byte sequences do not.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _replacing(data, codec)
    declared = _declared_codec(data)
    if declared and declared.startswith(("iso2022", "hz", "utf-16", "utf-32")):
        # Seven-bit escapes are valid UTF-8 too. A UTF-16 declaration in readable ASCII is false, as HTML says.
        if declared.startswith(("iso2022", "hz")):
            return _replacing(data, declared)
        declared = None
    for candidate in ("utf-8", declared):
        if candidate and (text := _strict(data, candidate)) is not None:
            return _clean(text, candidate, 0)
    if declared in {"utf-8", None} and (guess := _detected(data)):
        return _clean(_strict(data, guess) or "", guess, 0)
    return _replacing(data, declared or "cp1252")


def _declared_codec(data: bytes) -> str | None:
    match = _DECLARED.search(data[:HEAD_BYTES])
    if not match:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
        b"a".decode(name, errors="replace")
    except LookupError:  # an unknown label, or a codec that gives no text, such as base64
        return None
    return _SUPERSETS.get(name, name)


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _replacing(data: bytes, codec: str) -> Decoded:
    text = data.decode(codec, errors="replace")
    return _clean(text, codec, text.count("\ufffd"))


def _detected(data: bytes) -> str | None:
    """A legacy encoding that fits, or None where most of the text is UTF-8 with a few bad bytes."""
    lossy = data.decode("utf-8", errors="replace")
    broken = lossy.count("\ufffd")
    whole = sum(1 for char in lossy if char > "\x7f") - broken
    if whole > broken:
        return None
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding if best is not None else None


def _clean(text: str, codec: str, repaired: int) -> Decoded:
    """libxml2 stops at a NUL; one is a broken character, not the end of the page."""
    nuls = text.count("\x00")
    return Decoded(text.replace("\x00", "\ufffd"), codec, repaired + nuls)
