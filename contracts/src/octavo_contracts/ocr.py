"""What the `ocr` hook receives and returns (OCR-3)."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ._model import Extensions, Model, Sha256Hex, UnitInterval
from .conversion import BoundingBox


class PageImage(Model):
    """A rendered page. The plugin gets the pixels as a PNG."""

    page_number: int = Field(ge=1, description="Page, from 1.")
    page_fingerprint: Sha256Hex = Field(description="SHA-256 of the rendered page: the cache key.")
    width: int = Field(ge=1, description="Pixels.")
    height: int = Field(ge=1, description="Pixels.")
    dpi: float = Field(gt=0, description="Pixels an inch of the page.")
    png: bytes = Field(repr=False, description="The picture as PNG (base64url in JSON).")


class OCRRequest(Model):
    """How to recognise."""

    document_id: str | None = Field(default=None, description="Document the page belongs to.")
    languages: tuple[str, ...] = Field(default=("en",), description="BCP 47, likeliest first.")
    options: Extensions = Field(default_factory=dict, description="Settings of this plugin.")


class OCRWord(Model):
    """One recognised word."""

    text: str = Field(min_length=1, description="The word.")
    box: BoundingBox = Field(description="Where on the page, in points from its top left corner.")
    confidence: UnitInterval = Field(description="0..1.")


class OCRResult(Model):
    """One recognised page."""

    document_id: str | None = Field(default=None, description="Document the page belongs to.")
    page_number: int = Field(ge=1, description="Page, from 1.")
    page_fingerprint: Sha256Hex = Field(description="SHA-256 of the rendered page: the cache key.")
    extracted_text: str = Field(description="The text in reading order, lines kept.")
    words: tuple[OCRWord, ...] = Field(default=(), description="Words with boxes, in reading order.")
    confidence: UnitInterval = Field(description="Mean over the words; 0 for a page without words.")
    method: str = Field(description="The engine, as the table of QLT-4 names it.")
    processed_at: datetime = Field(description="When, UTC.")
    language: str | None = Field(default=None, description="Language found or asked for, BCP 47.")
    tool_version: str = Field(description="Version of the engine.")
