"""Fresh feeds: entries with markup, dates with zones, and links. Their elements, cut off, are feeds no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from email.utils import format_datetime
from functools import partial
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from .link_targets import make_targets, words_of_targets
from .truths import Truth
from .words import Words
from .zoned_dates import moment, words_of_moments

RSS_TYPE, ATOM_TYPE = "application/rss+xml", "application/atom+xml"
_LABELS = (
    "Date",
    "Published",
    "Updated",
    "on",
    "Author",
    "Link",
    "Categories",
    "See",
    "File",
    "https",
    "http",
    "mailto",
    "example",
)
"""What a converter may write in front of the properties of an entry."""


class Entry(NamedTuple):
    """An entry of a feed: its title, the paragraphs of its text, its address, and when it was written."""

    title: str
    paragraphs: Sequence[str]
    link: str
    written: datetime


def make_entries(words: Words, count: int) -> list[Entry]:
    """Generate entries of two paragraphs, whose addresses have parameters, fragments and every other part that addresses have."""
    links = [link for link in make_targets(words, 4 * count + 12) if link.startswith("http")][:count]
    return [
        Entry(words.heading(), [words.line(9), f"{words.line(6)} & {words.word()} Größe"], link, moment(words))
        for link in links
    ]


def _markup(entry: Entry) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in entry.paragraphs)


def rss(title: str, about: str, written: datetime, entries: Sequence[Entry]) -> str:
    """Return a feed in RSS 2.0."""
    items = "\n".join(
        f"<item>\n<title>{escape(one.title)}</title>\n<link>{escape(one.link)}</link>\n<guid>{escape(one.link)}</guid>\n"
        f"<pubDate>{format_datetime(one.written)}</pubDate>\n<description>{escape(_markup(one))}</description>\n</item>"
        for one in entries
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>\n<title>{escape(title)}</title>\n'
        f"<link>https://example.org/</link>\n<description>{escape(about)}</description>\n"
        f"<pubDate>{format_datetime(written)}</pubDate>\n{items}\n</channel></rss>\n"
    )


def atom(title: str, about: str, written: datetime, entries: Sequence[Entry]) -> str:
    """Return a feed in Atom 1.0."""
    items = "\n".join(
        f"<entry>\n<title>{escape(one.title)}</title>\n<link href={quoteattr(one.link)}/>\n<id>{escape(one.link)}</id>\n"
        f'<updated>{one.written.isoformat()}</updated>\n<content type="html">{escape(_markup(one))}</content>\n</entry>'
        for one in entries
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n<title>{escape(title)}</title>\n'
        f"<subtitle>{escape(about)}</subtitle>\n<id>https://example.org/</id>\n<updated>{written.isoformat()}</updated>\n"
        f"{items}\n</feed>\n"
    )


def _truth(words: Words, write: Callable[[str, str, datetime, Sequence[Entry]], str]) -> Truth:
    title, about, written = words.heading(), words.line(5), moment(words)
    entries = make_entries(words, words.dice.randint(4, 7))
    text = " ".join((title, about, *(part for one in entries for part in (one.title, *one.paragraphs))))
    links = [one.link for one in entries]
    dates = words_of_moments([written, *(one.written for one in entries)])
    allowed = (*_LABELS, "org", *words_of_targets(links), *dates)
    return (
        write(title, about, written, entries).encode(),
        "whole",
        [text],
        {"allowed": allowed, "date": written.isoformat(), "addresses": tuple(links)},
    )


FEEDS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "atom/dated.atom": (ATOM_TYPE, partial(_truth, write=atom)),
    "rss/dated.rss": (RSS_TYPE, partial(_truth, write=rss)),
}
"""Path → media type, and the function that makes the document."""
