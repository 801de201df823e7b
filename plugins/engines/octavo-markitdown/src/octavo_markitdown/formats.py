"""Supported formats: media type → reader and converter of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Reader = Literal["word", "deck", "workbook", "old_workbook", "mail", "web", "book", "grid", "data", "notebook", "plain"]
"""A module of this package, as `octavo_markitdown.convert` names them."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format.

    Attributes:
        reader: the reader of this package.
        converter: the engine's converter class; empty where this package reads with the libraries the engine brings.
        extension: the file extension that the engine gets, so that it does not guess.
    """

    reader: Reader
    converter: str
    extension: str


_OFFICE = "application/vnd.openxmlformats-officedocument"
_WORD = Format(reader="word", converter="DocxConverter", extension=".docx")
_DECK = Format(reader="deck", converter="PptxConverter", extension=".pptx")
_WORKBOOK = Format(reader="workbook", converter="", extension=".xlsx")
_WEB = Format(reader="web", converter="HtmlConverter", extension=".html")

FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {
        f"{_OFFICE}.wordprocessingml.document": _WORD,
        "application/vnd.ms-word.document.macroenabled.12": _WORD,
        f"{_OFFICE}.presentationml.presentation": _DECK,
        "application/vnd.ms-powerpoint.presentation.macroenabled.12": _DECK,
        f"{_OFFICE}.spreadsheetml.sheet": _WORKBOOK,
        "application/vnd.ms-excel.sheet.macroenabled.12": _WORKBOOK,
        "application/vnd.ms-excel": Format(reader="old_workbook", converter="", extension=".xls"),
        "application/vnd.ms-outlook": Format(reader="mail", converter="OutlookMsgConverter", extension=".msg"),
        "text/html": _WEB,
        "application/xhtml+xml": _WEB,
        "application/epub+zip": Format(reader="book", converter="EpubConverter", extension=".epub"),
        "text/csv": Format(reader="grid", converter="CsvConverter", extension=".csv"),
        "text/tab-separated-values": Format(reader="grid", converter="CsvConverter", extension=".csv"),
        "application/json": Format(reader="data", converter="PlainTextConverter", extension=".json"),
        "application/x-ipynb+json": Format(reader="notebook", converter="IpynbConverter", extension=".ipynb"),
        "application/rss+xml": Format(reader="plain", converter="RssConverter", extension=".rss"),
        "application/atom+xml": Format(reader="plain", converter="RssConverter", extension=".atom"),
        "application/pdf": Format(reader="plain", converter="PdfConverter", extension=".pdf"),
    }
)
"""Media type → format. The manifest names the same types; a test holds them together."""
