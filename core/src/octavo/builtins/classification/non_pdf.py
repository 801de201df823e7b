"""Classifies documents other than PDF from cheap evidence: names and one part of a container, the start of a text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from octavo_contracts import SourceView

from ...formats import Detected

_PART_CAP = 1 << 19
_TEXT_CAP = 1 << 16
_SLIDES_CAP = 1 << 22
"""Bytes of slides that are searched for tables: a deck of 300 slides."""
_TAG = re.compile(r"<[^<>]*+>")
_BLOCK_END = re.compile(
    r"</(?:\w+:)?(?:p|h|tr|div|li|h[1-6]|table-row|title)>|<(?:\w+:)?br\b[^<>]{0,200}>", re.IGNORECASE
)
_RAW_TEXT = re.compile(r"<(script|style)[\s>]", re.IGNORECASE)
_PIPE_ROW = re.compile(r"^[ \t]*+(?:\|[ \t]*+)?:?-{3,}+:?[ \t]*+\|", re.MULTILINE)
_SLIDE = re.compile(r"ppt/slides/slide\d+\.xml")
_SHEET = re.compile(r"xl/(?:work|chart|dialog)sheets/sheet\d+\.(?:xml|bin)")

_SLIDE_ENTRY = re.compile(rb"<(?:\w+:)?sldId\s")
_SHEET_ENTRY = re.compile(rb"<(?:\w+:)?sheet\s")

_HTML_TABLE = re.compile(r"<(?:\w+:)?table[\s>]", re.IGNORECASE)
_HTML_ROW = re.compile(r"<(?:\w+:)?tr[\s>]", re.IGNORECASE)
_HTML_HEADING = re.compile(r"<h[1-6][\s>]|<title>", re.IGNORECASE)
_MARKDOWN_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_OFFICE_ROW = re.compile(r"<(?:w:tr|a:tr|table:table-row)[\s>]")
_OFFICE_HEADING = re.compile(
    r'<w:pStyle w:val="(?:Heading|Title)|<text:h[\s>]|<p:ph type="(?:title|ctrTitle)"', re.IGNORECASE
)

_OFFICE_TABLE = re.compile(r"<(?:w:tbl|a:tbl|table:table)[\s>]")
_FORM_FIELD = re.compile(r"<(?:w:ffData|w14:checkbox|w:dropDownList|w:comboBox|w:date|form:form)[\s/>]")
"""Matches what a reader fills in; other content controls hold a table of contents, a citation or any text."""

_MAIN_PART = {
    "wordprocessingml": "word/document.xml",
    "ms-word": "word/document.xml",
    "presentationml": "ppt/slides/slide1.xml",
    "ms-powerpoint": "ppt/slides/slide1.xml",
    "opendocument": "content.xml",
}


@dataclass(frozen=True, kw_only=True)
class Glance:
    """Evidence from a quick look at a document without pages.

    Attributes:
        text: its beginning, without markup.
        chars: characters of the whole text, estimated if only a part was read.
        page_count: slides or sheets, if they can be counted.
        has_tables: whether a table was found.
        has_charts: whether a chart was found.
        has_form_fields: whether a form field was found.
        tables: tables in the part of a web page that was read.
        table_rows: table rows in the part that was read.
        headings: headings in the part that was read.
    """

    text: str = ""
    chars: int = 0
    page_count: int | None = None
    has_tables: bool = False
    has_charts: bool = False
    has_form_fields: bool = False
    tables: int = 0
    table_rows: int = 0
    headings: int = 0


def glance(source: SourceView, detected: Detected) -> Glance:
    """Inspect a document that is neither PDF nor image nor audio.

    Raises:
        zipfile.BadZipFile, zlib.error: a container that cannot be read.
    """
    family = detected.format.family
    if family == "zip" and not detected.encrypted:
        return _glance_zip(source, detected.media_type)
    if family == "text":
        return _glance_text(source, detected.media_type)
    return Glance()


def strip_markup(markup: str) -> str:
    """Return the text of HTML or XML for inspection: block ends become line breaks, tags are removed. Linear time."""
    return unescape(_TAG.sub("", _BLOCK_END.sub("\n", _without_scripts(markup))))


def _without_scripts(markup: str) -> str:
    kept: list[str] = []
    at = 0
    while found := _RAW_TEXT.search(markup, at):
        kept.append(markup[at : found.start()])
        close = markup.find(f"</{found.group(1)}", found.end())
        if close < 0:
            return "".join(kept)
        at = close
    return "".join((*kept, markup[at:]))


def _glance_text(source: SourceView, media_type: str) -> Glance:
    with source.open() as stream:
        head = stream.read(_TEXT_CAP)
    wide = head[:2] in {b"\xff\xfe", b"\xfe\xff"}
    text = head.decode("utf-16" if wide else "utf-8", "replace")
    is_markup = media_type.endswith(("html", "xml"))
    plain = strip_markup(text) if is_markup else text
    lowered = text.lower()
    return Glance(
        text=plain,
        chars=len(plain) * source.size // max(1, len(head)),
        has_tables=media_type in {"text/csv", "text/tab-separated-values"}
        or (is_markup and ("<table" in lowered or "<table-wrap" in lowered))
        or (media_type == "text/markdown" and _PIPE_ROW.search(text) is not None),
        has_form_fields=media_type == "text/html" and ("<input" in lowered or "<textarea" in lowered),
        tables=len(_HTML_TABLE.findall(text)) if is_markup else 0,
        table_rows=len(_HTML_ROW.findall(text)) if is_markup else 0,
        headings=len((_HTML_HEADING if is_markup else _MARKDOWN_HEADING).findall(text))
        if is_markup or media_type == "text/markdown"
        else 0,
    )


def _glance_zip(source: SourceView, media_type: str) -> Glance:
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        names = archive.namelist()
        has_charts = any("/charts/chart" in name or name.endswith("chart.xml") for name in names)
        main = next((part for mark, part in _MAIN_PART.items() if mark in media_type and part in names), None)
        slides = _count(archive, names, "ppt/presentation.xml", _SLIDE_ENTRY, _SLIDE)
        sheets = _count(archive, names, "xl/workbook.xml", _SHEET_ENTRY, _SHEET)
        if main is None:
            # A workbook consists of tables; counting its text would require reading it.
            return Glance(page_count=sheets or None, has_tables=sheets > 0, has_charts=has_charts)
        size = archive.getinfo(main).file_size
        with archive.open(main) as part:
            markup = part.read(_PART_CAP).decode("utf-8", "replace")
        has_tables = _OFFICE_TABLE.search(markup) is not None or _has_table_slide(archive)
    text = strip_markup(markup)
    chars = len(text) * size // max(1, min(size, _PART_CAP))
    return Glance(
        text=text[:_TEXT_CAP],
        chars=chars * max(1, slides),
        page_count=slides or None,
        has_tables=has_tables,
        has_charts=has_charts or "<draw:object" in markup,
        has_form_fields=_FORM_FIELD.search(markup) is not None,
        table_rows=len(_OFFICE_ROW.findall(markup)),
        headings=len(_OFFICE_HEADING.findall(markup)),
    )


def _count(
    archive: zipfile.ZipFile, names: Sequence[str], listing: str, entry: re.Pattern[bytes], part: re.Pattern[str]
) -> int:
    """Return the number of slides or sheets: those of the list, as parts of deleted ones may have stayed in the package."""
    if listing in names:
        with archive.open(listing) as stream:
            if listed := len(entry.findall(stream.read(_PART_CAP))):
                return listed
    return sum(bool(part.fullmatch(name)) for name in names)


def _has_table_slide(archive: zipfile.ZipFile) -> bool:
    """Return whether a slide has a table."""
    left = _SLIDES_CAP
    for entry in archive.infolist():
        if _SLIDE.fullmatch(entry.filename) and left > 0:
            with archive.open(entry) as part:
                markup = part.read(left)
            left -= len(markup)
            if b"<a:tbl>" in markup:
                return True
    return False
