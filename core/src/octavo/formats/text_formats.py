"""Detects whether bytes are text, its encoding, and the text format."""

from __future__ import annotations

import codecs
import re

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b\x08")) + b"\x7f"
_CONTROL_SHARE = 0.02
_CONTROL_SHARE_NAMED = 0.10

_HTML_ROOT = re.compile(r"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"<(?:head|body|title|meta|link|script|style|div|p|table|ul|ol|h[1-6]|span|section|article|main|header|nav|form|center|font|a|b|i|br|hr)[\s/>]",
    re.IGNORECASE,
)
_PROLOG = re.compile(r"(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->).)*+-->)*+", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]+)([^\[>]*)(?:\[[^\]]*\]\s*)?>?", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w:.-]*)")
_JSON = re.compile(r'\s*+(?:\{\s*+(?:"|\})|\[\s*+(?:\[\s*+)*+(?:\{\s*"|"[^"]*"\s*+[,\]]|-?\d+(?:\.\d+)?\s*+,|\]))')
_NOTEBOOK = re.compile(r'"(?:nbformat|cell_type)"\s*:')
_SRT = re.compile(r"\s*\d+\r?\n\d\d:\d\d:\d\d[,.]\d{3} +--> +\d\d:")
_MBOX = re.compile(r"From \S+ .*\b\d{2}:\d{2}(?::\d{2})?\b.*\d{4}\r?\n[A-Za-z-]+:")
_TEX = re.compile(r"(?:\s++|%[^\n]*+(?:\n|\Z))*+\\document(?:class|style)\s*+[\[{]")
_ORG = re.compile(r"#\+(?:title|author|date|options|startup):", re.IGNORECASE)
_JATS, _DOCBOOK = "application/jats+xml", "application/docbook+xml"
_TELLING_ROOTS = {"fictionbook": "application/x-fictionbook+xml", "opml": "text/x-opml+xml"}
"""Root element names that identify their format uniquely."""
_ATOM, _RSS_1 = "http://www.w3.org/2005/Atom", "http://purl.org/rss/1.0/"
_XML_EXTENSIONS = frozenset({".xml", ".rss", ".atom", ".nxml", ".svg", ".dbk", ".docbook", ".fb2", ".opml"})
_TAG_CHARS = 2000
"""Number of characters after a root's name in which its namespace is searched."""
_DOCBOOK_ROOTS = frozenset({"article", "book", "chapter", "section", "part", "refentry", "set", "preface", "appendix"})
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?:[ \t]|\r?$)")
_HUMAN_HEADERS = frozenset({"from", "to", "cc", "bcc", "subject", "date", "reply-to", "sender"})
_MACHINE_HEADERS = frozenset(
    {
        "received",
        "message-id",
        "mime-version",
        "return-path",
        "delivered-to",
        "dkim-signature",
        "content-type",
        "content-transfer-encoding",
        "in-reply-to",
        "references",
        "x-mailer",
        "x-original-to",
        "authentication-results",
    }
)


def decode_head(head: bytes, *, named_text: bool) -> str | None:
    """Decode the head as text; return None if the bytes are not text.

    Args:
        head: the first bytes; they may end inside a character.
        named_text: whether the name has a text extension, which allows more stray control characters.

    Returns:
        Text for detection only: if the encoding is unknown, the bytes are decoded as Latin-1.
    """
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return codecs.getincrementaldecoder(encoding)("replace").decode(head)
    if wide := _utf16_without_mark(head):
        return codecs.getincrementaldecoder(wide)("replace").decode(head)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > len(head) * (_CONTROL_SHARE_NAMED if named_text else _CONTROL_SHARE):
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return head.decode("latin-1")


def text_format(text: str, *, extension: str, named: str | None) -> str:
    """Return the media type of a text.

    The content decides for HTML, XML, JSON, mail, subtitles, and LaTeX and Org with an identifying first line; the name
    decides among formats that look alike (markdown, CSV, reStructuredText, wiki text, plain text).

    Args:
        text: the decoded head.
        extension: lower case with the dot, or ''.
        named: media type of the extension if that is a text format, else None.
    """
    body = text.lstrip("\ufeff \t\r\n")
    if body.startswith("WEBVTT"):
        return "text/vtt"
    if _SRT.match(text):
        return "application/x-subrip"
    if found := _markup(body, extension=extension, named=named):
        return found
    if found := _marked_up(body, named=named):
        return found
    if _looks_like_json(body, extension=extension):
        return "application/x-ipynb+json" if extension == ".ipynb" or _NOTEBOOK.search(text) else "application/json"
    if _MBOX.match(body) and extension != ".eml":
        return "application/mbox"
    if _is_mail(body, extension=extension):
        return "message/rfc822"
    return named or "text/plain"


