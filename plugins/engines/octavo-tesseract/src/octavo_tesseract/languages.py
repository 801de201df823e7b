"""Maps BCP 47 tags to Tesseract's language files and to the packages that contain them."""

from __future__ import annotations

from collections.abc import Iterable, Set

from octavo_contracts import ToolUnavailable

from .program import PLUGIN

_NAMES = {
    "af": "afr", "ar": "ara", "az": "aze", "be": "bel", "bg": "bul", "bn": "ben", "bs": "bos", "ca": "cat",
    "cs": "ces", "cy": "cym", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "eo": "epo", "es": "spa",
    "et": "est", "eu": "eus", "fa": "fas", "fi": "fin", "fr": "fra", "ga": "gle", "gl": "glg", "gu": "guj",
    "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "hy": "hye", "id": "ind", "is": "isl", "it": "ita",
    "ja": "jpn", "ka": "kat", "kk": "kaz", "km": "khm", "kn": "kan", "ko": "kor", "la": "lat", "lo": "lao",
    "lt": "lit", "lv": "lav", "mk": "mkd", "ml": "mal", "mn": "mon", "mr": "mar", "ms": "msa", "mt": "mlt",
    "my": "mya", "ne": "nep", "nl": "nld", "no": "nor", "nb": "nor", "nn": "nor", "pa": "pan", "pl": "pol",
    "pt": "por", "ro": "ron", "ru": "rus", "si": "sin", "sk": "slk", "sl": "slv", "sq": "sqi", "sr": "srp",
    "sv": "swe", "sw": "swa", "ta": "tam", "te": "tel", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd",
    "uz": "uzb", "vi": "vie", "yi": "yid", "zh": "chi_sim",
}  # fmt: skip

LANGUAGE_FILES = frozenset(_NAMES.values())
"""Language files that have a BCP 47 tag."""
_TAGS = {name: tag for tag, name in reversed(_NAMES.items())}

_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})


def file_name(language: str) -> str:
    """Return the language file for a BCP 47 tag; any other name, such as 'deu_frak', is used as the file's name."""
    subtags = language.replace("_", "-").lower().split("-")
    if subtags[0] == "zh" and _TRADITIONAL & set(subtags[1:]):
        return "chi_tra"
    return _NAMES.get(subtags[0], language)


def language_of(name: str) -> str | None:
    """Return the BCP 47 tag of a language file; None for a file of no single language."""
    return "zh-Hant" if name == "chi_tra" else _TAGS.get(name)


def install_command(names: Iterable[str]) -> str:
    """Return the command that installs language files."""
    packages = (f"tesseract-ocr-{name.lower().replace('_', '-')}" for name in names)
    return f"Run: apt-get install {' '.join(packages)}"


def file_names(languages: Iterable[str], *, installed: Set[str]) -> tuple[str, ...]:
    """The language files for the requested languages, likeliest first, without duplicates.

    Raises:
        ToolUnavailable: a language file is not installed; the message names the package to install.
    """
    names = tuple(dict.fromkeys(file_name(language) for language in languages)) or ("eng",)
    if missing := [name for name in names if name not in installed]:
        raise ToolUnavailable(
            f"Tesseract has no language data for {', '.join(missing)}",
            plugin=PLUGIN,
            remedy=f"{install_command(missing)}; or choose among {', '.join(sorted(installed))}",
        )
    return names
