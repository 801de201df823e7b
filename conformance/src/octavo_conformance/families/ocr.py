"""OC-OCR: recognition of page images."""

from __future__ import annotations

from difflib import SequenceMatcher

from octavo_contracts import BoundingBox, Capability, OcrFailed, OCRRequest, OCRResult, PageImage, ToolUnavailable

from ..checks import GENERATED, Broken, check, expect_equal, expect_none
from ..evidence import Observed, describe
from ..hook_inputs import DPI, image_of, page_image, recognition
from ..hook_series import series_of
from ..subject import Subject
from ..vectors import load_golden, words_of
from ..vectors.fresh_page import FINE, FreshPage, make_page, make_series, make_short_words, make_wide

WARMING = 3
"""Most calls until one is answered by the process of the call before: the host may replace a process that has loaded a model."""
COARSE = (100.0, 72.0)
"""Resolutions of fax machines and of screens."""
SLIGHTLY = (0.03, 0.06, 0.1)
"""Shares of the dots that slightly worn pages have lost."""
CERTAIN = 0.3
"""Confidence that a recogniser with uncertain words does not always reach on worn pages."""
READ_SHARE = 0.7
"""Share of the letters that a recogniser reads of a clean page; typefaces differ more from the suite's font than that."""


def recognise(subject: Subject, image: PageImage) -> Observed:
    """Call the hook."""
    return subject.call("ocr", recognition(image))


def _printed(subject: Subject) -> OCRResult:
    """Return the answer of a warm worker for the printed page, which the checks of other families judge too."""
    seen = subject.call_once("ocr", recognition(page_image("png/printed.png")), vector=None)
    result: OCRResult = seen.read(OCRResult)
    return result


@check("OC-OCR-001", scope="plugin", level=1, spec=("OCR-3",), requires=("OC-LOAD-004",), hook="ocr")
def a_page_is_recognised(subject: Subject) -> None:
    """`ocr` returns an OCRResult for a printed page (png/printed.png).

    Fix:
    Raise ToolUnavailable if the engine or its language data is missing; otherwise return a result.
    """
    # A call that loads the model is not judged further: libraries may do while loading what a call must not do.
    arguments = recognition(page_image("png/printed.png"))
    seen = subject.call("ocr", arguments)
    seen.read(OCRResult)
    for _ in range(WARMING):
        loaded, seen = seen, subject.call_once("ocr", arguments, vector=None, again=True)
        if seen.facts is None or (loaded.facts is not None and loaded.facts.process == seen.facts.process):
            break
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
    """A blank page (png/blank.png) gives an empty text with confidence 0, also behind a page with words.

    Fix:
    Keep nothing of the page before. Return no words if the engine finds none; drop spurious words below its own threshold.
    """
    blank = page_image("png/blank.png")
    _expect_blank(subject, blank)
    recognise(subject, page_image("png/printed.png"))
    _expect_blank(subject, blank.model_copy(update={"page_number": blank.page_number + 1}))


def _expect_blank(subject: Subject, page: PageImage) -> None:
    result: OCRResult = recognise(subject, page).read(OCRResult)
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


UNKNOWN = "qaa"
"""A tag that stands for no language (ISO 639-2, local use): no engine has data for it."""


@check("OC-OCR-014", scope="plugin", level=2, spec=("OCR-1", "OCR-3"), requires=("OC-OCR-001",), hook="ocr")
def missing_languages_are_refused(subject: Subject) -> None:
    """A page in a language for which the engine has no data is ToolUnavailable: another language's words are not its own.

    Fix:
    Raise ToolUnavailable for a language without data; do not read the page in another language instead.
    """
    image = page_image("png/printed.png")
    seen = subject.call("ocr", {"image": image, "request": OCRRequest(languages=(UNKNOWN,))})
    if not isinstance(seen.error, ToolUnavailable):
        actual = describe(seen.error) if seen.error is not None else "a result"
        raise Broken(f"a page in the language {UNKNOWN!r} is read", expected="ToolUnavailable", actual=actual)


