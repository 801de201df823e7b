"""HTML and e-books: hidden elements apart, pipes of table cells kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from octavo_contracts import ConversionWarning, DocumentMetadata, HiddenText

from .engine import run_engine
from .formats import Format
from .office_package import OfficePackage
from .pages import Reading
from .pipe_tables import PIPE_STAND_IN
from .text_input import decode

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

Why = Literal["hidden_style", "tiny", "off_page", "white"]

_STYLES: tuple[tuple[Why, re.Pattern[str]], ...] = (
    ("hidden_style", re.compile(r"(?:^|;)(?:display:none|visibility:hidden|opacity:0(?:\.0+)?(?![.\d]))")),
    ("tiny", re.compile(r"(?:^|;)font-size:0*[01]?(?:\.\d+)?(?:px|pt|em|rem|%)?(?=;|!|$)(?<!1em)(?<!1rem)")),
    ("off_page", re.compile(r"(?:^|;)(?:left|top|right|text-indent|margin-left|margin-top):-\d{3,}")),
)
_WHITE = re.compile(r"(?:^|;)color:(?:#fff(?:fff)?|white|rgb\(255,255,255\))(?=;|!|$)")
_BACKED = re.compile(r"background")


def read_web(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert an HTML page. What its own markup hides goes to the hidden text."""
    text, warnings = decode(data)
    markup, hidden = prune(text)
    result = run_engine(markup.encode("utf-8", "replace"), form=form, media_type=media_type, charset="utf-8")
    return Reading(
        markdown=result.markdown,
        title=result.title,
        metadata=_page_metadata(text),
        hidden_text=hidden,
        warnings=(*warnings, *result.warnings),
    )


def read_book(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert an EPUB: its chapters in reading order, hidden elements apart.

    Raises:
        SourceCorrupt, ContentTooLarge: see `OfficePackage`.
    """
    package = OfficePackage(data)
    hidden: list[HiddenText] = []
    warnings: list[ConversionWarning] = []
    changed: dict[str, bytes] = {}
    for name in package.names():
        if name.lower().endswith((".xhtml", ".html", ".htm")):
            text, decoding = decode(package.read(name))
            markup, found = prune(text)
            warnings += decoding
            hidden += found
            if markup != text or decoding:
                changed[name] = markup.encode("utf-8", "replace")
    result = run_engine(package.rewritten(changed), form=form, media_type=media_type)
    return Reading(
        markdown=result.markdown,
        title=result.title,
        hidden_text=tuple(hidden),
        warnings=(*warnings, *result.warnings),
        has_images="![" in result.markdown,
    )


def prune(markup: str) -> tuple[str, tuple[HiddenText, ...]]:
    """Take hidden elements out of HTML.

    An element is hidden by its `hidden` attribute or its own `style`: not displayed, invisible, of size 0 or 1, far
    off the page, or white with no background on it or around it. Rules of style sheets are not applied.

    Returns:
        The markup, unchanged where there is nothing to take out, and the hidden texts.
    """
    if "hidden" not in markup and "style" not in markup and "|" not in markup and "<img" not in markup.lower():
        return markup, ()
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(markup, "html.parser")
    hidden: list[HiddenText] = []
    changed = False
    for element in soup.find_all(True):
        why = None if element.decomposed else _hidden_by(element)
        if why is None:
            continue
        text = " ".join(f"{element.get_text(' ')} {element.get('alt') or ''}".split())
        element.decompose()
        changed = True
        if text:
            hidden.append(HiddenText(text=text, why=why))
    changed = _stand_in_for_pipes(soup) or changed
    return (str(soup) if changed else markup), tuple(hidden)


def _hidden_by(element: Tag) -> Why | None:
    if element.name in ("html", "head", "body", "script", "style", "title", "meta", "link"):
        return None
    if element.has_attr("hidden"):
        return "hidden_style"
    if element.name == "img" and {str(element.get("width")), str(element.get("height"))} <= {"0", "1"}:
        return "tiny"
    style = re.sub(r"\s+", "", str(element.get("style") or "")).lower()
    if not style:
        return None
    for why, pattern in _STYLES:
        if pattern.search(style):
            return why
    return "white" if _WHITE.search(style) and not _has_background(element) else None


def _has_background(element: Tag) -> bool:
    """Whether the element, or one around it, says or may say what is behind it."""
    return any(
        _BACKED.search(str(one.get("style") or "")) or one.has_attr("bgcolor") or one.has_attr("class")
        for one in (element, *element.parents)
    )


def _stand_in_for_pipes(soup: BeautifulSoup) -> bool:
    found = [
        text
        for cell in soup.find_all(["td", "th"])
        for text in cell.find_all(string=re.compile(r"\|"))
        if text.find_parent(["script", "style"]) is None
    ]
    for text in found:
        text.replace_with(str(text).replace("|", PIPE_STAND_IN))
    return bool(found)


def _page_metadata(markup: str) -> DocumentMetadata:
    match = re.search(r"<html[^>]{0,400}?\slang=[\"']?([A-Za-z0-9-]{2,35})", markup[:4096])
    return DocumentMetadata(language=match.group(1) if match else None)
