"""Tells whether a recognised text is in the script that an engine detected on the page (OCR-6)."""

from __future__ import annotations

from unicodedata import name

MIN_SHARE = 0.2
"""Smallest share of letters in the page's script: pages about computers have many Latin words."""

_HAN = ("CJK UNIFIED",)
_KANA = ("HIRAGANA", "KATAKANA")
_LETTERS: dict[str, tuple[str, ...]] = {
    "Latf": ("LATIN",),
    "Latn": ("LATIN",),
    "Hani": _HAN,
    "Hans": _HAN,
    "Hant": _HAN,
    "Jpan": (*_HAN, *_KANA),
    "Kore": ("HANGUL", *_HAN),
    "Arab": ("ARABIC",),
    "Armn": ("ARMENIAN",),
    "Beng": ("BENGALI",),
    "Cyrl": ("CYRILLIC",),
    "Deva": ("DEVANAGARI",),
    "Ethi": ("ETHIOPIC",),
    "Geor": ("GEORGIAN",),
    "Grek": ("GREEK",),
    "Gujr": ("GUJARATI",),
    "Guru": ("GURMUKHI",),
    "Hebr": ("HEBREW",),
    "Khmr": ("KHMER",),
    "Knda": ("KANNADA",),
    "Laoo": ("LAO",),
    "Mlym": ("MALAYALAM",),
    "Mymr": ("MYANMAR",),
    "Orya": ("ORIYA",),
    "Sinh": ("SINHALA",),
    "Syrc": ("SYRIAC",),
    "Taml": ("TAMIL",),
    "Telu": ("TELUGU",),
    "Thaa": ("THAANA",),
    "Thai": ("THAI",),
    "Tibt": ("TIBETAN",),
}
"""ISO 15924 → beginnings of the Unicode names of the script's letters."""


def is_in_script(text: str, script: str | None) -> bool:
    """Return whether a text has letters of a script; true for None and for a script that is not in the table."""
    beginnings = _LETTERS.get(script) if script is not None else None
    if beginnings is None:
        return True
    letters = [char for char in text if char.isalpha()]
    own = sum(name(char, "").startswith(beginnings) for char in letters)
    return own > 0 and own >= MIN_SHARE * len(letters)
