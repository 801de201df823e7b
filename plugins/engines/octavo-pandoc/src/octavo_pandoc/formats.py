"""Supported media types: Pandoc's name of each, with further facts."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Container = Literal["zip", "xml", "text"]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A type.

    Attributes:
        reader: Pandoc's name of it.
        container: how its bytes are built, which decides what is checked before Pandoc sees them.
        main: the member that a container of this type must have.
        title_in_body: Pandoc takes the title out of the text, so it is put back.
        below_title: headings stand one level below that title.
    """

    reader: str
    container: Container
    main: str = ""
    title_in_body: bool = False
    below_title: bool = False


_WORD = Format(reader="docx", container="zip", main="word/document.xml", title_in_body=True)

FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {
        "application/vnd.oasis.opendocument.text": Format(reader="odt", container="zip", main="content.xml"),
        "application/rtf": Format(reader="rtf", container="text"),
        "application/jats+xml": Format(reader="jats", container="xml", title_in_body=True, below_title=True),
        "application/docbook+xml": Format(reader="docbook", container="xml", title_in_body=True, below_title=True),
        "application/x-fictionbook+xml": Format(reader="fb2", container="xml", title_in_body=True),
        "text/x-opml+xml": Format(reader="opml", container="xml", title_in_body=True, below_title=True),
        "application/epub+zip": Format(reader="epub", container="zip", main="META-INF/container.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _WORD,
        "application/vnd.ms-word.document.macroenabled.12": _WORD,
        "application/x-ipynb+json": Format(reader="ipynb", container="text"),
        "application/x-tex": Format(reader="latex", container="text", title_in_body=True, below_title=True),
        "text/x-rst": Format(reader="rst", container="text", title_in_body=True, below_title=True),
        "text/x-wiki": Format(reader="mediawiki", container="text"),
        "text/x-org": Format(reader="org", container="text", title_in_body=True, below_title=True),
    }
)
"""Media type → format; the keys are those of the manifest."""
