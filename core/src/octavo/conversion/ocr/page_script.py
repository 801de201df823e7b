"""Tells whether a recognised text is in the script that an engine detected on the page (OCR-6)."""

from __future__ import annotations

from unicodedata import name

from octavo_contracts import OCRResult

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


_LIKE_LATIN = "Latf"
"""Fraktur: Unicode has its letters as Latin ones, so that a text does not tell whether an engine knew them."""


def script_name(script: str) -> str:
    """Return what people call a script, for a message; the code of ISO 15924 where it is well known."""
    return "Fraktur (Latf)" if script == _LIKE_LATIN else script


def lacks_model(result: OCRResult) -> str:
    """Return that the engine of a result has no model for its page, as a sentence; empty if it has, or has not said."""
    if result.remedy is None:
        return ""
    written = f"the script {script_name(result.script)}" if result.script else f"the language {result.language}"
    return f"the page is in {written}, for which {result.method} has no model"


def reads_script(result: OCRResult, script: str | None) -> bool:
    """Return whether the engine of a result has a model for the script of the page, as far as the result tells.

    Args:
        result: a result whose letters are in the script.
        script: ISO 15924, as an engine detected it; None: not known.
    """
    return script != _LIKE_LATIN or (result.script == script and result.remedy is None)


def is_in_script(text: str, script: str | None) -> bool:
    """Return whether a text has letters of a script; true for None and for a script that is not in the table."""
    beginnings = _LETTERS.get(script) if script is not None else None
    if beginnings is None:
        return True
    letters = [char for char in text if char.isalpha()]
    own = sum(name(char, "").startswith(beginnings) for char in letters)
    return own > 0 and own >= MIN_SHARE * len(letters)
