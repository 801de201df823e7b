"""Converts feeds (RSS 0.9 to 2.0, Atom): the feed's heading, then its entries with title, link, date, people and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.etree.ElementTree import Element, tostring

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, DocumentMetadata, Page, SourceCorrupt, Table
from octavo_contracts.authoring import collapse, escape, escape_line_starts, markdown

from .html_text import HtmlText, html_to_markdown, plain_text_of
from .xml_tree import local_name, parse_xml

_ENTRIES = ("item", "entry")
_TITLES, _DATES = ("title",), ("pubdate", "published", "date", "updated", "lastbuilddate", "modified", "issued")
_PEOPLE = ("author", "creator", "contributor", "managingeditor")
_TEXTS = ("description", "summary", "subtitle", "tagline", "content", "encoded")
_SILENT_NAMES = (
    "guid id docs generator ttl cloud skiphours skipdays self image textinput items li seq logo icon thumbnail rating language "
    "updateperiod updatefrequency updatebase webmaster"
)
_SILENT = frozenset(_SILENT_NAMES.split())
"""Elements that serve feed readers and say nothing to people."""
_TOLD = frozenset((*_TITLES, *_DATES, *_PEOPLE, *_TEXTS, *_ENTRIES, *_SILENT, "link", "category", "subject", "channel"))
"""Elements that stand elsewhere than among the labelled lines, or nowhere."""


def read_feed(text: str, *, name: str) -> Conversion:
    """A feed as one whole.

    Args:
        text: the decoded file.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: the file is no XML, or no feed.
    """
    tree = parse_xml(text)
    if tree is None:
        raise SourceCorrupt("the feed is not well-formed XML", source=name, plugin="plaintext")
    root = tree.root
    channel = next((child for child in root if local_name(child) == "channel"), root)
    entries = [
        child for owner in dict.fromkeys((root, channel)) for child in owner if local_name(child).lower() in _ENTRIES
    ]
    writer = _Writer()
    blocks = writer.blocks(channel, level=1)
    for entry in entries:
        blocks += writer.blocks(entry, level=2)
    warnings = []
    if tree.mended:
        message = (
            "The feed is not well-formed XML; loose ampersands, unknown entities or control characters were mended."
        )
        warnings.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=message))
    title = _plain(_first(channel, _TITLES))
    metadata = DocumentMetadata(
        title=title or None,
        author=_person(_first(channel, _PEOPLE)) or None,
        date=_moment(_plain(_first(channel, _DATES))),
        language=_language(channel, root),
        fields={"entries": len(entries)},
    )
    page = Page(number=1, kind="whole", markdown="\n\n".join(blocks), tables=tuple(writer.tables))
    return Conversion(pages=(page,), paginated=False, metadata=metadata, warnings=tuple(warnings))


class _Writer:
    def __init__(self) -> None:
        self.tables: list[Table] = []

    def blocks(self, element: Element, *, level: int) -> list[str]:
        """A feed's or an entry's heading, what is known of it, and its text."""
        title, link = _plain(_first(element, _TITLES)), _link(element)
        heading = escape(title) or (escape(link) if level > 1 else "")
        linked = markdown.link(heading, link) if link and heading else heading
        # A rule parts an entry without a heading from the one before it.
        blocks = [f"{'#' * level} {linked}"] if heading else ["---"] if level > 1 else []
        known = list(_known(element))
        if known:
            blocks.append("\\\n".join(f"{label}: {text}" for label, text in known))
        blocks += self._texts(element)
        return blocks

    def _texts(self, element: Element) -> list[str]:
        """The description and the content; one that begins the other is not repeated."""
        found: list[str] = []
        for child in element:
            if local_name(child).lower() not in _TEXTS:
                continue
            read = self._text(child)
            if read.markdown and not any(_says(read.markdown, other) for other in found):
                found = [other for other in found if not _says(other, read.markdown)] + [read.markdown]
                self.tables += read.tables
        return found

    def _text(self, element: Element) -> HtmlText:
        """Text, HTML that is escaped, or XHTML that stands in the feed itself."""
        if len(element):
            return html_to_markdown("".join([element.text or "", *(_markup(child) for child in element)]))
        text = element.text or ""
        if element.get("type", "").lower() in {"text", "text/plain"} or not re.search(r"<\w|&\w+;|&#", text):
            return HtmlText(escape_line_starts(escape(text.strip())), (), ())
        return html_to_markdown(text)


def _known(element: Element) -> Iterator[tuple[str, str]]:
    """Date, people, categories, files and all other short texts, labelled."""
    date = _plain(_first(element, _DATES))
    if date:
        yield "Date", escape(_moment(date) or date)
    people = list(dict.fromkeys(filter(None, (_person(one) for one in _all(element, _PEOPLE)))))
    if people:
        yield "By", escape(", ".join(people))
    categories = [
        _plain(one) or one.get("label") or one.get("term") or "" for one in _all(element, ("category", "subject"))
    ]
    if any(categories):
        yield "Categories", escape(", ".join(filter(None, categories)))
    for child in element:
        name = local_name(child).lower()
        url = child.get("url") or (child.get("href") if child.get("rel") in {"enclosure", "related", "via"} else None)
        if url and name in {"enclosure", "content", "link"}:
            yield "File" if name != "link" or child.get("rel") == "enclosure" else "See", f"<{url}>"
        elif name not in _TOLD and not len(child) and (text := _plain(child)):
            yield local_name(child), escape(text)


def _all(element: Element, names: tuple[str, ...]) -> list[Element]:
    return [child for name in names for child in element if local_name(child).lower() == name]


def _first(element: Element, names: tuple[str, ...]) -> Element | None:
    return next(iter(_all(element, names)), None)


def _plain(element: Element | None) -> str:
    """An element's text on one line; markup that is escaped in it is taken off."""
    if element is None:
        return ""
    text = "".join(element.itertext())
    if re.search(r"</?\w[^>]*>|&\w+;|&#", text):
        text = plain_text_of(text)
    return collapse(text).strip()


def _person(element: Element | None) -> str:
    if element is None:
        return ""
    named = _first(element, ("name",))
    return _plain(named if named is not None else element)


def _link(element: Element) -> str:
    """The page that a feed or an entry leads to."""
    links = _all(element, ("link",))
    for link in links:
        if (target := link.get("href")) and link.get("rel", "alternate") == "alternate":
            return target.strip()
    return next((text for link in links if (text := (link.text or "").strip())), "")


def _moment(text: str) -> str | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text.strip()).isoformat()
        except (ValueError, TypeError, IndexError):
            continue
    return None


def _language(*elements: Element) -> str | None:
    for element in elements:
        value = _plain(_first(element, ("language",))) or element.get("{http://www.w3.org/XML/1998/namespace}lang", "")
        if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", value):
            return value
    return None


def _markup(element: Element) -> str:
    """XHTML as HTML: without the prefixes of its namespace."""
    return re.sub(r"(</?)\w+:", r"\1", tostring(element, encoding="unicode"))


def _says(text: str, other: str) -> bool:
    """Whether another text says all that a text says, but for the mark of a cut."""
    short = collapse(text).strip().rstrip(".…\\[] ")
    return short in collapse(other)
