"""OC-OCR on pages with capitals and small letters: names that are alike, and words that the plugin's own code names."""

from __future__ import annotations

from octavo_contracts import OCRResult

from ..checks import GENERATED, check, expect_none
from ..code_constants import read_constants
from ..hook_inputs import image_of, recognition
from ..subject import Subject
from ..vectors import words_of
from ..vectors.printed_names import BESIDE, make_alike_names, make_named_page, printable_words
from .ocr import READ_SHARE, recognise, share_of_letters

_WORDS, _LINES = 24, 12
"""Words of the plugin's code that are printed, and lines of a page."""
_TURNS = 4
"""Pages on which a word is printed until it is read."""
_USUAL = 0.7
"""Share of the other words of the pages that are read, so that a word of which nothing is read is no chance."""


@check(
    "OC-OCR-025",
    scope="plugin",
    level=3,
    spec=("OCR-1", "OCR-3"),
    requires=("OC-OCR-008", "OC-OCR-011"),
    hook="ocr",
    vectors=GENERATED,
)
def names_are_those_of_their_page(subject: Subject) -> None:
    """A page of names that differ in one letter from those of the page before has its own names, as a new process reads it.

    Fix:
    Keep no words of earlier pages; a dictionary of a document's names changes the names that are like them.
    """
    first, second, pairs = make_alike_names(subject.seed)
    alone = set(_words(subject.call("ocr", recognition(image_of(second)), pool=subject.second_pool).read(OCRResult)))
    _read(subject, first)
    behind = set(_read(subject, second))
    changed = [
        f"{before} for {own}" for before, own in pairs if own in alone and own not in behind and before in behind
    ]
    expect_none(changed, "names are those of an earlier page", expected="the names of the page")


@check(
    "OC-OCR-026",
    scope="plugin",
    level=3,
    spec=("OCR-1",),
    requires=("OC-OCR-008",),
    hook="ocr",
    vectors=GENERATED,
)
def what_the_code_names_is_recognised(subject: Subject) -> None:
    """Words that the plugin's own code names are read on a page as the words beside them, as far as the suite's font has their letters.

    Fix:
    Look for the place in your code that has the word; leave out and change no word for what it says.
    """
    constants = read_constants(subject.plugin.module, seed=subject.seed, import_paths=subject.import_paths)
    words = printable_words(constants.texts)[:_WORDS]
    shown, beside, read = words, 0, 0
    for turn in range(_TURNS):
        missing: list[str] = []
        for at in range(0, len(shown), _LINES):
            part = shown[at : at + _LINES]
            found = _read(subject, make_named_page(subject.seed + turn, part))
            beside, read = beside + len(part), read + sum(word in BESIDE_WORDS for word in found)
            missing += [word for word in part if not any(share_of_letters(word, one) >= READ_SHARE for one in found)]
        # The others stand on the page again in another order, so that each is beside other words.
        shown = [word for word in reversed(words) if word in missing][:_LINES]
    if read >= _USUAL * beside:
        expect_none(shown, "words that the code names are not read", expected="words as those beside them")


BESIDE_WORDS = {word for text in BESIDE for word in text.split()}


def _read(subject: Subject, png: bytes) -> list[str]:
    return _words(recognise(subject, image_of(png)).read(OCRResult))


def _words(result: OCRResult) -> list[str]:
    return words_of(result.extracted_text)
