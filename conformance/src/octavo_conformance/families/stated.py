"""OC-GOLD and OC-PAGE on what fresh documents state beside their text: title, author, times, kinds and sizes of pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from octavo_contracts import Capability

from ..checks import Broken, check, expect_equal, expect_none
from ..subject import Subject
from ..vectors import GoldenVector, words_of

_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})(?:[.,]\d+)?")
_TIMED = re.compile(r"(?m)^\\?\[((?:\d+:)?\d{1,2}:\d{2}(?:[.,]\d+)?)\\?\]\s+(.+)$")
"""A paragraph with its time."""


@check(
    "OC-GOLD-029",
    scope="fresh",
    level=3,
    spec=("ENG-23", "CNV-13"),
    requires=("OC-GOLD-006", "OC-GOLD-009"),
    hook="convert",
    has=Capability.METADATA,
    vectors="author",
)
def titles_and_authors_are_those_of_the_document(subject: Subject, vector: GoldenVector) -> None:
    """Title and author of a fresh document, if given, are the stated ones, letter for letter: also letters outside ASCII.

    Fix:
    Decode properties as the format says (PDF: UTF-16 behind a mark, else PDFDocEncoding); shorten and clean nothing.
    """
    metadata = subject.convert_as_host(vector).conversion().metadata
    for what, found, wanted in (
        ("title", metadata.title, vector.expected.title),
        ("author", metadata.author, vector.expected.author),
    ):
        if found is not None:
            expect_equal(unicodedata.normalize("NFC", found), wanted, f"the {what}")


@check(
    "OC-PAGE-010",
    scope="fresh",
    level=3,
    spec=("CNV-12",),
    requires=("OC-PAGE-007", "OC-GOLD-009"),
    hook="convert",
    has=Capability.PAGES,
    vectors="sizes",
)
def sizes_are_those_of_the_displayed_pages(subject: Subject, vector: GoldenVector) -> None:
    """Width and height of the pages of a fresh document, if given, are those of the page that is displayed: cropped and turned.

    Fix:
    Take the crop box, not the media box; swap width and height of pages that are turned by 90 or 270 degrees.
    """
    pages = subject.convert_as_host(vector).conversion().pages
    for page, (width, height) in zip(pages, vector.expected.sizes, strict=False):
        if page.width is not None and page.height is not None:
            actual, wanted = (round(page.width), round(page.height)), (round(width), round(height))
            expect_equal(actual, wanted, f"the size of page {page.number}")


@check(
    "OC-PAGE-011",
    scope="fresh",
    level=3,
    spec=("CNV-12", "CNV-7", "CNV-8"),
    requires=("OC-PAGE-003", "OC-PAGE-004", "OC-GOLD-009", "OC-GOLD-010"),
    hook="convert",
    vectors="page_kind",
)
def pages_of_every_document_are_of_their_kind(subject: Subject, vector: GoldenVector) -> None:
    """The pages of a fresh document are of the kind of its format, also of a large one; a format without pages gives one page of kind `whole`.

    Fix:
    Set Page.kind by the format; do not cut a long text, mail or web page into pages of lines.
    """
    conversion = subject.convert_as_host(vector).conversion()
    wanted = vector.expected.page_kind
    if Capability.PAGES in subject.manifest.capabilities or wanted == "whole":
        expect_equal({page.kind for page in conversion.pages}, {wanted}, "the kinds of its pages")


@check(
    "OC-GOLD-030",
    scope="fresh",
    level=3,
    spec=("CNV-12",),
    requires=("OC-GOLD-009",),
    hook="convert",
    has=Capability.PAGES,
    vectors="cues",
)
def times_are_those_of_the_subtitles(subject: Subject, vector: GoldenVector) -> None:
    """A time, as the label of a page or in front of a paragraph, is that of the subtitle there, to the second, also beyond an hour.

    A duration in the metadata is the second at which the last subtitle ends: all times count from the beginning of the recording.

    Fix:
    Read hours, minutes and seconds; hours have two digits or more, and WebVTT may leave them out.
    Do not move times, wherever the first subtitle is.
    """
    conversion = subject.convert_as_host(vector).conversion()
    labels = [(page.label or "", page.text or page.markdown) for page in conversion.pages]
    paragraphs = [found for page in conversion.pages for found in _TIMED.findall(page.markdown)]
    wrong = [f"label {one}" for one in _misplaced(labels, vector)] + _misplaced(paragraphs, vector)
    expect_none(wrong[:8], "times are not those of their subtitles")
    told, duration = conversion.metadata.fields.get("duration_seconds"), vector.expected.duration
    if isinstance(told, int | float) and duration is not None and abs(told - duration) > 1:
        raise Broken("the duration is another one", expected=duration, actual=told)


def _misplaced(told: Sequence[tuple[str, str]], vector: GoldenVector) -> list[str]:
    """Return the times that are not those of the subtitles with which their texts begin."""
    wrong = []
    at = 0
    cues = [(start, words_of(said)) for start, said in vector.expected.cues]
    for time, text in told:
        clock, found = _CLOCK.fullmatch(time), words_of(text)
        # Equal subtitles are told apart by their order.
        first = next((number for number, (_, said) in enumerate(cues[at:], at) if found[: len(said)] == said), None)
        if clock is None or first is None:
            continue
        at = first + 1
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        if abs(hours * 3600 + minutes * 60 + seconds - cues[first][0]) > 1:
            wrong.append(f"{time!r} for second {cues[first][0]}")
    return wrong


@check(
    "OC-GOLD-041",
    scope="fresh",
    level=3,
    spec=("CNV-7", "CNV-12"),
    requires=("OC-GOLD-009", "OC-GOLD-011"),
    hook="convert",
    vectors="places",
)
def places_are_those_of_their_sheets(subject: Subject, vector: GoldenVector) -> None:
    """Where the metadata field `sheets` has the name of a sheet, its `first_row` and `first_column` are those of its first cell, from 1.

    Fix:
    Take name and place from the same sheet, in one loop; do not sort one of them.
    """
    known = {name: place for name, *place in vector.expected.places}
    told = subject.convert_as_host(vector).conversion().metadata.fields.get("sheets")
    wrong = []
    for one in told if isinstance(told, list) else ():
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(name, str) or name not in known:
            continue
        place = [one.get("first_row"), one.get("first_column")]
        if any(isinstance(part, int) and part != true for part, true in zip(place, known[name], strict=True)):
            wrong.append(f"{name}: {place} for {known[name]}")
    expect_none(wrong[:8], "sheets have the places of others", expected="row and column of the first cell of each")


@check(
    "OC-GOLD-043",
    scope="fresh",
    level=3,
    spec=("ENG-23", "QLT-2"),
    requires=("OC-GOLD-009", "OC-GOLD-013"),
    hook="convert",
    vectors="people",
)
def people_keep_their_names(subject: Subject, vector: GoldenVector) -> None:
    """Names in front of the addresses of a fresh mail or mailbox are those that stand there, also where an address has several.

    So are those in its metadata.

    Fix:
    Take name and address from one header field of one message; keep no names by address.
    """
    people = vector.expected.people
    names, addresses = ("|".join(sorted({re.escape(one[at]) for one in people})) for at in (0, 1))
    conversion = subject.convert_as_host(vector).conversion()
    markdown = "\n".join(page.markdown for page in conversion.pages)
    told = "\n".join(map(str, (conversion.metadata.author, *conversion.metadata.fields.values())))
    pair = re.compile(rf"({names})[\s\"*\\]*[<(](?:mailto:)?({addresses})")
    places = [(place, *one) for place, one in enumerate(people)]
    wrong = [f"{name} <{address}>" for name, address in pair.findall(told) if (name, address) not in people]
    at = 0
    for one in pair.findall(markdown):
        place = next((place for place, *person in places[at:] if person == list(one)), None)
        if place is None:
            wrong.append(f"{one[0]} <{one[1]}>")
        else:
            at = place + 1
    expect_none(wrong[:8], "people have other names, or stand in another place", expected="the name of the message")
