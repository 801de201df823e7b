"""Prepares HTML for Docling: separates hidden elements and reads the page's metadata."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from octavo_contracts import ContentTooLarge, DocumentMetadata, HiddenText, SourceCorrupt, ToolUnavailable

from .engine import INSTALL, PLUGIN

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

Why = Literal["hidden_style", "tiny", "off_page", "white"]

FAR: Final = -500.0
"""An offset in pixels, or any other unit, that takes an element off the page."""
TINY: Final = {"px": 1.0, "pt": 1.0, "": 0.0, "em": 0.1, "rem": 0.1, "%": 10.0}
"""Font sizes up to which text cannot be read, by unit."""

KEPT: Final = "\u00ad\u200b\u200c\u200d\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201c\u201d\u2026\u202f\u2060"
"""Dashes, quotation marks and signs without width, which Docling drops or writes in ASCII."""
FIRST_STAND_IN: Final = 0xE8F0
"""The first of the characters for private use that stand for them while Docling reads."""

DEEPEST: Final = 500
"""Elements of one name inside each other: parsers take time by the square of it, and Docling recurses."""

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9:-]{0,40})")
_UNCLOSED = frozenset(
    b"area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr wbr".split()
)
"""Elements whose end may be left out, or that have none."""
_LENGTH = re.compile(r"(-?\d*\.?\d+)(px|pt|em|rem|%|)")
_OFFSETS = ("left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top")
_WHITES = ("#fff", "#ffffff", "white", "rgb(255,255,255)")
_NEVER_SHOWN = ("html", "head", "body", "script", "style", "title", "meta", "link", "template", "noscript")


@dataclass(frozen=True, kw_only=True)
class WebPage:
    """A page ready for Docling.

    Attributes:
        data: the markup in UTF-8, without its hidden elements.
        hidden: what they say.
        metadata: title, author, date and language.
    """

    data: bytes
    hidden: tuple[HiddenText, ...]
    metadata: DocumentMetadata


def prepare(data: bytes) -> WebPage:
    """Take hidden elements out of HTML.

    An element is hidden by its `hidden` attribute or its own `style`: not displayed, invisible, too small, far off the
    page, or white with no background on it or around it. Rules of style sheets are not applied.

    Raises:
        ContentTooLarge: its elements are nested too deeply.
        SourceCorrupt: the markup cannot be parsed.
        ToolUnavailable: Beautiful Soup is not installed.
    """
    _refuse_depth(data)
    try:
        from bs4 import BeautifulSoup
        from bs4.exceptions import ParserRejectedMarkup
    except ImportError as error:
        raise ToolUnavailable(f"bs4 cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    try:
        soup = BeautifulSoup(data, "html.parser")
    except ParserRejectedMarkup as error:
        raise SourceCorrupt(f"the markup cannot be parsed: {error}", plugin=PLUGIN) from error
    hidden = []
    for element in soup.find_all(True):
        why = None if element.decomposed else _hidden_by(element)
        if why is None:
            continue
        text = " ".join(f"{element.get_text(' ')} {element.get('alt') or ''}".split())
        element.decompose()
        if text:
            hidden.append(HiddenText(text=text, why=why))
    metadata = _metadata(soup)
    markup = soup.decode()
    stand_ins = {ord(sign): chr(code) for code, sign in enumerate(KEPT, start=FIRST_STAND_IN)}
    if not any(mark in markup for mark in stand_ins.values()):
        markup = markup.translate(stand_ins)
    return WebPage(data=_in_utf_8(markup), hidden=tuple(hidden), metadata=metadata)


def _refuse_depth(data: bytes) -> None:
    """Refuse elements of one name that are open inside each other more than `DEEPEST` times, before any parser sees them."""
    depths: Counter[bytes] = Counter()
    for match in _TAG.finditer(data):
        name = match[2].lower()
        if name in _UNCLOSED:
            continue
        depths[name] = max(0, depths[name] - 1) if match[1] else depths[name] + 1
        if depths[name] > DEEPEST:
            raise ContentTooLarge(f"more than {DEEPEST} nested elements {name.decode()!r}", plugin=PLUGIN)


def _in_utf_8(markup: str) -> bytes:
    """The bytes, begun with a mark that goes before any other encoding that the page declares."""
    return codecs.BOM_UTF8 + markup.encode("utf-8", "replace")


def restore(document: Any) -> None:
    """Put the characters of `KEPT` back into Docling's document of a page."""
    back = dict(enumerate(KEPT, start=FIRST_STAND_IN))
    for item in document.texts:
        item.text = item.text.translate(back)
    for table in document.tables:
        for cell in table.data.table_cells:
            cell.text = cell.text.translate(back)


def _hidden_by(element: Tag) -> Why | None:
    if element.name in _NEVER_SHOWN:
        return None
    if element.has_attr("hidden"):
        return "hidden_style"
    style = _declarations(str(element.get("style") or ""))
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return "hidden_style"
    if _length(style.get("opacity"))[0] == 0:
        return "hidden_style"
    size, unit = _length(style.get("font-size"))
    if size is not None and size <= TINY[unit]:
        return "tiny"
    if any((offset := _length(style.get(name))[0]) is not None and offset <= FAR for name in _OFFSETS):
        return "off_page"
    return "white" if style.get("color") in _WHITES and not _has_background(element) else None


def _declarations(style: str) -> dict[str, str]:
    """The declarations of a `style` attribute: property → value, lower case, without spaces and `!important`."""
    pairs = (part.partition(":") for part in re.sub(r"\s+", "", style).lower().split(";"))
    return {name: value.removesuffix("!important") for name, _, value in pairs}


def _length(value: str | None) -> tuple[float | None, str]:
    """Number and unit of a CSS value; None where it is something else."""
    match = _LENGTH.fullmatch(value or "")
    return (float(match.group(1)), match.group(2)) if match else (None, "")


def _has_background(element: Tag) -> bool:
    """Return whether the element or an ancestor sets, or may set, a background."""
    return any(
        "background" in str(one.get("style") or "").lower() or one.has_attr("bgcolor") or one.has_attr("class")
        for one in (element, *element.parents)
    )


def _metadata(soup: BeautifulSoup) -> DocumentMetadata:
    said = {
        str(meta.get("name") or meta.get("property") or "").lower(): " ".join(str(meta.get("content") or "").split())
        for meta in soup.find_all("meta")
    }
    title = " ".join(soup.title.get_text().split()) if soup.title is not None else ""
    root = soup.find("html")
    language = str(root.get("lang") or "").strip() if root is not None else ""
    return DocumentMetadata(
        title=title or said.get("og:title") or None,
        author=said.get("author") or None,
        date=said.get("article:published_time") or said.get("date") or None,
        language=language or None,
    )