@check("OC-OCR-007", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-002",), hook="ocr")
def printed_words_are_read(subject: Subject) -> None:
    """Clean capitals (png/printed.png) are read word by word.

    Fix:
    Check resolution, language data and page segmentation of the engine.
    """
    truth = next(vector for vector in load_golden() if vector.path == "png/printed.png").expected.pages[0]
    expect_equal(words_of(_printed(subject).extracted_text.upper()), words_of(truth), "the words of the page")


def _fresh_pages(subject: Subject) -> list[tuple[FreshPage, OCRResult]]:
    """Return the fresh pages as they are in the series of calls, each with what was read."""
    pages, answers = make_series(subject.seed).pages, series_of(subject, "ocr").between
    return [(page, seen.read(OCRResult)) for page, seen in zip(pages, answers, strict=False)]


def _pairs(subject: Subject) -> list[tuple[tuple[FreshPage, OCRResult], tuple[FreshPage, OCRResult]]]:
    """Return the pages that are there clean and worn."""
    pages = _fresh_pages(subject)[:-4]
    return list(zip(pages[::2], pages[1::2], strict=True))


@check("OC-OCR-008", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-002",), hook="ocr", vectors=GENERATED)
def unseen_words_are_read(subject: Subject) -> None:
    """Capitals of pages drawn for this run are read, most of them in the right order: of four pages two, and of small and large ones.

    Fix:
    Read the picture; look for limits of lines, words and sizes, and for dictionaries that replace what is printed.
    """
    likeness, shown = [], []
    for page, result in (*(clean for clean, _ in _pairs(subject)), *_fresh_pages(subject)[-2:]):
        wanted = "".join(word for word, _ in page.words)
        found = "".join(words_of(result.extracted_text.upper()))
        likeness.append(SequenceMatcher(None, wanted, found, autojunk=False).ratio())
        shown.append(f"{found or 'nothing'} for {wanted} ({likeness[-1]:.0%} alike)")
    if sum(share >= READ_SHARE for share in likeness) * 2 < len(likeness):
        raise Broken("other letters are read", expected="the letters of half of the pages", actual=shown)
    sheet = max(likeness[-2:])
    if sheet < READ_SHARE / 2:
        raise Broken(
            "the words of a whole sheet are not read", expected="letters as on a small page", actual=shown[-2:]
        )


@check(
    "OC-OCR-009",
    scope="plugin",
    level=2,
    spec=("OCR-3",),
    requires=("OC-OCR-003",),
    hook="ocr",
    has=Capability.WORDS,
    vectors=GENERATED,
)
def boxes_are_those_of_the_words(subject: Subject) -> None:
    """The box of a word lies where the word is printed, and is about as large.

    Fix:
    Return each word's own box, not the one of its line or page; keep words and boxes in the same order.
    """
    off = [one for page, result in _fresh_pages(subject) for one in _misplaced(page, result, dpi=DPI)]
    expect_none(off[:8], "boxes are elsewhere than their words", expected="boxes around the words, in points")


@check(
    "OC-OCR-015",
    scope="plugin",
    level=2,
    spec=("OCR-3",),
    requires=("OC-OCR-009",),
    hook="ocr",
    has=Capability.WORDS,
    vectors=GENERATED,
)
def boxes_of_large_pictures_are_those_of_the_words(subject: Subject) -> None:
    """The box of a word lies around it also in a picture that is thousands of pixels wide, and in one of high or low resolution.

    Fix:
    Scale boxes back if you make a picture smaller or larger; use `image.dpi`, not a resolution that most pictures have.
    """
    off = []
    for page, dpi in ((make_wide(subject.seed), FINE), *((make_page(subject.seed), coarse) for coarse in COARSE)):
        result: OCRResult = recognise(subject, image_of(page.png, dpi=dpi)).read(OCRResult)
        off += _misplaced(page, result, dpi=dpi)
    expect_none(off[:8], "boxes are elsewhere than their words", expected="boxes around the words, in points")


@check(
    "OC-OCR-016",
    scope="plugin",
    level=2,
    spec=("OCR-3", "OCR-5"),
    requires=("OC-OCR-003",),
    hook="ocr",
    has=Capability.WORDS,
    vectors=GENERATED,
)
def uncertain_words_are_returned(subject: Subject) -> None:
    """Words of worn pages are returned with the confidence that they have, not left out: where a third is missing, some are uncertain.

    A word is missing if nothing is read on its line. A recogniser that reads no worn page at all is not judged.

    Fix:
    Return each word that the engine returns, with its confidence; the host decides what is too uncertain.
    """
    worn = [pair[1] for pair in _pairs(subject)]
    for share in SLIGHTLY:
        page = make_page(subject.seed, worn=True, share=share)
        worn.append((page, recognise(subject, image_of(page.png)).read(OCRResult)))
    printed = [(edges, result) for page, result in worn for _, edges in page.words]
    missing = [edges for edges, result in printed if not any(_on_line(word.box, edges) for word in result.words)]
    told = [word.confidence for _, result in worn for word in result.words]
    if told and len(missing) * 3 >= len(printed) and min(told) >= CERTAIN:
        raise Broken(
            "words of worn pages are left out",
            expected="uncertain words, or a word on each line",
            actual=f"{len(missing)} of {len(printed)} lines without a word, confidences from {min(told):.2f}",
        )


def _on_line(box: BoundingBox, edges: tuple[int, int, int, int]) -> bool:
    return edges[1] < (box.top + box.bottom) / 2 * DPI / 72 < edges[3]


def _misplaced(page: FreshPage, result: OCRResult, *, dpi: float) -> list[str]:
    """Return the words that are read as they are printed, and have another box."""
    return [
        f"{word.text} at {word.box.left:.0f},{word.box.top:.0f}..{word.box.right:.0f},{word.box.bottom:.0f}"
        for word in result.words
        if (edges := dict(page.words).get(word.text.upper()))
        and not _covers(word.box, [edge * 72 / dpi for edge in edges])
    ]


def _covers(box: BoundingBox, printed: list[float]) -> bool:
    left, top, right, bottom = printed
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    size, true_size = (box.right - box.left) * (box.bottom - box.top), (right - left) * (bottom - top)
    return left < across < right and top < down < bottom and true_size / 4 < size < true_size * 4


@check("OC-OCR-010", scope="plugin", level=2, spec=("OCR-5",), requires=("OC-OCR-001",), hook="ocr", vectors=GENERATED)
def confidence_falls_with_the_print(subject: Subject) -> None:
    """The confidence falls where a page is printed worn: on one page of two at least, as engines differ in what disturbs them.

    Fix:
    Return the engine's own confidence of each word; a recogniser that has none cannot say 0.99.
    """
    told = [(clean.confidence, worn.confidence) for (_, clean), (_, worn) in _pairs(subject)]
    if all(worn >= clean for clean, worn in told):
        raise Broken(
            "the confidence does not fall",
            expected=[f"less than {clean:.4f}" for clean, _ in told],
            actual=[f"{worn:.4f}" for _, worn in told],
        )


@check("OC-OCR-011", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-001",), hook="ocr", vectors=GENERATED)
def pages_that_look_alike_are_read(subject: Subject) -> None:
    """Of two sheets that differ in a letter, the second is not answered with the words of the first.

    Fix:
    Let all pixels of a picture decide what a cache holds, not its size or a small copy of it.
    """
    (one, first), (other, second) = _fresh_pages(subject)[-2:]
    word, changed = max((word for word, _ in one.words), key=len), max((word for word, _ in other.words), key=len)
    if word not in words_of(first.extracted_text.upper()):
        return  # where the letter is not read, its change is not seen either
    if second.extracted_text == first.extracted_text:
        raise Broken("a page has the words of one that looks alike", expected=changed, actual=second.extracted_text)


@check("OC-OCR-012", scope="plugin", level=2, spec=("OCR-3",), requires=("OC-OCR-001",), hook="ocr", vectors=GENERATED)
def columns_keep_their_order(subject: Subject) -> None:
    """Two columns are read in one order, whether the page is higher than wide or wider than high.

    Fix:
    Find the columns of every page in the same way; a wide page may be two pages of a book.
    """
    orders = [
        [
            # The lines of the page, in the order in which they are read.
            max(range(len(page.words)), key=lambda at: share_of_letters(word, page.words[at][0]))
            for word in words_of(result.extracted_text.upper())
            if max(share_of_letters(word, known) for known, _ in page.words) >= READ_SHARE
        ]
        for page, result in _fresh_pages(subject)[-4:-2]
    ]
    both = [at for at in orders[0] if at in orders[1]]
    expect_equal([at for at in orders[1] if at in both], both, "the order of the words of two columns")


@check("OC-OCR-013", scope="plugin", level=3, spec=("OCR-1",), requires=("OC-OCR-008",), hook="ocr", vectors=GENERATED)
def short_words_are_read_and_none_is_added(subject: Subject) -> None:
    """Short words between long ones are read as well, three of six at least, and about as many letters are read as are printed.

    Fix:
    Drop no word for its length; add none that is not on the page.
    """
    page, short = make_short_words(subject.seed)
    result: OCRResult = recognise(subject, image_of(page.png)).read(OCRResult)
    found = words_of(result.extracted_text.upper())
    read = "".join(found)
    wanted = "".join(word for word, _ in page.words)
    likeness = SequenceMatcher(None, wanted, read, autojunk=False).ratio()
    if likeness < READ_SHARE:
        return  # where long words are not read either, nothing is said of short ones
    met = [
        word
        for word in short
        if any(share_of_letters(word, one) > READ_SHARE - 0.1 for one in found if len(one) < 6) or word in read
    ]
    if len(met) * 2 < len(short):
        raise Broken("short words are not read", expected=f"half of {short}", actual=result.extracted_text)
    if len(read) > 1.15 * len(wanted):
        raise Broken("words are read that are not printed", expected=wanted, actual=read)


def share_of_letters(word: str, known: str) -> float:
    """Return how far two words are alike, 0..1."""
    return SequenceMatcher(None, word, known, autojunk=False).ratio()
