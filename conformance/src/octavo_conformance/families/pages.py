"""OC-PAGE for the hook `convert`: the pages of a conversion are those of the document."""

from __future__ import annotations

import random

from octavo_contracts import Capability, Conversion, DegradedFlag, UsageError

from ..checks import Broken, check, expect_equal
from ..evidence import describe, page_texts
from ..subject import Subject
from ..vectors import GoldenVector, words_of

MANY = 12
"""Pages of a document of which six are asked for alone, at least."""


@check(
    "OC-PAGE-001",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    has=Capability.PAGES,
    vectors="page_kind",
)
def page_count_is_kept(subject: Subject, vector: GoldenVector) -> None:
    """A document with pages gives the same number of pages; one without pages gives one page of kind `whole`.

    Fix:
    Return a Page for every page, slide or sheet, including empty ones.
    """
    conversion = subject.convert(vector).conversion()
    wanted = vector.expected
    expect_equal(
        (conversion.paginated, len(conversion.pages)), (wanted.paginated, len(wanted.pages)), "paginated, pages"
    )


@check(
    "OC-PAGE-002",
    scope="golden",
    level=1,
    spec=("CNV-12", "DIG-7"),
    requires=("OC-PAGE-001",),
    hook="convert",
    has=Capability.PAGES,
    vectors="paginated",
)
def empty_pages_stay_in_place(subject: Subject, vector: GoldenVector) -> None:
    """An empty page stays in its place, empty.

    Fix:
    Do not skip pages without text, and do not move text up from the next page.
    """
    allowed = set(vector.expected.allowed)
    texts = page_texts(subject.convert(vector).conversion())
    actual = [not [word for word in words_of(text) if word not in allowed] for text in texts]
    expect_equal(actual, [not words for words in vector.expected.pages], "which pages are empty")


@check(
    "OC-PAGE-003",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    lacks=Capability.PAGES,
    vectors="paginated",
)
def pages_are_not_pretended(subject: Subject, vector: GoldenVector) -> None:
    """A plugin that does not declare `pages` returns one `whole` page, or leaves finding the pages to the core.

    Fix:
    Declare the capability `pages`, or return one page of kind `whole`.
    """
    conversion = subject.convert(vector).conversion()
    completed = "octavo.pages_completed" in conversion.extensions
    if conversion.paginated and not completed:
        raise Broken(
            "a plugin that does not declare `pages` returns pages", expected="one page", actual=len(conversion.pages)
        )


@check(
    "OC-PAGE-004",
    scope="golden",
    level=1,
    spec=("CNV-7", "CNV-8"),
    requires=("OC-PAGE-001",),
    hook="convert",
    has=Capability.PAGES,
    vectors="page_kind",
)
def pages_are_of_their_kind(subject: Subject, vector: GoldenVector) -> None:
    """Slides are slides, sheets are sheets, pages are pages.

    Fix:
    Set Page.kind by the document's format.
    """
    kinds = {page.kind for page in subject.convert(vector).conversion().pages}
    expect_equal(kinds, {vector.expected.page_kind}, "the kinds of its pages")


@check(
    "OC-PAGE-005",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-PAGE-001",),
    hook="convert",
    has=Capability.PAGE_RANGES,
    vectors="paginated",
)
def page_ranges_are_honoured(subject: Subject, vector: GoldenVector) -> None:
    """With `request.pages` the answer has only those pages, with the same text as in the full conversion.

    Fix:
    Read only the requested pages, number them from 1, and list them in `source_pages`.
    """
    last = len(vector.expected.pages)
    whole = page_texts(subject.convert(vector).conversion())[last - 1]
    seen = subject.convert(vector, pages=(last,))
    if seen.answer is None:
        raise Broken("a declared page range is refused", expected=f"page {last}", actual=describe(seen.error))
    answer = seen.conversion()
    expect_equal(answer.source_pages, (last,), "source_pages")
    expect_equal([words_of(text) for text in page_texts(answer)], [words_of(whole)], f"the words of page {last}")


