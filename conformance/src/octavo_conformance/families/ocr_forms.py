"""OC-OCR on accounts: lines that stand on a page again."""

from __future__ import annotations

from octavo_contracts import OCRResult

from ..checks import GENERATED, Broken, check
from ..hook_inputs import image_of
from ..subject import Subject
from ..vectors import words_of
from ..vectors.printed_forms import COPIES, make_repeated_lines
from .ocr import READ_SHARE, recognise, share_of_letters


@check("OC-OCR-028", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def lines_that_stand_there_again_are_read_again(subject: Subject) -> None:
    """Of lines of words and an amount that stand on a page four times, one at least is read four times, if most of the other lines are read.

    Two of the four stand one below the other.

    Fix:
    Drop no line for being equal to an earlier one: a payment that was made twice stands there twice.
    """
    page = make_repeated_lines(subject.seed)
    result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
    found = words_of(result.extracted_text)
    if 2 * sum(_count(word, found) > 0 for word in page.unique) <= len(page.unique):
        return  # where other lines are not read, nothing is said of these
    counts = {words: min(_count(word, found) for word in words) for words in page.repeated}
    if max(counts.values()) < COPIES:
        raise Broken("lines that stand on a page again are not read again", expected=f"{COPIES} times", actual=counts)


def _count(word: str, found: list[str]) -> int:
    return sum(share_of_letters(word, one) >= READ_SHARE for one in found)
