"""Converts HTML and e-books: separates hidden elements and keeps pipes in table cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from octavo_contracts import ConversionWarning, DocumentMetadata, HiddenText, SourceCorrupt, ToolUnavailable

from .chapters import prepared, with_formulas
from .engine import INSTALL, PLUGIN, run_engine
from .formats import Format
from .html_tables import fill_row_spans, split_lists, stand_in_for_pipes, widen_heads
from .office_package import OfficePackage
from .pages import Reading
from .text_input import decode
from .underscores import with_plain_underscores

if TYPE_CHECKING:
    from bs4 import Tag

Why = Literal["hidden_style", "tiny", "off_page", "white"]

_DC = "{http://purl.org/dc/elements/1.1/}"
_LENGTH = re.compile(r"(-?\d*\.?\d+)(px|pt|em|rem|%|)")
_TINY = {"px": 1.0, "pt": 1.0, "": 0.0, "em": 0.1, "rem": 0.1, "%": 10.0}
"""Font sizes up to which text cannot be read, by unit."""
_OFFSETS = ("left", "top", "right", "bottom", "text-indent", "margin-left", "margin-top")
_FAR = -500.0
"""An offset in pixels, or any other unit, that takes an element off the page."""
_WHITES = ("#fff", "#ffffff", "white", "rgb(255,255,255)")
_WORTH_PARSING = ("hidden", "style", "|", "<img", "<table")


def read_web(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert an HTML page. What its own markup hides goes to the hidden text."""
    text, warnings = decode(data)
    markup, hidden = prune(text)
    result = run_engine(markup.encode("utf-8", "replace"), form=form, media_type=media_type, charset="utf-8")
    return Reading(
        markdown=with_plain_underscores(result.markdown),
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
    formulas: list[str] = []
    for name in package.names():
        if name.lower().endswith((".xhtml", ".html", ".htm")):
            text, decoding = decode(package.read(name))
            markup, found = prune(text)
            warnings += decoding
            if _is_cut_off(text):
                message = f"Chapter {name[:80]!r} ends in the middle; the rest of its text is missing."
                warnings.append(ConversionWarning(code="partial_conversion", message=message))
            hidden += found
            markup = prepared(markup, formulas)
            if markup != text or decoding:
                changed[name] = markup.encode("utf-8", "replace")
    result = run_engine(package.rewritten(changed), form=form, media_type=media_type)
    return Reading(
        markdown=_with_head_lines(with_formulas(with_plain_underscores(result.markdown), formulas)),
        title=result.title,
        metadata=_book_metadata(package),
        hidden_text=tuple(hidden),
        warnings=(*warnings, *result.warnings),
        has_images="![" in result.markdown,
    )


_HEAD_LINE = re.compile(r"\n(?=\*\*(?:Authors|Language|Publisher|Date|Description|Identifier):\*\* )")
"""Before a line of what the engine says of a book, which is one paragraph before the first chapter."""


def _with_head_lines(markdown: str) -> str:
    """Return the markdown of a book with a line break after each line of its head, as mails have."""
    head, blank, chapters = markdown.partition("\n\n")
    return _HEAD_LINE.sub("\\\\\n", head) + blank + chapters if head.startswith("**") else markdown


def _book_metadata(package: OfficePackage) -> DocumentMetadata:
    """Return the authors and the first language that the book's package document names."""
    container = package.tree("META-INF/container.xml")
    name = next((file.get("full-path", "") for file in container.iter("{*}rootfile")), "")
    said: dict[str, list[str]] = {"creator": [], "language": []}
    for element in package.tree(name).iter(*(f"{_DC}{field}" for field in said)):
        said[element.tag.removeprefix(_DC)] += filter(None, [" ".join((element.text or "").split())])
    return DocumentMetadata(author=", ".join(said["creator"]) or None, language=next(iter(said["language"]), None))


def _is_cut_off(text: str) -> bool:
    """Whether a chapter begins as a whole page and does not end as one: the engine reads HTML, which may end anywhere."""
    lower = text.lower()
    return "<html" in lower and "</html" not in lower


_PREPARED = re.compile(r"<(?:b|em|font|i|small|span|strong|u)\b[^<>]*>\s+</|<li\b[^<>]*\svalue=", re.IGNORECASE)
"""What the engine misreads beside the elements of `_WORTH_PARSING`: blank elements, and items with numbers of their own."""
_MENU_TAGS = ["a", "h1", "h2", "h3", "h4", "h5", "h6"]
"""Elements with the texts of a menu."""
_BLANK_TAGS = ["b", "em", "font", "i", "small", "span", "strong", "u"]
"""Elements within a line that may have nothing but white space in them."""


def prune(markup: str) -> tuple[str, tuple[HiddenText, ...]]:
    """Take hidden elements out of HTML, and make its tables ready for the engine.

    An element is hidden by its `hidden` attribute or its own `style`: not displayed, invisible, of size 0 or 1, far
    off the page, or white with no background on it or around it. Rules of style sheets are not applied.

    Returns:
        The markup, unchanged where there is nothing to do, and the hidden texts.
    """
    if not any(mark in markup.lower() for mark in _WORTH_PARSING) and not _PREPARED.search(markup):
        return markup, ()
    try:
        from bs4 import BeautifulSoup
        from bs4.exceptions import ParserRejectedMarkup
    except ImportError as error:
        raise ToolUnavailable(f"bs4 cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    try:
        soup = BeautifulSoup(markup, "html.parser")
    except ParserRejectedMarkup as error:
        raise SourceCorrupt(f"the markup cannot be parsed: {error}", plugin=PLUGIN) from error
    hidden: list[HiddenText] = []
    changed = False
    for element in soup.find_all(True):
        why = None if element.decomposed else _hidden_by(element)
        if why is None:
            continue
        text = "" if _is_menu(element) else " ".join(f"{element.get_text(' ')} {element.get('alt') or ''}".split())
        element.decompose()
        changed = True
        if text:
            hidden.append(HiddenText(text=text, why=why))
    changed = stand_in_for_pipes(soup) or changed
    changed = fill_row_spans(soup) or changed
    changed = widen_heads(soup) or changed
    changed = split_lists(soup) or changed
    for element in soup.find_all(_BLANK_TAGS):
        # The engine drops an element of nothing but white space, and joins the words on both sides.
        if not element.find(True) and (blank := element.get_text()) and not blank.strip():
            element.replace_with(blank)
            changed = True
    return (str(soup) if changed else markup), tuple(hidden)


def _is_menu(element: Tag) -> bool:
    """Return whether an element is a list of links that an e-book has for the menu of the reader's program, as most hide one."""
    return (
        element.name == "nav"
        and element.has_attr("epub:type")
        and all(text.find_parent(_MENU_TAGS) for text in element.find_all(string=True) if text.strip())
    )


def _hidden_by(element: Tag) -> Why | None:
    if element.name in ("html", "head", "body", "script", "style", "title", "meta", "link"):
        return None
    if element.has_attr("hidden"):
        return "hidden_style"
    if element.name == "img" and {str(element.get("width")), str(element.get("height"))} <= {"0", "1"}:
        return "tiny"
    style = _declarations(str(element.get("style") or ""))
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return "hidden_style"
    if _length(style.get("opacity"))[0] == 0:
        return "hidden_style"
    size, unit = _length(style.get("font-size"))
    if size is not None and size <= _TINY[unit]:
        return "tiny"
    if any((offset := _length(style.get(name))[0]) is not None and offset <= _FAR for name in _OFFSETS):
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


def _page_metadata(markup: str) -> DocumentMetadata:
    match = re.search(r"<html[^>]{0,400}?\slang=[\"']?([A-Za-z0-9-]{2,35})", markup[:4096])
    return DocumentMetadata(language=match.group(1) if match else None)
