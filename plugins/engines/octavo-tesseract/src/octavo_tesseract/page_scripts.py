"""Scripts that Tesseract detects, with their language files and packages."""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import NamedTuple

from .languages import LANGUAGE_FILES

MAX_FILES = 3
"""Language files used together for a page of unknown language: each makes the reading slower."""


class PageScript(NamedTuple):
    """A script.

    Attributes:
        name: as Tesseract names it.
        code: ISO 15924.
        files: language files that read it, the most used first.
        package: ending of the Debian package with the model of the whole script.
        is_latin: whether its letters are those of the Latin script, so that other Latin files read some of it.
    """

    name: str
    code: str
    files: tuple[str, ...]
    package: str
    is_latin: bool = False

    @property
    def models(self) -> tuple[str, str]:
        """Names of the model of the whole script, as packages and as single files have it."""
        model = _MODELS.get(self.name, self.name)
        return f"script/{model}", model

    def installed_files(self, installed: Set[str]) -> tuple[str, ...]:
        """Return the installed files that read the script: its languages, or else the model of the whole script."""
        languages = tuple(file for file in self.files if file in installed)[:MAX_FILES]
        return languages or tuple(model for model in self.models if model in installed)[:1]

    def is_read_by(self, files: Collection[str]) -> bool:
        """Return whether one of the language files reads the script."""
        return not {*self.files, *self.models}.isdisjoint(files)

    @property
    def remedy(self) -> str:
        """Command that installs a model."""
        package = f"tesseract-ocr-script-{self.package}"
        language = (
            f", or the data of its language, such as tesseract-ocr-{_hyphens(self.files[0])}" if self.files else ""
        )
        return f"Run: apt-get install {package}{language}; on macOS: brew install tesseract-lang"


def _hyphens(file: str) -> str:
    return file.lower().replace("_", "-")


def _others(*scripts: PageScript) -> tuple[str, ...]:
    """Return the language files of no script in the list: the Latin ones, English first."""
    taken = {file for script in scripts for file in script.files}
    return ("eng", *sorted(file for file in LANGUAGE_FILES if file not in taken and file != "eng"))


_MODELS = {"Han": "HanS", "Korean": "Hangul", "Hiragana": "Japanese", "Katakana": "Japanese"}
"""Tesseract's name of a script → the name of its model, if it differs."""
_CYRILLIC = ("rus", "ukr", "bul", "srp", "bel", "mkd", "kaz", "mon")
_NOT_LATIN = (
    PageScript("Arabic", "Arab", ("ara", "fas", "urd"), "arab"),
    PageScript("Armenian", "Armn", ("hye",), "armn"),
    PageScript("Bengali", "Beng", ("ben",), "beng"),
    PageScript("Cyrillic", "Cyrl", _CYRILLIC, "cyrl"),
    PageScript("Devanagari", "Deva", ("hin", "mar", "nep"), "deva"),
    PageScript("Ethiopic", "Ethi", ("amh", "tir"), "ethi"),
    PageScript("Georgian", "Geor", ("kat",), "geor"),
    PageScript("Greek", "Grek", ("ell", "grc"), "grek"),
    PageScript("Gujarati", "Gujr", ("guj",), "gujr"),
    PageScript("Gurmukhi", "Guru", ("pan",), "guru"),
    PageScript("Han", "Hani", ("chi_sim", "chi_tra"), "hans"),
    PageScript("HanS", "Hans", ("chi_sim",), "hans"),
    PageScript("HanT", "Hant", ("chi_tra",), "hant"),
    PageScript("Hangul", "Kore", ("kor",), "hang"),
    PageScript("Korean", "Kore", ("kor",), "hang"),
    PageScript("Hebrew", "Hebr", ("heb", "yid"), "hebr"),
    PageScript("Hiragana", "Jpan", ("jpn",), "jpan"),
    PageScript("Japanese", "Jpan", ("jpn",), "jpan"),
    PageScript("Katakana", "Jpan", ("jpn",), "jpan"),
    PageScript("Kannada", "Knda", ("kan",), "knda"),
    PageScript("Khmer", "Khmr", ("khm",), "khmr"),
    PageScript("Lao", "Laoo", ("lao",), "laoo"),
    PageScript("Malayalam", "Mlym", ("mal",), "mlym"),
    PageScript("Myanmar", "Mymr", ("mya",), "mymr"),
    PageScript("Oriya", "Orya", ("ori",), "orya"),
    PageScript("Sinhala", "Sinh", ("sin",), "sinh"),
    PageScript("Syriac", "Syrc", ("syr",), "syrc"),
    PageScript("Tamil", "Taml", ("tam",), "taml"),
    PageScript("Telugu", "Telu", ("tel",), "telu"),
    PageScript("Thaana", "Thaa", ("div",), "thaa"),
    PageScript("Thai", "Thai", ("tha",), "thai"),
    PageScript("Tibetan", "Tibt", ("bod", "dzo"), "tibt"),
)
_LATIN = PageScript("Latin", "Latn", _others(*_NOT_LATIN), "latn", is_latin=True)
_FRAKTUR = PageScript("Fraktur", "Latf", ("frk", "deu_latf", "deu_frak", "dan_frak"), "frak", is_latin=True)

SCRIPTS = {script.name: script for script in (*_NOT_LATIN, _LATIN, _FRAKTUR)}
"""Tesseract's name of a script → the script. Cherokee and Canadian syllabics, which have one model each, are left out."""