def _utf16_without_mark(head: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark: in mostly Latin text nearly every second byte is zero."""
    pairs = len(head) // 2
    if pairs < 4:
        return None
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if odd > pairs * 0.7 and even < pairs * 0.05:
        return "utf-16-le"
    if even > pairs * 0.7 and odd < pairs * 0.05:
        return "utf-16-be"
    return None


def _markup(body: str, *, extension: str, named: str | None) -> str | None:
    if not body.startswith("<"):
        # Pages with text or template remnants before the root are still HTML, unless the name says otherwise.
        return "text/html" if named in {None, "text/html"} and _HTML_ROOT.search(body) else None
    start = _PROLOG.match(body)
    rest = body[start.end() :] if start else body
    doctype = _DOCTYPE.match(rest)
    root = _ROOT.search(rest, doctype.end() if doctype else 0)
    root_name = root.group(1).rpartition(":")[2].lower() if root else ""
    if _HTML_ROOT.match(rest) or root_name == "html" or (doctype and doctype.group(1).lower() == "html"):
        return "text/html"
    if root_name == "svg" or (doctype and doctype.group(1).lower() == "svg"):
        return "image/svg+xml"
    if feed := _feed_format(root, rest):
        return feed
    if named in {None, "text/html"} and _is_html_of_another_doctype(rest, doctype, root):
        return "text/html"
    if (
        body.startswith("<?xml")
        or doctype
        or extension in _XML_EXTENSIONS
        or (named is None and root_name in _TELLING_ROOTS)
    ):
        return _xml_format(rest, root, doctype, named=named)
    if named in {None, "text/html"} and (_HTML_ROOT.search(rest) or _HTML_TAG.match(rest)):
        return "text/html"
    return None


def _is_html_of_another_doctype(rest: str, doctype: re.Match[str] | None, root: re.Match[str] | None) -> bool:
    """Return whether elements of HTML follow a document type that is not theirs, as in the bookmarks of browsers.

    The document type of XML names the root element.
    """
    if doctype is None or root is None or doctype.group(1).lower() == root.group(1).lower():
        return False
    return _HTML_TAG.match(rest, root.start()) is not None


def _feed_format(root: re.Match[str] | None, rest: str) -> str | None:
    """Return the type of a feed by its root element, with or without a declaration, whatever the file's name."""
    name = root.group(1).rpartition(":")[2].lower() if root else ""
    tag = rest[root.start() : root.end() + _TAG_CHARS].partition(">")[0] if root else ""
    if (name == "rss" and "version" in tag) or (name == "rdf" and _RSS_1 in tag):
        return "application/rss+xml"
    return "application/atom+xml" if name == "feed" and _ATOM in tag else None


def _xml_format(rest: str, root: re.Match[str] | None, doctype: re.Match[str] | None, *, named: str | None) -> str:
    """Return the XML format by root element, its namespace and the document type; by the name if ambiguous."""
    prefix, _, name = (root.group(1) if root else "").rpartition(":")
    name = name.lower()
    if name in _TELLING_ROOTS and not prefix:
        return _TELLING_ROOTS[name]
    tag = rest[root.start() : root.end() + _TAG_CHARS].partition(">")[0] if root else ""
    external_id = doctype.group(2) if doctype else ""
    own = re.escape(f"xmlns:{prefix}" if prefix else "xmlns")
    in_docbook = re.search(rf"""\s{own}\s*=\s*["']http://docbook\.org/ns/docbook""", tag)
    if name in _DOCBOOK_ROOTS and (in_docbook or "//DTD DocBook" in external_id):
        return _DOCBOOK
    if name == "article" and re.search("JATS|NLM|journal", external_id, re.IGNORECASE):
        return _JATS
    if named == _JATS or (named == _DOCBOOK and name in _DOCBOOK_ROOTS):
        return named
    return "application/xml"


def _marked_up(body: str, *, named: str | None) -> str | None:
    """Detect LaTeX and Org by their first command, unless the name has the extension of another text format."""
    if named in {None, "text/plain", "application/x-tex"} and _TEX.match(body):
        return "application/x-tex"
    return "text/x-org" if named in {None, "text/plain"} and _ORG.match(body) else None


def _looks_like_json(body: str, *, extension: str) -> bool:
    if extension in {".json", ".ipynb"}:
        return body[:1] in {"{", "["}
    # Markdown may begin with a bracket; a file with a markdown or CSV name keeps its type.
    return extension in {"", ".txt", ".bin", ".dat"} and _JSON.match(body) is not None


def _is_mail(body: str, *, extension: str) -> bool:
    human: set[str] = set()
    machine: set[str] = set()
    lines = body.split("\n")
    if lines[0].startswith(("From ", ">From ")):
        del lines[0]
    for line in lines[:200]:
        if line[:1] in {" ", "\t"} and (human or machine):
            continue
        match = _HEADER.match(line)
        if match is None:
            break
        name = match.group(1).lower()
        if name in _HUMAN_HEADERS:
            human.add(name)
        elif name in _MACHINE_HEADERS:
            machine.add(name)
    if extension == ".eml":
        return bool(human or machine)
    # A memo also begins with From, To and Subject; only mail programs write the other headers.
    return bool(machine) and len(human) + len(machine) >= 3
