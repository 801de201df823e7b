"""Request and result of the `ocr` hook (OCR-3)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ._model import Extensions, Model, Sha256Hex, UnitInterval
from .conversion import BoundingBox

Script = Annotated[str, Field(pattern=r"^[A-Z][a-z]{3}$")]
"""Code of a script in ISO 15924, such as 'Cyrl'."""


class PageImage(Model):
    """A rendered page. The plugin gets the pixels as a PNG."""

    page_number: int = Field(ge=1, description="Page, from 1.")
    page_fingerprint: Sha256Hex = Field(description="SHA-256 of the rendered page: the cache key.")
    width: int = Field(ge=1, description="Pixels.")
    height: int = Field(ge=1, description="Pixels.")
    dpi: float = Field(gt=0, description="Pixels per inch of the page.")
    png: bytes = Field(repr=False, description="The image as PNG (base64url in JSON).")


class OCRRequest(Model):
    """Parameters of the recognition."""

    document_id: str | None = Field(default=None, description="Document that the page belongs to.")
    languages: tuple[str, ...] = Field(default=("en",), description="Languages, BCP 47, most likely first.")
    script: Script | None = Field(
        default=None, description="Script that another engine detected on the page, ISO 15924; None: not known."
    )
    options: Extensions = Field(default_factory=dict, description="Settings of this plugin.")
    purpose: Literal["text", "description"] = Field(
        default="text",
        description="What is wanted: the text on the page, or a description of a picture without text. Plugins without the "
        "capability `descriptions` are asked for text only.",
    )


class OCRWord(Model):
    """One recognised word."""

    text: str = Field(min_length=1, description="The word.")
    box: BoundingBox = Field(description="Position on the page, in points from its top left corner.")
    confidence: UnitInterval = Field(description="0..1.")


class OCRResult(Model):
    """The result for one page."""

    document_id: str | None = Field(default=None, description="Document that the page belongs to.")
    page_number: int = Field(ge=1, description="Page, from 1.")
    page_fingerprint: Sha256Hex = Field(description="SHA-256 of the rendered page: the cache key.")
    extracted_text: str = Field(
        description="The text in reading order, with line breaks; or the description, where that was the purpose."
    )
    words: tuple[OCRWord, ...] = Field(default=(), description="Words with boxes, in reading order.")
    confidence: UnitInterval = Field(description="Mean over the words; 0 for a page without words.")
    method: str = Field(description="Name of the engine, as in the table of QLT-4.")
    processed_at: datetime = Field(description="When, UTC.")
    language: str | None = Field(default=None, description="Detected or requested language, BCP 47.")
    script: Script | None = Field(
        default=None,
        description="Script of the page, ISO 15924, where the engine detected one; the text is then in this script, or "
        "empty if the engine has no model for it.",
    )
    remedy: str | None = Field(
        default=None, description="How to install the model that the engine lacks for the page's script; None: nothing."
    )
    tool_version: str = Field(description="Version of the engine.")
