"""Fresh documents that state a date on whose day it is another day in UTC, west and east of Greenwich."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from functools import partial

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .model import words_of
from .office_bytes import docx, pptx, xlsx
from .package_changes import changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, marked_up
from .words import Words


def moment(words: Words, *, is_west: bool | None = None) -> datetime:
    """Generate a moment in the zone of its place: late in the evening in the west, early in the morning in the east.

    Args:
        words: the words.
        is_west: of Greenwich; None: either.
    """
    dice = words.dice
    is_west = dice.random() < 0.5 if is_west is None else is_west
    hours, minute = dice.randint(3, 10), dice.choice((0, 30))
    zone = timezone(timedelta(hours=-hours, minutes=-minute) if is_west else timedelta(hours=hours, minutes=minute))
    hour = dice.randint(24 - hours, 23) if is_west else dice.randint(0, hours - 1)
    # The last day of a month, so that the month is another one in UTC, or an ordinary one.
    month = dice.randint(1, 12)
    first = datetime(dice.randint(2001, 2025), month, 1, hour, dice.randint(0, 59), dice.randint(0, 59), tzinfo=zone)
    return first + timedelta(days=dice.choice((-1, 0, dice.randint(1, 27))))


def words_of_moments(moments: Sequence[datetime]) -> list[str]:
    """Return the words with which a converter may write moments, in their zones or in UTC."""
    return [
        word
        for one in moments
        for when in (one, one.astimezone(UTC), one.replace(tzinfo=None))
        for text in (when.isoformat(), when.isoformat(" "), format_datetime(when), f"{when:%d %B %Y}", "Z GMT UTC")
        for word in words_of(text)
    ]


def _eml(words: Words, *, is_west: bool) -> Truth:
    when, lines = moment(words, is_west=is_west), [words.line(9) for _ in range(3)]
    data, truth = mail(words.heading(), lines)
    data = data.replace(b"Thu, 01 Jan 2026 10:00:00 +0000", format_datetime(when).encode())
    allowed = (*truth["allowed"], *words_of_moments([when]))
    return data, "whole", [" ".join(lines)], {"allowed": allowed, "date": when.isoformat()}


def _html(words: Words) -> Truth:
    when, heading, lines = moment(words), words.heading(), words.lines()
    page = HTML.format(title=heading, body=marked_up(heading, lines))
    page = page.replace("<title>", f'<meta property="article:published_time" content="{when.isoformat()}"><title>')
    return page.encode(), "whole", [" ".join((heading, *lines))], {"date": when.isoformat()}


def _pdf(words: Words) -> Truth:
    when, lines = moment(words), [words.line(6) for _ in range(4)]
    data = PdfFile(
        pages=[PdfPage(lines=[PdfLine(text=line) for line in lines])], title=lines[0], created=when
    ).to_bytes()
    return data, "page", [" ".join(lines)], {"date": when.isoformat()}


def _created(package: bytes, when: datetime) -> bytes:
    """Return an office package with a moment as its date of creation and of its last change."""
    stated = "".join(
        f'<dcterms:{name} xsi:type="dcterms:W3CDTF">{when.isoformat()}</dcterms:{name}>'
        for name in ("created", "modified")
    )
    names = 'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

    def dated(text: str) -> str:
        head, mark, tail = text.rpartition("</")
        head = head.replace(" xmlns:", f" {names} xmlns:", 1) if "xmlns:dcterms" not in head else head
        return f"{head}{stated}{mark}{tail}"

    return changed(package, core=dated)


def _odt(words: Words) -> Truth:
    when, lines = moment(words), [words.line(9) for _ in range(4)]
    dates = f"<meta:creation-date>{when.isoformat()}</meta:creation-date>"
    dates += f'<dc:date xmlns:dc="http://purl.org/dc/elements/1.1/">{when.isoformat()}</dc:date>'
    data = odt("".join(f"<text:p>{line}</text:p>" for line in lines))
    data = changed(data, meta=lambda text: text.replace("<office:meta/>", f"<office:meta>{dates}</office:meta>"))
    return data, "whole", [" ".join(lines)], {"date": when.isoformat()}


def _epub(words: Words) -> Truth:
    when, heading, lines = moment(words), words.heading(), [words.line(9) for _ in range(4)]
    body = marked_up(heading, lines)
    data = epub([chapter(heading, body)], title=heading, date=when.isoformat())
    allowed = (*BOOK_WORDS, "Date", *heading.split(), *words_of_moments([when]))
    return data, "whole", [" ".join((heading, *lines))], {"date": when.isoformat(), "allowed": allowed}


def _docx(words: Words) -> Truth:
    when, lines = moment(words), [words.line(9) for _ in range(4)]
    data = _created(docx(blocks=[("p", line) for line in lines], title="", author=""), when)
    return data, "whole", [" ".join(lines)], {"date": when.isoformat()}


def _pptx(words: Words) -> Truth:
    when, heading, lines = moment(words), words.heading(), [words.line(5) for _ in range(2)]
    data = _created(pptx(slides=[(heading, lines)], title="", author=""), when)
    return data, "slide", [" ".join((heading, *lines))], {"date": when.isoformat(), "allowed": ("Slide", "1")}


def _xlsx(words: Words) -> Truth:
    when, name, grid = moment(words), words.word().capitalize(), words.grid()
    data = _created(xlsx(sheets={name: grid}, merges={}, title="", author=""), when)
    return data, "sheet", [cells(grid)], {"date": when.isoformat(), "allowed": (name,), "tables": (grid,)}


def _sheaf(words: Words, *, is_west: bool) -> Truth:
    when, line = moment(words, is_west=is_west), words.line(9)
    data = sheaf(pages=[{"blocks": [["p", line]]}], date=when.isoformat())
    return data, "page", [line], {"date": when.isoformat()}


ZONED_DATES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/dated.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/east.eml": ("message/rfc822", partial(_eml, is_west=False)),
    "eml/west.eml": ("message/rfc822", partial(_eml, is_west=True)),
    "epub/dated.epub": (EPUB_TYPE, _epub),
    "html/dated.html": ("text/html", _html),
    "odt/dated.odt": (ODT_TYPE, _odt),
    "pdf/dated.pdf": ("application/pdf", _pdf),
    "pptx/dated.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "sheaf/east.sheaf": (SHEAF, partial(_sheaf, is_west=False)),
    "sheaf/west.sheaf": (SHEAF, partial(_sheaf, is_west=True)),
    "xlsx/dated.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
