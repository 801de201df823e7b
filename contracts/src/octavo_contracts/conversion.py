"""The request to a converter and the conversion that it returns.

A converter returns pages. It never computes an offset in the document: only the core joins pages and derives the
canonical text, the anchors, the hashes and the quality report.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from ._model import Extensions, Model, Sha256Hex

PageKind = Literal["page", "slide", "sheet", "time_block", "whole"]
"""What a page is in each format.

`page`: PDF, TIFF; `slide`: PPTX; `sheet`: a workbook's sheets, and a delimited text file (CSV, TSV), which is a workbook of
one sheet; `time_block`: audio, captions; `whole`: the one page of a document without pages, such as DOCX, HTML, e-mail,
markdown, plain text, JSON.
"""

PositiveFloat = Annotated[float, Field(gt=0)]


class ConvertRequest(Model):
    """The core's request to a converter, besides the source itself."""

    media_type: str = Field(description="The document's type as the core detected it, for example 'application/pdf'.")
    routing_type: str = Field(
        default="unknown",
        description="The kind of document according to routing (CLS-9), for example 'text_native_pdf'.",
    )
    pages: tuple[int, ...] | None = Field(
        default=None,
        description="Convert only these pages, from 1, ascending; null for all. Plugins with the capability `page_ranges` honour it.",
    )
    password: str | None = Field(
        default=None, repr=False, description="Password of an encrypted document. Never logged."
    )
    max_pages: int = Field(default=10_000, ge=1, description="Raise `ContentTooLarge` above this many pages.")
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
            raise ValueError("right and bottom of a box must not be less than its left and top")
        return self


class Box(Model):
    """A positioned element of a page."""

    kind: Literal["line", "word", "image", "table", "heading", "figure", "form_field"] = Field(
        description="Kind of element."
    )
    box: BoundingBox = Field(description="Position, in points.")
    text: str = Field(default="", description="Its text, or empty.")


class Table(Model):
    """A table as a grid of texts. The text of a merged cell is in its top left cell; the other cells are empty."""

    rows: tuple[tuple[str, ...], ...] = Field(
        description="Rows from the top, cells from the left; rows may differ in length if the source's do."
    )
    header_rows: int = Field(default=1, ge=0, description="Number of header rows at the top.")
    caption: str | None = Field(default=None, description="Caption, if the source has one.")
    columns_seen: int | None = Field(
        default=None, ge=0, description="Number of columns found by layout analysis, if it ran (CNV-2)."
    )
    box: BoundingBox | None = Field(default=None, description="Position on the page, in points.")


class HiddenText(Model):
    """Text that a reader of the page cannot see, kept apart from the page's text."""

    text: str = Field(description="The hidden text.")
    why: Literal["invisible", "white", "off_page", "tiny", "hidden_style", "deleted", "covered", "comment"] = Field(
        description="How it is hidden."
    )


class Page(Model):
    """One page, slide, sheet or time block; or the whole of a document without pages."""

    number: int = Field(ge=1, description="Page number, from 1, without gaps.")
    label: str | None = Field(
        default=None, description="The document's own name of the page: 'iv', 'Sheet1', '00:01:30'."
    )
    kind: PageKind = Field(default="page", description="Kind of page.")
    markdown: str = Field(
        description="The page as markdown with its structure. Empty for an empty page; never omitted."
    )
    text: str | None = Field(
        default=None,
        description="The page as plain text in reading order; null if the core shall derive it from the markdown.",
    )
    tables: tuple[Table, ...] = Field(default=(), description="Tables of the page, in reading order.")
    boxes: tuple[Box, ...] = Field(
        default=(), description="Positioned elements, if the plugin has the capability `boxes`."
    )
    hidden_text: tuple[HiddenText, ...] = Field(
        default=(), description="Invisible text, excluded from markdown and text."
    )
    furniture: tuple[str, ...] = Field(
        default=(),
        description="Running heads, feet and page numbers, a line each, excluded from markdown and text; found by the core.",
    )
    width: PositiveFloat | None = Field(default=None, description="Width in points, after rotation.")
    height: PositiveFloat | None = Field(default=None, description="Height in points, after rotation.")
    has_images: bool = Field(default=False, description="Whether the page contains raster images.")


class Attachment(Model):
    """A document inside the document. Its name is metadata and never becomes a path."""

    name: str | None = Field(default=None, description="Name according to the container.")
    media_type: str = Field(description="Media type according to the container.")
    sha256: Sha256Hex = Field(description="SHA-256 of the bytes.")
    size: int = Field(ge=0, description="Size in bytes.")
    data: bytes | None = Field(
        default=None, description="The bytes (base64url in JSON); null if they were not extracted."
    )
    inline: bool = Field(default=False, description="Whether the body displays it, such as an image in an HTML mail.")


class ConversionWarning(Model):
    """A warning to readers of the result."""

    code: str = Field(
        pattern=r"^[a-z][a-z0-9_]*$",
        description="A degraded flag such as 'partial_conversion', or a code defined by the plugin.",
    )
    message: str = Field(description="One sentence.")
    page: int | None = Field(default=None, ge=1, description="Page from 1, if it concerns a single page.")


class DocumentMetadata(Model):
    """Metadata from the document itself."""

    title: str | None = Field(default=None, description="Title.")
    date: str | None = Field(default=None, description="Date stated by the document, ISO 8601.")
    author: str | None = Field(default=None, description="Author or sender.")
    source: str | None = Field(default=None, description="Origin: a site, a database, 'manual upload'.")
    language: str | None = Field(default=None, description="Language, BCP 47.")
    fields: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="Further metadata of the profile or format: case_number, named_ranges, e-mail headers.",
    )


class Conversion(Model):
    """A document as read by one converter."""

    pages: tuple[Page, ...] = Field(min_length=1, description="Pages 1..n, without gaps; empty pages are kept.")
    paginated: bool = Field(
        description="Whether the pages are the document's own. False exactly when there is one page of kind `whole`."
    )
    metadata: DocumentMetadata = Field(
        default_factory=DocumentMetadata, description="Metadata from the document itself."
    )
    attachments: tuple[Attachment, ...] = Field(default=(), description="Documents inside the document.")
    warnings: tuple[ConversionWarning, ...] = Field(default=(), description="Warnings to readers of the result.")
    source_pages: tuple[int, ...] | None = Field(
        default=None,
        description="If only some pages were requested: each page's number in the source, in order; null for all pages.",
    )
    engine_version: str | None = Field(default=None, description="Version of the engine.")
    extensions: Extensions = Field(default_factory=dict, description="Data that the contract does not define.")

    @model_validator(mode="after")
    def _pages_in_order(self) -> Self:
        numbers = [page.number for page in self.pages]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"pages must be numbered 1..{len(numbers)} in order; got {numbers[:20]}")
        if self.source_pages is not None and len(self.source_pages) != len(numbers):
            raise ValueError(f"source_pages lists {len(self.source_pages)} pages; the conversion has {len(numbers)}")
        whole = [page.number for page in self.pages if page.kind == "whole"]
        if self.paginated and whole:
            raise ValueError("a paginated conversion must not have a page of kind 'whole'")
        if not self.paginated and (len(self.pages) != 1 or not whole):
            raise ValueError("a conversion that is not paginated must have exactly one page, of kind 'whole'")
        return self
