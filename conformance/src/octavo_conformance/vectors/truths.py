"""What the generators of documents share: the form of a truth, and the texts around the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo_contracts import PageKind

from .golden import HEADER_WORDS
from .model import words_of
from .words import Words

OFFICE = "application/vnd.openxmlformats-officedocument"
Truth = tuple[bytes, PageKind | None, Sequence[str], Mapping[str, Any]]
"""The bytes, the kind of pages or None where converters may choose, the words of each page, further fields of `Expected`."""
HTML = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    "<body><article>{body}</article></body></html>"
)


def marked_up(heading: str, lines: Sequence[str]) -> str:
    """Return a heading and paragraphs in HTML; their signs are written as they are."""
    return f"<h1>{heading}</h1>" + "".join(f"<p>{line}</p>" for line in lines)


def page_texts(pages: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Return the words of pages of a heading and lines."""
    return [" ".join((heading, *lines)).strip() for heading, lines in pages]


def stated(words: Words) -> dict[str, str]:
    """Generate a title and an author with letters outside ASCII."""
    return {"title": f"Größe {words.heading()} – {words.word()}", "author": f"Zoë {words.word().title()}-Ørsted"}


def with_stated(truth: Mapping[str, Any], said: Mapping[str, str]) -> dict[str, Any]:
    """Add a title and an author to a truth; converters may write them into the text."""
    told = words_of(" ".join(said.values()))
    return {**truth, **said, "allowed": (*truth.get("allowed", ()), *told)}


def cells(grid: Sequence[Sequence[str]]) -> str:
    """Return the words of a table."""
    return " ".join(cell for row in grid for cell in row)


def mail(subject: str, lines: Sequence[str], *, hours: int = 0) -> tuple[bytes, dict[str, Any]]:
    """Return an e-mail, with its date and the words that a converter may add.

    Args:
        subject: its subject.
        lines: its paragraphs.
        hours: by which the zone of its date is ahead of UTC, 0 to 9.
    """
    text = (
        "From: Ada Quay <ada@example.org>\r\nTo: Ben Pier <ben@example.org>\r\n"
        f"Subject: {subject}\r\nDate: Thu, 01 Jan 2026 10:00:00 +0{hours}00\r\nMessage-ID: <1@example.org>\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        + "\r\n\r\n".join(lines)
        + "\r\n"
    )
    utc = f"{10 - hours:02}"
    zone = (f"0{hours}00", f"0{hours}", utc, f"01T{utc}")
    allowed = (*HEADER_WORDS, *subject.split(), *zone)
    return text.encode(), {"allowed": allowed, "date": f"2026-01-01T10:00:00+0{hours}:00"}