@check(
    "OC-PAGE-009",
    scope="fresh",
    level=2,
    spec=("CNV-12", "CNV-7"),
    requires=("OC-PAGE-005",),
    hook="convert",
    has=Capability.PAGE_RANGES,
    vectors="paginated",
)
def pages_alone_are_those_of_the_whole(subject: Subject, vector: GoldenVector) -> None:
    """Pages of a fresh document that are asked for alone have the words, label, kind and size that they have in the whole.

    The second page is asked for, and with it one of the last, so that a gap lies between them; of a document of many pages six
    others too, with gaps between some of them.

    Fix:
    Look up what belongs to a page by its number in the document, not by its place among those asked for.
    """
    conversion = subject.convert(vector).conversion()
    count = len(conversion.pages)
    if count < 3:
        return
    _expect_alone(subject, vector, conversion, (2, count - 1) if count > 3 else (2,))
    if count > MANY:
        drawn = random.Random(subject.seed).sample(range(3, count), MANY // 2)
        _expect_alone(subject, vector, conversion, tuple(sorted(drawn)))


def _expect_alone(subject: Subject, vector: GoldenVector, conversion: Conversion, asked: tuple[int, ...]) -> None:
    """Raise unless pages that are asked for alone are those of the whole document.

    Raises:
        Broken: the pages are refused, are others or have other words, labels, kinds or sizes.
    """
    whole, texts = conversion.pages, page_texts(conversion)
    seen = subject.convert_again(vector, pages=asked)
    if seen.answer is None:
        raise Broken("a declared page range is refused", expected=f"pages {asked}", actual=describe(seen.error))
    answer = seen.conversion()
    expect_equal(len(answer.pages), len(asked), "the number of pages that are asked for alone")
    for number, page, text in zip(asked, answer.pages, page_texts(answer), strict=True):
        wanted = whole[number - 1]
        expect_equal(words_of(text), words_of(texts[number - 1]), f"the words of page {number}, asked for alone")
        expect_equal(
            (page.label, page.kind, page.width, page.height),
            (wanted.label, wanted.kind, wanted.width, wanted.height),
            f"label, kind and size of page {number}, asked for alone",
        )


@check(
    "OC-PAGE-006",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    lacks=Capability.PAGE_RANGES,
)
def undeclared_page_ranges_are_refused(subject: Subject, vector: GoldenVector) -> None:
    """Without the capability `page_ranges` a request for single pages is a UsageError that names the capability.

    Fix:
    Raise UsageError("… the capability `page_ranges` …") if `request.pages` is not None.
    """
    error = subject.convert(vector, pages=(1,)).error
    if not isinstance(error, UsageError) or Capability.PAGE_RANGES.value not in error.message:
        raise Broken("the request is not refused", expected="UsageError naming page_ranges", actual=describe(error))


@check(
    "OC-PAGE-007",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-PAGE-001",),
    hook="convert",
    has=Capability.PAGES,
    vectors="sizes",
)
def page_sizes_are_in_points(subject: Subject, vector: GoldenVector) -> None:
    """Width and height, if given, are those of the page in points, after rotation.

    Fix:
    Swap width and height of pages rotated by 90 or 270 degrees; convert pixels to points.
    """
    for page, (width, height) in zip(subject.convert(vector).conversion().pages, vector.expected.sizes, strict=True):
        if page.width is not None and page.height is not None:
            actual, wanted = (round(page.width), round(page.height)), (round(width), round(height))
            expect_equal(actual, wanted, f"the size of page {page.number}")


@check(
    "OC-PAGE-008",
    scope="golden",
    level=1,
    spec=("CNV-12",),
    requires=("OC-SCHEMA-002",),
    hook="convert",
    lacks=Capability.PAGES,
    vectors="paginated",
)
def lost_pages_are_told(subject: Subject, vector: GoldenVector) -> None:
    """A conversion that loses the pages of the document has the warning `missing_page_anchors`.

    Fix:
    Add ConversionWarning(code="missing_page_anchors") if a paginated format is returned as one `whole` page.
    """
    conversion = subject.convert(vector).conversion()
    codes = [warning.code for warning in conversion.warnings]
    if not conversion.paginated and DegradedFlag.MISSING_PAGE_ANCHORS.value not in codes:
        raise Broken("pages are lost without a warning", expected="missing_page_anchors", actual=codes or "no warning")
