"""OC-OCR on how certain a recogniser is, and on letters that only some languages have."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Sequence

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
WORDS, MARKED_PAGES, LEAST_LETTERS = 5, 3, 0.25
"""Words of a page, pages, and the share of their letters with a mark that are read: the marks of the suite's font are coarse."""
LEAST_BESIDE = 0.1
"""Of the letters that are read, the share that is read where English is asked for too, which does not have them."""


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

    So it is where English is asked for too, before or behind it. A recogniser that has no data for German and French is not judged.

    Fix:
    Give the engine the data of the language that is asked for, not of the one that is always there; raise ToolUnavailable without them.
    """
    judged, alone, beside = 0, 0, 0
    for language, words in LETTERS.items():
        pages = [random.Random(subject.seed + at).sample(words, WORDS) for at in range(MARKED_PAGES)]
        wanted = sum(_marked(" ".join(lines)).total() for lines in pages)
        read = _letters_read(subject, pages, (language,))
        if read is None:
            continue
        judged += 1
        if read < LEAST_LETTERS * wanted:
            raise Broken(
                f"letters of the language {language!r} are not read",
                expected=f"{LEAST_LETTERS * wanted:.0f} of {wanted} letters at least",
                actual=read,
            )
        for asked in ((language, "en"), ("en", language)):
            read_beside = _letters_read(subject, pages, asked)
            alone, beside = alone + (read if read_beside is not None else 0), beside + (read_beside or 0)
    if not judged:
        raise Inapplicable(f"the recogniser has no data for {' and '.join(LETTERS)}")
    if beside < LEAST_BESIDE * alone:
        raise Broken(
            "letters of a language are not read where English is asked for too",
            expected=f"{LEAST_BESIDE * alone:.0f} letters at least",
            actual=beside,
        )


def _letters_read(subject: Subject, pages: Sequence[Sequence[str]], asked: tuple[str, ...]) -> int | None:
    """Return how many letters with a mark are read on pages; None if the recogniser has no data for a language."""
    count = 0
    for lines in pages:
        image = image_of(png(draw(lines, width=600, height=600)))
        seen = subject.call("ocr", {"image": image, "request": OCRRequest(languages=asked, document_id=DOCUMENT)})
        if isinstance(seen.error, ToolUnavailable):
            return None
        result: OCRResult = seen.read(OCRResult)
        count += (_marked(" ".join(lines)) & _marked(result.extracted_text)).total()
    return count


@check(
    "OC-OCR-022",
    scope="plugin",
    level=2,
    spec=("OCR-3", "OCR-5"),
    requires=("OC-OCR-009", "OC-OCR-010", "OC-OCR-018"),
    hook="ocr",
    has=Capability.WORDS,
    vectors=GENERATED,
)
def ruined_lines_are_less_certain(subject: Subject) -> None:
    """On a page of which half of the lines are ruined, the words of these have a lower confidence than those of the others, in the mean.

    On a page of 180 words some of them have a confidence below 0.7 too.

    Fix:
    Return each word's own confidence, not that of its page; raise none to what others have.
    """
    for full in (False, True):
        page, ruined = make_half_ruined(subject.seed, full=full)
        result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
        told: dict[bool, list[float]] = {True: [], False: []}
        for word in result.words:
            middle = (word.box.top + word.box.bottom) / 2 * DPI / 72
            told[int((middle - MARGIN) // LEADING) in ruined].append(word.confidence)
        if not all(told.values()):
            continue  # where no word of a line is read, none is uncertain
        worn, clean = (sum(told[kind]) / len(told[kind]) for kind in (True, False))
        if worn > clean - LESS:
            raise Broken(
                "words of ruined lines are as certain as the others",
                expected=f"less than {clean - LESS:.2f}",
                actual=f"{worn:.2f}",
            )
        if full and min(told[True]) >= LEAST_CERTAIN:
            raise Broken(
                "no word of the ruined lines of a full page is uncertain",
                expected=f"a word below {LEAST_CERTAIN:.2f}",
                actual=f"from {min(told[True]):.2f}",
            )


def _marked(text: str) -> Counter[str]:
    """Count the letters outside ASCII, in any case."""
    return Counter(letter for letter in unicodedata.normalize("NFC", text).casefold() if not letter.isascii())
