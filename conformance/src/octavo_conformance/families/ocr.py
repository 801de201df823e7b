"""OC-OCR: recognition of page images."""

from __future__ import annotations

import hashlib
import struct

from octavo_contracts import Capability, OcrFailed, OCRRequest, OCRResult, PageImage

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import Observed, describe
from ..subject import Subject
from ..vectors import load_golden, words_of

DPI = 150.0
PAGE = 7
"""Page number used by the suite; not 1, so that a made-up number is detected."""


def page_image(path: str, *, png: bytes | None = None) -> PageImage:
    """Return a golden image as the host passes it to the hook.

    Args:
        path: the vector.
        png: bytes to use instead of the vector's.
    """
    data = next(vector.data for vector in load_golden() if vector.path == path)
    width, height = struct.unpack(">II", data[16:24])
    return PageImage(
        page_number=PAGE,
        page_fingerprint=hashlib.sha256(data).hexdigest(),
        width=width,
        height=height,
        dpi=DPI,
        png=data if png is None else png,
    )


def recognise(subject: Subject, image: PageImage) -> Observed:
    """Call the hook."""
    return subject.call("ocr", {"image": image, "request": OCRRequest(languages=("en",))})


def _printed(subject: Subject) -> OCRResult:
    result: OCRResult = recognise(subject, page_image("png/printed.png")).read(OCRResult)
    return result


@check("OC-OCR-001", scope="plugin", level=1, spec=("OCR-3",), requires=("OC-LOAD-004",), hook="ocr")
def a_page_is_recognised(subject: Subject) -> None:
    """`ocr` returns an OCRResult for a printed page (png/printed.png).

    Fix:
    Raise ToolUnavailable if the engine or its language data is missing; otherwise return a result.
    """
    _printed(subject)


@check("OC-OCR-002", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-001",), hook="ocr")
def the_page_is_named(subject: Subject) -> None:
    """Page number and fingerprint are those of the image: they are the key of the cache.

    Fix:
    Copy `page_number` and `page_fingerprint` from the PageImage.
    """
    image, result = page_image("png/printed.png"), _printed(subject)
    found = (result.page_number, result.page_fingerprint)
    expect_equal(found, (image.page_number, image.page_fingerprint), "page number and fingerprint")


@check(
    "OC-OCR-003", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-001",), hook="ocr", has=Capability.WORDS
)
def words_lie_on_the_page(subject: Subject) -> None:
    """Words have boxes in points that are on the page, and their text is in the page's text.

    Fix:
    Convert pixels to points: points = pixels * 72 / dpi.
    """
    image, result = page_image("png/printed.png"), _printed(subject)
    width, height = image.width * 72 / image.dpi, image.height * 72 / image.dpi
    if not result.words:
        raise Broken("the plugin declares `words` but returns none", expected="words with boxes", actual="no words")
    off = [word.text for word in result.words if word.box.right > width + 1 or word.box.bottom > height + 1]
    expect_none(off, "words are outside the page", expected=f"within {width:g} x {height:g} points")
    known = words_of(result.extracted_text)
    expect_none([w.text for w in result.words if not set(words_of(w.text)) <= set(known)], "words are not in the text")


@check(
    "OC-OCR-004",
    scope="plugin",
    level=2,
    spec=("OCR-3", "OCR-5"),
    requires=("OC-OCR-001",),
    hook="ocr",
    has=Capability.WORDS,
)
def confidence_is_the_mean(subject: Subject) -> None:
    """The page's confidence is the mean of its words' confidences.

    Fix:
    Scale the engine's values to 0..1 and take their mean.
    """
    result = _printed(subject)
    if result.words:
        mean = sum(word.confidence for word in result.words) / len(result.words)
        if abs(mean - result.confidence) > 0.05:
            raise Broken("the confidence is not the mean", expected=f"{mean:.2f}", actual=f"{result.confidence:.2f}")


@check("OC-OCR-005", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-001",), hook="ocr")
def blank_pages_are_blank(subject: Subject) -> None:
    """A blank page (png/blank.png) gives an empty text with confidence 0.

    Fix:
    Return no words if the engine finds none; drop spurious words below its own threshold.
    """
    result: OCRResult = recognise(subject, page_image("png/blank.png")).read(OCRResult)
    expect_equal((result.extracted_text.strip(), result.confidence), ("", 0.0), "text and confidence of a blank page")


@check("OC-OCR-006", scope="plugin", level=2, spec=("ENG-7",), requires=("OC-OCR-001",), hook="ocr")
def broken_pictures_are_refused(subject: Subject) -> None:
    """Bytes that are not an image are OcrFailed.

    Fix:
    Turn the image decoder's error into OcrFailed.
    """
    seen = recognise(subject, page_image("png/printed.png", png=b"this is no picture"))
    if not isinstance(seen.error, OcrFailed):
        raise Broken("the image is not refused with the right error", expected="OcrFailed", actual=describe(seen.error))


@check("OC-OCR-007", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-002",), hook="ocr")
def printed_words_are_read(subject: Subject) -> None:
    """Clean capitals (png/printed.png) are read word by word.

    Fix:
    Check resolution, language data and page segmentation of the engine.
    """
    truth = next(vector for vector in load_golden() if vector.path == "png/printed.png").expected.pages[0]
    expect_equal(words_of(_printed(subject).extracted_text.upper()), words_of(truth), "the words of the page")
