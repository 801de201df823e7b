"""Fresh documents in XML that end too early: a download that broke off, a disk that was full."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from .feeds import ATOM_TYPE, RSS_TYPE, atom, make_entries, rss
from .model import GoldenVector
from .once import generated_once
from .sheaf_bytes import SHEAF, enclosed, sheaf
from .words import Words
from .xml_documents import XML_TYPE
from .zoned_dates import moment

_WORD = r"\w+\W+\w{2}"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FORMS: dict[str, tuple[str, str, str]] = {
    "application/jats+xml": (
        "<article><front><article-meta><title-group><article-title>{0}</article-title></title-group></article-meta></front><body>\n",
        "<p>{0}</p>\n",
        "</body></article>\n",
    ),
    "application/docbook+xml": (
        '<article xmlns="http://docbook.org/ns/docbook" version="5.0"><title>{0}</title>\n',
        "<para>{0}</para>\n",
        "</article>\n",
    ),
    "application/x-fictionbook+xml": (
        '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><book-title>{0}</book-title>'
        "</title-info></description><body><section>\n",
        "<p>{0}</p>\n",
        "</section></body></FictionBook>\n",
    ),
    "text/x-opml+xml": (
        '<opml version="2.0"><head><title>{0}</title></head><body>\n',
        '<outline text="{0}"/>\n',
        "</body></opml>\n",
    ),
    XML_TYPE: ("<a><b>{0}</b>\n", "<c>{0}</c>\n", "</a>\n"),
}
"""Media type → how its document begins with a title, what is written for each line, and how it ends."""
_FAMILIES = {
    "application/jats+xml": "nxml", "application/docbook+xml": "dbk", "application/x-fictionbook+xml": "fb2", "text/x-opml+xml": "opml",
    XML_TYPE: "xml", RSS_TYPE: "rss", ATOM_TYPE: "atom", SHEAF: "sheaf",
}  # fmt: skip


@generated_once
def make_cut_off(seed: int, media_types: Sequence[str]) -> list[GoldenVector]:
    """Make for each format documents of which the end is missing; the expected page has the words of the whole one.

    One ends within a word, one within a tag, one behind an element, and one, of some hundred lines, within a word. What is left is
    more than half.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, family in _FAMILIES.items():
        if media_type not in media_types:
            continue
        for name, within, times in (
            ("word", _WORD, 1),
            ("tag", "</?[a-z]", 1),
            ("element", ">", 1),
            ("long", _WORD, 12),
        ):
            text, whole = _whole(words, media_type, times=times)
            data = _cut_sheaf(text, words) if media_type == SHEAF else _cut(text, within, words).encode()
            made.append(
                GoldenVector.of(
                    f"{family}/cut-{name}-fresh.{family}",
                    media_type,
                    data,
                    about="A document of which the end is missing.",
                    kind=None,
                    pages=(whole,),
                )
            )
    return made


def _whole(words: Words, media_type: str, *, times: int) -> tuple[str, str]:
    """Return a document, and its words; `times`: how much longer it is than a short one."""
    if media_type in (RSS_TYPE, ATOM_TYPE):
        write: Callable[..., str] = rss if media_type == RSS_TYPE else atom
        entries = make_entries(words, times * words.dice.randint(5, 9))
        told = " ".join(part for one in entries for part in (one.title, *one.paragraphs))
        return write(words.heading(), words.line(4), moment(words), entries), told
    title, lines = words.heading(), [words.line(7) for _ in range(times * words.dice.randint(16, 30))]
    told = " ".join((title, *lines))
    if media_type == SHEAF:
        return json.loads(sheaf(pages=[{"blocks": [["p", line] for line in (title, *lines)]}]))["body"], told
    begin, each, end = _FORMS[media_type]
    return _HEAD + begin.format(title) + "".join(each.format(line) for line in lines) + end, told


def _cut(text: str, within: str, words: Words) -> str:
    """Return the beginning of a text, up to a match of a pattern in its second half."""
    places = [found.end() for found in re.finditer(within, text) if len(text) // 2 < found.end() < len(text) * 9 // 10]
    return text[: words.dice.choice(places)]


def _cut_sheaf(body: str, words: Words) -> bytes:
    """Return a sheaf of which the body ends behind a block, with the checksum of what is left."""
    return enclosed(_cut(body, r"\]", words))
