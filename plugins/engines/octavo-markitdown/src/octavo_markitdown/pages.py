"""The result of a reader, and its conversion to the single page of a document without pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from octavo_contracts import Attachment, Conversion, ConversionWarning, DocumentMetadata, HiddenText, Page, Table

from .pipe_tables import read_tables

_DATA_IMAGE = re.compile(r"!\[([^\]]*)\]\(\s*<?data:[^)\s]*[^)]*\)")
_LINK_TARGET = "embedded-image"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A document as one reader of this package gives it.

    Attributes:
        markdown: the whole body; unused where `pages` is given.
        text: plain text where it is better known than from the markdown.
        tables: tables where they are better known than from the markdown.
        title: the title that the body gives, taken where the metadata has none.
        pages: the pages of a paginated format.
        metadata: what the document says of itself.
        attachments: documents inside it.
        hidden_text: text of the body that cannot be seen.
        warnings: what a reader of the result should know.
        has_images: whether the body shows images.
    """

    markdown: str = ""
    text: str | None = None
    tables: tuple[Table, ...] | None = None
    title: str | None = None
    pages: tuple[Page, ...] | None = None
    metadata: DocumentMetadata = field(default_factory=DocumentMetadata)
    attachments: tuple[Attachment, ...] = ()
    hidden_text: tuple[HiddenText, ...] = ()
    warnings: tuple[ConversionWarning, ...] = ()
    has_images: bool = False


def short_images(markdown: str) -> str:
    """Markdown whose embedded images name a placeholder instead of their bytes."""
    return _DATA_IMAGE.sub(rf"![\1]({_LINK_TARGET})", markdown)


def conversion_of(reading: Reading, *, engine_version: str) -> Conversion:
    """The conversion of a reading: its pages, or one page of kind `whole`."""
    metadata = reading.metadata
    if metadata.title is None and reading.title and reading.title.strip():
        metadata = metadata.model_copy(update={"title": " ".join(reading.title.split())})
    pages = reading.pages if reading.pages is not None else (_whole(reading),)
    warnings = reading.warnings
    if not any(page.markdown.strip() for page in pages):
        warnings = (*warnings, ConversionWarning(code="no_content", message="The engine found no text."))
    return Conversion(
        pages=pages,
        paginated=reading.pages is not None,
        metadata=metadata,
        attachments=reading.attachments,
        warnings=warnings,
        engine_version=engine_version,
    )


def _whole(reading: Reading) -> Page:
    markdown, tables = read_tables(short_images(reading.markdown))
    return Page(
        number=1,
        kind="whole",
        markdown=markdown,
        text=reading.text,
        tables=tables if reading.tables is None else reading.tables,
        hidden_text=reading.hidden_text,
        has_images=reading.has_images or "![" in markdown,
    )
