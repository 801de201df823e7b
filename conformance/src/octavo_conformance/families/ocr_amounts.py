"""OC-OCR on amounts: the order of their figures, and the signs that say that they are below zero."""

from __future__ import annotations

import re

from octavo_contracts import OCRResult

from ..checks import GENERATED, Broken, check
from ..hook_inputs import image_of
from ..subject import Subject
from ..vectors.printed_names import make_amounts
from .ocr import recognise

_PAGES, _LEAST = 4, 3
"""Pages of amounts, and amounts that are read in another way by no chance."""
_SIGNED = re.compile(r"[-\u2010-\u2015\u2212(\[{<]")
"""What is read for a minus or for the bracket in front of an amount below zero."""


@check(
    "OC-OCR-027",
    scope="plugin",
    level=3,
    spec=("OCR-1",),
    requires=("OC-OCR-008", "OC-OCR-021"),
    hook="ocr",
    vectors=GENERATED,
)
def amounts_are_read_as_they_are_printed(subject: Subject) -> None:
    """Amounts with decimals that are read have their figures in order, and those below zero have a minus or a bracket in front.

    Amounts with other figures are not counted: engines differ in how they read the suite's font.

    Fix:
    Change neither order nor signs of what the engine reads; a bracket around an amount says that it is below zero.
    """
    exact, turned, signed, unsigned = 0, [], 0, []
    for number in range(_PAGES):
        page, amounts = make_amounts(subject.seed + number)
        result: OCRResult = recognise(subject, image_of(page)).read(OCRResult)
        words = [word for word in result.extracted_text.split() if any(map(str.isdecimal, word))]
        for amount in amounts:
            figures = _figures(amount)
            found = next((word for word in words if _figures(word) == figures), None)
            other = next((word for word in words if sorted(_figures(word)) == sorted(figures)), None)
            if found is None:
                turned += [f"{amount} as {other}"] if other is not None else []
                continue
            exact += 1
            if amount[0].isdecimal():
                continue
            if _SIGNED.match(found):
                signed += 1
            else:
                unsigned.append(f"{amount} as {found}")
    if len(turned) >= _LEAST and len(turned) > exact:
        raise Broken("figures of amounts stand in another order", expected="the order of the page", actual=turned)
    if len(unsigned) >= _LEAST and 3 * len(unsigned) >= signed:
        raise Broken("amounts below zero lose their signs", expected="a minus or a bracket", actual=unsigned)


def _figures(word: str) -> str:
    return "".join(filter(str.isdecimal, word))
