"""OC-GOLD and OC-IDEM on fresh documents: made-up words, small and large, converted as a host does.

No plugin can know their content, and none can tell from its process or from a file's name that it is tested.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import PurePosixPath

from octavo_contracts import Capability, Conversion

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import page_texts
from ..subject import Subject
from ..targets import FIRST, LARGE, LONG, SMALL
from ..truth import expect_headings, expect_pages, expect_tables, phrase_of, words_of_markdown
from ..vectors import GoldenVector, words_of
from .boxes import misplaced
from .determinism import expect_same
from .resources import expect_no_idling

PARTIAL = "partial_conversion"
_DATE_IN_FIGURES = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-](\d{2})(?!\d)")
COMMENTS = {"Slide", "slide", "Sheet", "sheet", "Page", "page", "number", "sup"}
"""Words with which a converter may number the pages in its markdown, and the tag of raised marks, for which markdown has no sign."""


def _conversion(subject: Subject, vector: GoldenVector) -> Conversion:
    return subject.convert_as_host(vector).conversion()


def _allowed(subject: Subject, vector: GoldenVector) -> set[str]:
    # A converter may use the name of the file as the name of a sheet.
    return {*vector.expected.allowed, *words_of(subject.original(vector).path.stem)}


def _words(vector: GoldenVector) -> set[str]:
    return {word for page in vector.expected.pages for word in words_of(page)}


def expect_words(subject: Subject, vector: GoldenVector, conversion: Conversion) -> None:
    """Raise unless a conversion has the words of its document, page by page.

    Raises:
        Broken: the words of a page differ.
    """
    found, wanted = page_texts(conversion), list(vector.expected.pages)
    if Capability.PAGES not in subject.manifest.capabilities or not vector.expected.paginated:
        found, wanted = [" ".join(found)], [" ".join(wanted)]
    expect_pages(found, wanted, _allowed(subject, vector))


@check(
    "OC-GOLD-009",
    scope="fresh",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-003", "OC-PAGE-001", "OC-PAGE-002"),
    hook="convert",
    vectors=SMALL,
)
def unseen_documents_are_right(subject: Subject, vector: GoldenVector) -> None:
    """The words of a document generated for this run are correct too, page by page, when converted by a host.

    Text that a tracked change deleted may be listed behind the text, but not stand within a sentence.

    Fix:
    Write the document with `octavo conformance vectors FOLDER --seed N`, convert it, and compare it with the text beside it.
    Read the content of the document; derive nothing from its name, its hash or the place where it is converted.
    """
    expect_words(subject, vector, _conversion(subject, vector))
    flowing = phrase_of(" ".join(page_texts(_conversion(subject, vector))))
    cut = [phrase for phrase in vector.expected.phrases if phrase_of(phrase) not in flowing]
    expect_none(cut, "deleted text stands within a sentence", expected="the sentence as it is now")


@check(
    "OC-GOLD-010",
    scope="fresh",
    level=3,
    spec=("QLT-2", "QLT-3"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=LARGE,
)
def large_documents_are_right(subject: Subject, vector: GoldenVector) -> None:
    """So are those of a large one: hundreds of rows or dozens of pages, each with numbers, amounts, long words, punctuation.

    Where page ranges are declared, a late page is converted alone too.

    Fix:
    Look for limits of rows, pages, characters and bytes; tell what you leave out with the warning `partial_conversion`.
    Compare the first page, row or paragraph that differs with the document: what is in it that others have not?
    """
    expect_words(subject, vector, _conversion(subject, vector))
    if Capability.PAGE_RANGES in subject.manifest.capabilities and vector.expected.paginated:
        number = len(vector.expected.pages) - 1
        alone = subject.convert(vector, pages=(number,)).conversion()
        expect_pages(page_texts(alone), [vector.expected.pages[number - 1]], _allowed(subject, vector))


@check(
    "OC-TIME-007",
    scope="fresh",
    level=3,
    spec=("ENG-11",),
    requires=("OC-TIME-005", "OC-GOLD-010"),
    hook="convert",
    lacks=Capability.SUBPROCESS,
    vectors=LONG,
)
def large_documents_do_not_wait(subject: Subject, vector: GoldenVector) -> None:
    """The conversion of a large document is not idle for a second either.

    Fix:
    Remove sleeps, retries and locks; let threads that you join do work.
    """
    calls = chain((subject.convert_in_time(vector),), iter(lambda: subject.convert_again(vector), None))
    expect_no_idling(partial(next, calls), subject.budget.idle_seconds)


@check(
    "OC-TIME-008",
    scope="fresh",
    level=3,
    spec=("ENG-11", "QLT-2"),
    requires=("OC-GOLD-010", "OC-DET-004", "OC-IDEM-002"),
    hook="convert",
    deterministic=True,
    vectors=LARGE,
)
def haste_loses_nothing(subject: Subject, vector: GoldenVector) -> None:
    """With a deadline of few seconds a large document gives the same Conversion, the warning `partial_conversion`, or an error.

    Fix:
    Raise ConversionTimeout where the time is not enough; do not read less for it.
    """
    hasty, whole = subject.convert_in_time(vector), subject.convert_as_host(vector)
    if hasty.error is not None or any(one.code == PARTIAL for one in hasty.conversion().warnings):
        return
    expect_same(hasty, whole, "a shorter deadline gives another Conversion")


@check(
    "OC-GOLD-011",
    scope="fresh",
    level=3,
    spec=("CNV-7", "CNV-2"),
    requires=("OC-GOLD-005", "OC-GOLD-010"),
    hook="convert",
    has=Capability.TABLES,
    vectors="tables",
)
def cells_of_unseen_tables_are_right(subject: Subject, vector: GoldenVector) -> None:
    """Tables of fresh documents, small and large, are returned as grids, cell by cell.

    Fix:
    Fill Page.tables from what the document says; keep numbers, signs and blanks of a cell as they are.
    """
    expect_tables(_conversion(subject, vector), vector)


@check(
    "OC-GOLD-012",
    scope="fresh",
    level=3,
    spec=("CNV-11", "CNV-6"),
    requires=("OC-GOLD-004", "OC-GOLD-010"),
    hook="convert",
    has=Capability.HEADINGS,
    vectors="headings",
)
def headings_of_unseen_documents_are_right(subject: Subject, vector: GoldenVector) -> None:
    """Headings of fresh documents, small and large, are the markdown's headings, in order.

    Fix:
    Write headings as `# text` lines in Page.markdown, on every page.
    """
    expect_headings(_conversion(subject, vector), vector)


@check(
    "OC-GOLD-013",
    scope="fresh",
    level=3,
    spec=("QLT-2", "CNV-13"),
    requires=("OC-GOLD-010",),
    hook="convert",
)
def markdown_says_nothing_else(subject: Subject, vector: GoldenVector) -> None:
    """The markdown of a fresh document has no word that the document has not: in no comment, tag or address of a link.

    Fix:
    Write only what the document says; a remark of your own is a ConversionWarning.
    """
    known = _words(vector) | _allowed(subject, vector)
    places = {str(number) for number in range(len(vector.expected.pages) + 1)}
    markdown = "\n".join(page.markdown for page in _conversion(subject, vector).pages)
    found = words_of_markdown(markdown) - known - places - COMMENTS
    expect_none(sorted(found)[:20], "the markdown has words of its own", expected="words of the document")


@check(
    "OC-GOLD-014",
    scope="fresh",
    level=3,
    spec=("ENG-23", "CNV-13"),
    requires=("OC-GOLD-006", "OC-GOLD-010"),
    hook="convert",
    vectors=SMALL,
)
def nothing_is_made_up_beside_the_text(subject: Subject, vector: GoldenVector) -> None:
    """Title and author of a fresh document are its words; it has no date, attachments and hidden text but its own.

    A document without a stated date may have one that its text has, with a year of two or four digits.

    Fix:
    Fill metadata, attachments and hidden text from the document alone, never with a default or from the machine.
    Leave the date null if the document states none: the time of the file is that of a copy.
    """
    known = _words(vector) | _allowed(subject, vector)
    conversion = _conversion(subject, vector)
    told = (conversion.metadata.title, conversion.metadata.author)
    expect_none([text for text in told if text and not set(words_of(text)) <= known], "title or author is made up")
    date = conversion.metadata.date
    is_stated = vector.expected.date is not None or bool(vector.expected.stated_dates)
    if not is_stated and date is not None and not _is_in_text(date, " ".join(vector.expected.pages)):
        raise Broken("the date is made up", expected="no date: the document states none", actual=date)
    own = {PurePosixPath(item.name).name for item in vector.expected.attachments}
    expect_none(
        [item.name for item in conversion.attachments if PurePosixPath(item.name or "").name not in own],
        "attachments are made up",
    )
    expect_equal([item.text for page in conversion.pages for item in page.hidden_text], [], "the hidden text")


def _is_in_text(date: str, text: str) -> bool:
    """Whether a text has the year of a date, YYYY-MM-DD, as a number, or the date in figures with a short year."""
    year, month, day = date[:4], date[5:7], date[8:10]
    short = sorted((int(year[2:]), int(month or 0), int(day or 0)))
    return re.search(rf"(?<!\d){year}(?!\d)", text) is not None or any(
        sorted(map(int, found)) == short for found in _DATE_IN_FIGURES.findall(text)
    )


@check(
    "OC-GOLD-015",
    scope="fresh",
    level=3,
    spec=("CNV-12",),
    requires=("OC-GOLD-009",),
    hook="convert",
    has=Capability.BOXES,
    vectors="baselines",
)
def boxes_lie_where_the_text_is(subject: Subject, vector: GoldenVector) -> None:
    """The box of a text on a fresh page lies on the lines with its words, and on no other line.

    Fix:
    Convert the engine's coordinates to points from the top left corner of the page.
    """
    expect_none(
        misplaced(_conversion(subject, vector), vector)[:8],
        "boxes are in another place",
        expected="boxes on their lines",
    )


@check(
    "OC-GOLD-018",
    scope="fresh",
    level=3,
    spec=("ENG-23",),
    requires=("OC-GOLD-006", "OC-GOLD-009"),
    hook="convert",
    vectors="date",
)
def dates_are_those_of_the_document(subject: Subject, vector: GoldenVector) -> None:
    """The date in the metadata of a fresh document, if given, is the document's, with its zone or in UTC.

    Fix:
    Convert a time with its zone, or leave the zone out together with the time.
    """
    found, wanted = _conversion(subject, vector).metadata.date, datetime.fromisoformat(vector.expected.date or "")
    if found is None:
        return
    try:
        told = datetime.fromisoformat(found)
    except ValueError as error:
        raise Broken("the date is not in ISO 8601", expected=wanted.isoformat(), actual=found) from error
    if told.tzinfo is not None:
        expect_equal(told.astimezone(UTC), wanted.astimezone(UTC), "the date, in UTC")
    else:
        expect_equal(told.date(), wanted.date(), "the day of the date")


@check(
    "OC-GOLD-026",
    scope="fresh",
    level=3,
    spec=("CNV-12",),
    requires=("OC-GOLD-009",),
    hook="convert",
    has=Capability.PAGES,
    vectors="labels",
)
def labels_are_no_numbers(subject: Subject, vector: GoldenVector) -> None:
    """The label of a page of a fresh document, if given, is the one that is stated for it, not its number, nor a number printed on it.

    The label of a sheet is its name. Where the document states no labels, a page may have its own number for one.

    Fix:
    Take labels from the document, page by page, or leave them out; count pages from 1 all the same.
    """
    pages = _conversion(subject, vector).pages
    wrong = [
        f"page {page.number}: {page.label!r} for {label!r}"
        for page, label in zip(pages, vector.expected.labels, strict=False)
        if page.label is not None and page.label != (label or str(page.number))
    ]
    expect_none(wrong[:8], "labels of pages are not those of the document")


@check(
    "OC-IDEM-003",
    scope="fresh",
    level=3,
    spec=("ENG-6", "ENG-18"),
    requires=("OC-IDEM-001",),
    hook="convert",
    vectors=FIRST,
    deterministic=True,
)
def the_first_document_stays_the_same(subject: Subject, vector: GoldenVector) -> None:
    """A host's worker gives its first document the same Conversion again after many others, small and large.

    Fix:
    Keep no state between calls; let the bytes of a document decide what a cache holds, not the number of calls.
    """
    first = subject.convert_as_host(vector)
    until = time.monotonic() + subject.budget.repeat_seconds
    for _ in _until(until, subject.budget.rereads):
        expect_same(
            subject.convert_as_host(vector, again=True), first, "the document is converted in another way later"
        )


def _until(end: float, most: int) -> Iterable[int]:
    """Yield at least two numbers, then up to `most` until the end."""
    return (number for number in range(most) if number < 2 or time.monotonic() < end)
