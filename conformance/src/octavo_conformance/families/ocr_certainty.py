"""OC-OCR on how certain a recogniser is, and on letters that only some languages have."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter

from octavo_contracts import Capability, OCRRequest, OCRResult, ToolUnavailable

from ..checks import GENERATED, Broken, Inapplicable, check
from ..hook_inputs import DOCUMENT, DPI, image_of
from ..subject import Subject
from ..vectors.fresh_page import make_half_ruined, make_page
from ..vectors.png_bytes import LEADING, MARGIN, draw, png
from .ocr import recognise

RUINED = 0.4
"""Share of the dots that a page has lost on which hardly a word can be read."""
PAGES = 4
"""Such pages."""
LEAST_CERTAIN, MEAN = 0.7, 0.9
"""Confidence that some word of such pages is below, and that their mean is below."""
LESS = 0.03
"""What ruined words are less certain than clean ones, at least."""
LETTERS = {
    "de": ("VÄTER", "GÄSTE", "STÄDTE", "RÄDER", "GERÄTE", "GÖTTER", "PÖSTE", "TÜRE", "GÜTE", "TÜTE", "DÜSE", "ÖDE"),
    "fr": ("ÉTÉ", "CÉDÉ", "ÉTAPE", "ÉPÉE", "DÉCOR", "ÉCRASÉ", "RÉPÉTÉ", "ÉGARÉ"),
}
"""Words of languages with letters that English does not have."""
WORDS, LEAST_LETTERS = 5, 0.25
"""Words of a page, and the share of its letters with a mark that are read: the marks of the suite's font are coarse."""


@check(
    "OC-OCR-018",
    scope="plugin",
    level=2,
    spec=("OCR-5",),
    requires=("OC-OCR-010",),
    hook="ocr",
    vectors=GENERATED,
)
def ruined_words_are_uncertain(subject: Subject) -> None:
    """Of pages that have lost two dots of five, hardly a word can be read: some have a confidence below 0.7, and the mean is below 0.9.

    Fix:
    Return the engine's own confidence of each word; raise none, and map none to a smaller range.
    """
    told: list[float] = []
    for number in range(PAGES):
        page = make_page(subject.seed + number, worn=True, share=RUINED)
        result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
        told += [word.confidence for word in result.words] or [result.confidence]
    least, mean = min(told), sum(told) / len(told)
    if least >= LEAST_CERTAIN or mean >= MEAN:
        raise Broken(
            "ruined words are read with certainty",
            expected=f"a word below {LEAST_CERTAIN:.2f}, a mean below {MEAN:.2f}",
            actual=f"from {least:.2f}, mean {mean:.2f}",
        )


@check(
    "OC-OCR-017",
    scope="plugin",
    level=2,
    spec=("OCR-1", "OCR-3"),
    requires=("OC-OCR-008", "OC-OCR-014"),
    hook="ocr",
    vectors=GENERATED,
)
def letters_of_a_language_are_read(subject: Subject) -> None:
    """A page in a language that the recogniser takes is read with the letters of that language: of Ä, Ö, Ü or É a quarter at least.

    A recogniser that has no data for German and French is not judged.

    Fix:
    Give the engine the data of the language that is asked for, not of the one that is always there; raise ToolUnavailable without them.
    """
    judged = 0
    for language, words in LETTERS.items():
        lines = random.Random(subject.seed).sample(words, WORDS)
        image = image_of(png(draw(lines, width=600, height=600)))
        request = OCRRequest(languages=(language,), document_id=DOCUMENT)
        seen = subject.call("ocr", {"image": image, "request": request})
        if isinstance(seen.error, ToolUnavailable):
            continue
        judged += 1
        result: OCRResult = seen.read(OCRResult)
        wanted, found = _marked(" ".join(lines)), _marked(result.extracted_text)
        if (wanted & found).total() < LEAST_LETTERS * wanted.total():
            raise Broken(
                f"letters of the language {language!r} are not read",
                expected=" ".join(lines),
                actual=result.extracted_text,
            )
    if not judged:
        raise Inapplicable(f"the recogniser has no data for {' and '.join(LETTERS)}")


@check(
    "OC-OCR-022",
    scope="plugin",
    level=2,
    spec=("OCR-3", "OCR-5"),
    requires=("OC-OCR-009", "OC-OCR-010"),
    hook="ocr",
    has=Capability.WORDS,
    vectors=GENERATED,
)
def ruined_lines_are_less_certain(subject: Subject) -> None:
    """On a page of which half of the lines are ruined, the words of these have a lower confidence than those of the others, in the mean.

    Fix:
    Return each word's own confidence, not that of its page; raise none to what others have.
    """
    page, ruined = make_half_ruined(subject.seed)
    result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
    told: dict[bool, list[float]] = {True: [], False: []}
    for word in result.words:
        middle = (word.box.top + word.box.bottom) / 2 * DPI / 72
        told[int((middle - MARGIN) // LEADING) in ruined].append(word.confidence)
    if not all(told.values()):
        return  # where no word of a line is read, none is uncertain
    worn, clean = (sum(told[kind]) / len(told[kind]) for kind in (True, False))
    if worn > clean - LESS:
        raise Broken(
            "words of ruined lines are as certain as the others",
            expected=f"less than {clean - LESS:.2f}",
            actual=f"{worn:.2f}",
        )


def _marked(text: str) -> Counter[str]:
    """Count the letters outside ASCII, in any case."""
    return Counter(letter for letter in unicodedata.normalize("NFC", text).casefold() if not letter.isascii())
