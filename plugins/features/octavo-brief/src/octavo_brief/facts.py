"""Finds title, date, author and source of a document, in its text if stated there, else in its metadata (INT-1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from octavo_contracts import DocumentMetadata
from octavo_library.text.dates import one_reading
from octavo_text.canonical import CanonicalText, fold

from .courts import CourtCaption
from .filings import FilingHeader
from .mentions import DATE
from .quoting import Line, Quoted, quote

OPENING = 40
"""Number of lines searched for title, author and date."""
_AUTHOR = re.compile(
    r"^(?:(?:[Ww]ritten |[Pp]repared )?[Bb]y|(?:[Aa]uthor|[Ff]rom)\s*:)\s*:?\s+(?P<name>[^\W\da-z_][\w.'’-]*(?:\s+[^\W\da-z_][\w.'’-]*){1,4})$"
)
_DATED = re.compile(
    r"\b(?:dated?|filed|published|updated|issued|sent|effective|taken|made|signed|executed|(?:entered )?into)"
    r"(?:\s+(?:on|as of))?\s*:?\s*$",
    re.IGNORECASE,
)
_DATELINE = re.compile(r"\)? ?(?:[-–—]{1,2}|/PRNewswire/|\(BUSINESS WIRE\))[-–— ]*(?:[^\W\d_]|[\"“])", re.IGNORECASE)
_PLACE = 60
"""Code points of the place before the date of a dateline: `LEITH, 12 May 2024 – The trust …`."""
_LONGEST_TITLE = 200
_DAY = len("2026-11-22")
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]|$)")
_BEFORE = 40
"""Code points before a date that are searched for a word that marks it as the document's."""
_PART = re.compile(
    r"(?:\d+\.?\s*)?(?:abstract|(?:executive )?summary|introduction|(?:table of )?contents|preface|foreword|overview)\W*",
    re.IGNORECASE,
)
"""Headings of a part of the document, not of the whole."""
_NOTICE = re.compile(
    r"(?:(?:for )?immediate release|(?:press|news|media) release|(?:strictly )?(?:private and )?confidential|draft|copy)\W*",
    re.IGNORECASE,
)
"""Notices above the title."""
_NO_TITLE = re.compile(
    r"(?:untitled|no title|title|document|presentation|slide|scan|microsoft \w+ -)\b.{0,60}|.{0,120}\.\w{2,5}",
    re.IGNORECASE,
)
"""Titles that programs set by default: names of files and of the program."""
_NO_AUTHOR = re.compile(
    r"\W*(?:anonymous|unknown|none|n/a|author|(?:default |microsoft )?(?:office )?user|admin(?:istrator)?|owner|root|guest|scanner|test)\W*",
    re.IGNORECASE,
)
"""Authors that programs set by default."""
_WORD = re.compile(r"[^\W_]{2,}")
_LEAST_WORDS = 3
"""A title of fewer words may stand in the first pages by chance."""
_RUNNING_TEXT = 60
"""A longer line that is no heading belongs to running text; the title of a press release stands above it."""
_LEAST_LETTERS = 3
"""A title of the metadata with fewer letters is the number of a form."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts needed to cite the document; None if neither text nor metadata state them.

    Attributes:
        title: its title.
        date: its date, ISO 8601.
        author: its author.
        source: its origin: a court, a company, a publisher's site.
    """

    title: Quoted | None
    date: Quoted | None
    author: Quoted | None
    source: Quoted | None


def facts_of(
    text: CanonicalText,
    lines: Sequence[Line],
    metadata: DocumentMetadata,
    *,
    caption: CourtCaption | None,
    filing: FilingHeader | None,
) -> Facts:
    """Find the facts according to the kind of document.

    Args:
        text: the canonical text.
        lines: lines of the document.
        metadata: metadata of the file.
        caption: caption of a court document, or None.
        filing: cover of a filing, or None.
    """
    opening = [line for line in lines[:OPENING] if line.page <= 2]
    if filing is not None:
        return Facts(title=filing.form, date=filing.period, author=filing.company, source=filing.company)
    site = metadata.fields.get("hostname") or metadata.fields.get("url")
    return Facts(
        title=(caption.title if caption is not None else None) or _title(text, opening, metadata),
        date=_date(text, opening, metadata),
        author=_author(text, opening, metadata),
        source=caption.court if caption is not None else _said(str(site) if site else None),
    )


