"""OC-OCR on pages with print of several sizes."""

from __future__ import annotations

from octavo_contracts import OCRResult

from ..checks import GENERATED, Broken, check
from ..hook_inputs import image_of
from ..subject import Subject
from ..vectors import words_of
from ..vectors.fresh_page import FreshPage, make_sizes
from .ocr import READ_SHARE, recognise, share_of_letters


@check("OC-OCR-019", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def small_print_is_read(subject: Subject) -> None:
    """Of the lines that are read on a page of their own, half at least are read on a page with lines of twice their height too.

    Fix:
    Drop no line for being lower than the others: addresses, conditions and notes are printed small.
    """
    both, alone = (_read(subject, page) for page in make_sizes(subject.seed))
    if 2 * len(alone & both) < len(alone):
        raise Broken("small print is not read beside large print", expected=sorted(alone), actual=sorted(alone & both))


def _read(subject: Subject, page: FreshPage) -> set[str]:
    """Return the words of a page that are read, most of their letters at least."""
    result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
    found = words_of(result.extracted_text.upper())
    return {word for word, _ in page.words if any(share_of_letters(word, one) >= READ_SHARE for one in found)}
