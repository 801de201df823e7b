"""Call trafilatura, and turn the tree it returns back into the HTML elements that `body` renders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lxml import etree, html
from octavo_contracts import DocumentMetadata, ToolUnavailable
from octavo_contracts.authoring.quiet_imports import without_ipv6_probe

MAX_JSON_LD = 1_000_000
"""Longest JSON-LD script that is read for metadata, in characters."""

MAX_JSON_DEPTH = 50
"""Deepest JSON-LD that is read; the parser behind it is recursive."""

DATE_OPTIONS = {"original_date": True, "extensive_search": False, "max_date": "2099-12-31"}
"""Without a fixed last date, the date found would depend on the day of the conversion."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_HI = {"#b": "b", "#i": "i", "#t": "code", "#u": "u", "#sub": "sub", "#sup": "sup"}
_PLAIN = {
    "ref": "a",
    "del": "del",
    "ab": "div",
    "item": "li",
    "row": "tr",
    "quote": "blockquote",
    "lb": "br",
    "head": "h2",
    "graphic": "img",
}


ANY_MARK = re.compile("[\U000e0100-\U000e01ef]+")
"""The marks of `main_content`; they are no part of a title or a name."""


class Extract(NamedTuple):
    """What trafilatura found.

    Attributes:
        body: the main content as an HTML `div`; empty where there was none.
        metadata: what the page says of itself.
    """

    body: html.HtmlElement
    metadata: DocumentMetadata


class ExtractionFailed(Exception):
    """trafilatura stumbled over this tree; the page can still be read without it."""


def require_engine() -> str:
    """The engine's version.

    Raises:
        ToolUnavailable: trafilatura, or a library it needs, cannot be imported.
    """
    try:
        with without_ipv6_probe():
            import trafilatura
    except ImportError as error:
        raise ToolUnavailable(
            f"trafilatura cannot be imported: {error}",
            plugin="trafilatura",
            remedy="Run: pip install 'trafilatura>=2.3,<3' 'lxml_html_clean>=0.4.6'",
        ) from error
    return str(trafilatura.__version__)


def extract(root: html.HtmlElement) -> Extract:
    """Find the main content and the metadata of a page.

    Args:
        root: the page's `html` element, hidden elements removed; not changed.

    Raises:
        ExtractionFailed: trafilatura raised; it has no exception class of its own.
    """
    from trafilatura import bare_extraction

    _drop_hostile_json(root)
    try:
        document: Any = bare_extraction(
            root,
            with_metadata=True,
            include_comments=False,
            include_tables=True,
            include_formatting=True,
            include_links=True,
            date_extraction_params=dict(DATE_OPTIONS),
        )
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
        etree.LxmlError,
    ) as error:
        raise ExtractionFailed(f"{type(error).__name__}: {error}") from error
    if document is None or document.body is None:
        return Extract(html.Element("div"), _metadata(document, root))
    return Extract(_as_html(document.body), _metadata(document, root))


def page_metadata(root: html.HtmlElement) -> DocumentMetadata:
    """Title and language, read without trafilatura."""
    return _metadata(None, root)


def _metadata(document: Any, root: html.HtmlElement) -> DocumentMetadata:
    fields: dict[str, Any] = {}
    for name in ("url", "hostname", "description", "pagetype", "license", "image"):
        if value := _line(getattr(document, name, None)):
            fields[name] = value
    for name in ("categories", "tags"):
        if values := [line for value in getattr(document, name, None) or [] if (line := _line(value))]:
            fields[name] = values
    date = _line(getattr(document, "date", None))
    return DocumentMetadata(
        title=_line(getattr(document, "title", None)) or _line(root.findtext(".//title")),
        author=_line(getattr(document, "author", None)),
        date=date if date and re.match(r"\d{4}-\d\d-\d\d", date) else None,
        source=_line(getattr(document, "sitename", None)),
        language=_language(root),
        fields=fields,
    )


def _language(root: html.HtmlElement) -> str | None:
    """The page's own word for its language: the `lang` attribute, else the header or Open Graph form of it."""
    said = [root.get("lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"), root.get("xml:lang")]
    said += root.xpath("//meta[translate(@http-equiv,'CLNT','clnt')='content-language']/@content")
    said += root.xpath("//meta[@property='og:locale']/@content")
    for value in said:
        tag = (value or "").strip().replace("_", "-")
        if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", tag):
            return tag
    return None


def _line(value: object) -> str | None:
    return " ".join(ANY_MARK.sub("", value).split()) or None if isinstance(value, str) else None


def _drop_hostile_json(root: html.HtmlElement) -> None:
    for script in root.xpath("//script[contains(@type, 'json')]"):
        text = script.text or ""
        if len(text) > MAX_JSON_LD or _nesting(text) > MAX_JSON_DEPTH:
            script.drop_tree()


def _nesting(text: str) -> int:
    """Brackets open at once, at most; those in strings count too, which can only make it careful."""
    deepest = depth = 0
    for sign in re.findall(r"[\[\]{}]", text):
        depth += 1 if sign in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _as_html(body: etree._Element) -> html.HtmlElement:
    """Rebuild trafilatura's tree with HTML's names, so that one renderer serves both ways through a page."""
    target = html.Element("div")
    target.text = body.text
    for child in body:
        target.append(_element(child))
    return target


def _element(source: etree._Element) -> html.HtmlElement:
    tag = _html_name(source)
    target = html.Element(tag)
    if tag == "a":
        target.set("href", source.get("target") or "")
    target.text, target.tail = source.text, source.tail
    if tag in {"pre", "code"} and len(source):
        target.text = "".join(_code_lines(source))
        return target
    for child in source:
        if isinstance(child.tag, str):
            target.append(_element(child))
    return target


def _html_name(source: etree._Element) -> str:
    rend = source.get("rend") or ""
    match source.tag:
        case "head":
            return rend if rend in _HEADINGS else "h2"
        case "list":
            return rend if rend in {"ol", "ul"} else "ul"
        case "hi":
            return _HI.get(rend, "span")
        case "cell":
            return "th" if source.get("role") == "head" else "td"
        case "code":
            return "pre" if "\n" in "".join(_code_lines(source)) else "code"
        case "p" | "table" | "div" | "span":
            return str(source.tag)
        case _:
            return _PLAIN.get(str(source.tag), "span")


def _code_lines(source: etree._Element) -> Iterator[str]:
    """The text of a code block in document order; trafilatura keeps line ends as `lb` elements."""
    yield source.text or ""
    for child in source:
        yield "\n" if child.tag == "lb" else "".join(_code_lines(child))
        yield child.tail or ""