def _title(text: CanonicalText, opening: Sequence[Line], metadata: DocumentMetadata) -> Quoted | None:
    """Return the metadata's title if the first pages show it, else the highest heading, else the metadata's title.

    A title of the metadata whose words all stand in the first pages is this document's, and no template's.
    """
    said = metadata.title
    if said and sum(sign.isalpha() for sign in said) < _LEAST_LETTERS:
        said = None
    if said and (shown := _as_line(text, opening, said)) is not None:
        return shown
    first = _heading(opening)
    if said and not _NO_TITLE.fullmatch(said) and _is_told(said, opening, first):
        return _said(said)
    if first is not None:
        return quote(text, first.span.start, first.span.end)
    return _said(said if said and not _NO_TITLE.fullmatch(said) else None)


def _is_told(said: str, opening: Sequence[Line], heading: Line | None) -> bool:
    """Return whether the opening has every word of a title, and the heading has not."""
    asked = {word.casefold() for word in _WORD.findall(said)}
    told = {word.casefold() for line in opening for word in _WORD.findall(line.text)}
    headed = {word.casefold() for word in _WORD.findall(heading.text)} if heading is not None else set()
    return len(asked) >= _LEAST_WORDS and asked <= told and not asked <= headed and len(asked & headed) < len(headed)


def _heading(opening: Sequence[Line]) -> Line | None:
    """Return the highest heading of the first page that has one; if it names a part, such as the abstract, the first line.

    A later page may have a higher heading: that of its part.
    """
    is_noticed = any(line.heading and _NOTICE.fullmatch(line.text) for line in opening)
    opening = [line for line in opening if not _NOTICE.fullmatch(line.text)]
    headings = [line for line in opening if line.heading and len(line.text) <= _LONGEST_TITLE]
    if not headings:
        return None
    page = min(line.page for line in headings)
    own = [line for line in headings if line.page == page]
    # Below a notice in large type the title comes first, whatever its type.
    if is_noticed and any(
        not line.heading and len(line.text) > _RUNNING_TEXT for line in opening[: opening.index(own[0])]
    ):
        return None
    first = own[0] if is_noticed else min(own, key=lambda line: (line.heading, line.span.start))
    if not _PART.fullmatch(first.text):
        return first
    return opening[0] if opening[0] is not first and len(opening[0].text) <= _LONGEST_TITLE else None


def _date(text: CanonicalText, opening: Sequence[Line], metadata: DocumentMetadata) -> Quoted | None:
    """Return a date that the opening marks as the document's, or that has its own line; else the day of the metadata.

    The day of the metadata is quoted if the opening mentions it too.
    """
    for line in opening:
        for match in DATE.finditer(text.text, line.span.start, line.span.end):
            before = text.text[max(line.span.start, match.start() - _BEFORE) : match.start()]
            alone = match.end() - match.start() >= 0.6 * len(line.text)
            dateline = match.start() - line.span.start <= _PLACE and _DATELINE.match(text.text, match.end())
            if (alone or dateline or _DATED.search(before)) and (day := one_reading(match.group())) is not None:
                return quote(text, *match.span(), value=day)
    if metadata.date is None:
        return None
    written = metadata.date[:_DAY] if _ISO_DAY.match(metadata.date) else metadata.date
    for line in opening:
        for match in DATE.finditer(text.text, line.span.start, line.span.end):
            if one_reading(match.group()) == written:
                return quote(text, *match.span(), value=written)
    return _said(written)


def _author(text: CanonicalText, opening: Sequence[Line], metadata: DocumentMetadata) -> Quoted | None:
    if metadata.author and not _NO_AUTHOR.fullmatch(metadata.author):
        return _in_opening(text, opening, metadata.author) or _said(metadata.author)
    for line in opening:
        if match := _AUTHOR.match(line.text):
            start = line.span.start + match.start("name")
            return quote(text, start, start + len(match["name"]))
    return None


def _in_opening(text: CanonicalText, opening: Sequence[Line], said: str) -> Quoted | None:
    """Return a value of the metadata if the first pages show it too."""
    wanted = fold(said)
    at = text.text.find(wanted, 0, opening[-1].span.end if opening else 0)
    return quote(text, at, at + len(wanted)) if at >= 0 else None


def _as_line(text: CanonicalText, opening: Sequence[Line], said: str) -> Quoted | None:
    """Return a title of the metadata if the first pages show it as lines of its own."""
    shown = _in_opening(text, opening, said)
    if shown is None or shown.span is None:
        return None
    starts, ends = {line.span.start for line in opening}, {line.span.end for line in opening}
    return shown if shown.span.start in starts and shown.span.end in ends else None


def _said(value: str | None) -> Quoted | None:
    return Quoted(value=value, span=None, page=None) if value else None
