"""What a converter is asked for, and what it returns.

A converter gives pages. It never computes an offset in the document: the core alone joins pages, derives the
canonical text, the anchors, the hashes and the quality report.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from ._model import Extensions, Model, Sha256Hex

PageKind = Literal["page", "slide", "sheet", "time_block", "whole"]
"""What pages are in a format.

`page`: PDF, TIFF; `slide`: PPTX; `sheet`: a workbook's sheets, and a delimited text file (CSV, TSV), which is a workbook of
one sheet; `time_block`: audio, captions; `whole`: the one page of a document without pages, such as DOCX, HTML, e-mail,
markdown, plain text, JSON.
"""

PositiveFloat = Annotated[float, Field(gt=0)]


class ConvertRequest(Model):
    """What the core asks of a converter, beside the source itself."""

    media_type: str = Field(description="The document's type as the core detected it, for example 'application/pdf'.")
    routing_type: str = Field(
        default="unknown", description="The kind of document that routing saw (CLS-9), for example 'text_native_pdf'."
    )
    pages: tuple[int, ...] | None = Field(
        default=None,
        description="Only these pages, from 1, ascending; null for all. Honoured by plugins with the capability `page_ranges`.",
    )
    password: str | None = Field(
        default=None, repr=False, description="Password of an encrypted document. Never logged."
    )
    max_pages: int = Field(default=10_000, ge=1, description="Give up with `ContentTooLarge` above this many pages.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Settings of this plugin, from the profile or the user."
    )


class BoundingBox(Model):
    """A rectangle on a page, in points (1/72 inch) from the page's top left corner, after rotation."""

    left: float = Field(description="Distance from the left edge, in points.")
    top: float = Field(description="Distance from the top edge, in points.")
    right: float = Field(description="Distance of the right side from the left edge, in points.")
    bottom: float = Field(description="Distance of the lower side from the top edge, in points.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.right < self.left or self.bottom < self.top:
            raise ValueError("a box's right and bottom must not lie before its left and top")
        return self


class Box(Model):
    """Something placed on a page."""

    kind: Literal["line", "word", "image", "table", "heading", "figure", "form_field"] = Field(
        description="What stands in the box."
    )
    box: BoundingBox = Field(description="Where, in points.")
    text: str = Field(default="", description="Its text, or empty.")


class Table(Model):
    """A table as a grid of texts. A merged cell's text stands in its top left cell, the others are empty."""

    rows: tuple[tuple[str, ...], ...] = Field(
        description="Rows from the top, cells from the left; rows may differ in length if the source's do."
    )
    header_rows: int = Field(default=1, ge=0, description="How many of the first rows are headers.")
    caption: str | None = Field(default=None, description="Caption, where the source has one.")
    columns_seen: int | None = Field(
        default=None, ge=0, description="Columns that layout analysis saw, where it ran (CNV-2)."
    )
    box: BoundingBox | None = Field(default=None, description="Where on the page, in points.")


class HiddenText(Model):
    """Text that a reader of the page cannot see, kept apart from the page's text."""

    text: str = Field(description="The hidden text.")
    why: Literal["invisible", "white", "off_page", "tiny", "hidden_style", "deleted", "covered", "comment"] = Field(
        description="How it is hidden."
    )


class Page(Model):
    """One page, slide, sheet or time block; or the whole of a document without pages."""

    number: int = Field(ge=1, description="From 1, without gaps.")
    label: str | None = Field(default=None, description="What the document calls it: 'iv', 'Sheet1', '00:01:30'.")
    kind: PageKind = Field(default="page", description="What it is.")
    markdown: str = Field(description="The page as markdown, structure kept. Empty for an empty page; never left out.")
    text: str | None = Field(
        default=None,
        description="The page as plain text in reading order; null: the core derives it from the markdown.",
    )
    tables: tuple[Table, ...] = Field(default=(), description="Tables of the page, in reading order.")
    boxes: tuple[Box, ...] = Field(
        default=(), description="What stands where, where the plugin has the capability `boxes`."
    )
    hidden_text: tuple[HiddenText, ...] = Field(
        default=(), description="Text that cannot be seen, left out of markdown and text."
    )
    width: PositiveFloat | None = Field(default=None, description="Width in points, after rotation.")
    height: PositiveFloat | None = Field(default=None, description="Height in points, after rotation.")
    has_images: bool = Field(default=False, description="Whether the page holds raster images.")


class Attachment(Model):
    """A document inside the document. Its name is metadata and never becomes a path."""

    name: str | None = Field(default=None, description="Name as the container gives it.")
    media_type: str = Field(description="Type as the container gives it.")
    sha256: Sha256Hex = Field(description="SHA-256 of the bytes.")
    size: int = Field(ge=0, description="Size in bytes.")
    data: bytes | None = Field(
        default=None, description="The bytes (base64url in JSON), or null where they were not taken out."
    )
    inline: bool = Field(default=False, description="Whether the body shows it, as an image in an HTML mail.")


class ConversionWarning(Model):
    """Something a reader of the result should know."""

    code: str = Field(
        pattern=r"^[a-z][a-z0-9_]*$",
        description="A degraded flag such as 'partial_conversion', or a code of the plugin's own.",
    )
    message: str = Field(description="One sentence.")
    page: int | None = Field(default=None, ge=1, description="Page from 1, where it concerns one.")


class DocumentMetadata(Model):
    """What a document says of itself."""

    title: str | None = Field(default=None, description="Title.")
    date: str | None = Field(default=None, description="Date the document gives, ISO 8601.")
    author: str | None = Field(default=None, description="Author or sender.")
    source: str | None = Field(default=None, description="Where it comes from: a site, a database, 'manual upload'.")
    language: str | None = Field(default=None, description="Language, BCP 47.")
    fields: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="What the profile or the format adds: case_number, named_ranges, e-mail headers.",
    )


class Conversion(Model):
    """A document as one converter reads it."""

    pages: tuple[Page, ...] = Field(min_length=1, description="Pages 1..n, without gaps; empty pages stay.")
    paginated: bool = Field(
        description="Whether the pages are the document's own. False exactly when there is one page of kind `whole`."
    )
    metadata: DocumentMetadata = Field(
        default_factory=DocumentMetadata, description="What the document says of itself."
    )
    attachments: tuple[Attachment, ...] = Field(default=(), description="Documents inside the document.")
    warnings: tuple[ConversionWarning, ...] = Field(default=(), description="What a reader of the result should know.")
    source_pages: tuple[int, ...] | None = Field(
        default=None,
        description="Where only some pages were asked for: the number in the source of each page, in order; null for all pages.",
    )
    engine_version: str | None = Field(default=None, description="Version of the engine that did the work.")
    extensions: Extensions = Field(default_factory=dict, description="What the contract does not name.")

    @model_validator(mode="after")
    def _pages_in_order(self) -> Self:
        numbers = [page.number for page in self.pages]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"pages must be numbered 1..{len(numbers)} in order; got {numbers[:20]}")
        if self.source_pages is not None and len(self.source_pages) != len(numbers):
            raise ValueError(f"source_pages names {len(self.source_pages)} pages; the conversion has {len(numbers)}")
        whole = [page.number for page in self.pages if page.kind == "whole"]
        if self.paginated and whole:
            raise ValueError("a paginated conversion has no page of kind 'whole'")
        if not self.paginated and (len(self.pages) != 1 or not whole):
            raise ValueError("a conversion that is not paginated has exactly one page, of kind 'whole'")
        return self
