"""The OCR task of a document, and its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_sandbox import SandboxLimits

from ...settings.ocr import OcrOptions
from .page_cache import MemoryPages, PagesStore

if TYPE_CHECKING:
    from octavo_contracts import Attempt, OCRResult, PageMetadata
    from octavo_sandbox.egress.gate import Owners

    from ...documents.source import Source
    from .picture_records import EmbeddedPicture
    from .rectification import Rectification

UNKNOWN_FINGERPRINT = "0" * 64
"""Fingerprint of a page that an earlier version read, if its real fingerprint is unknown."""


@dataclass(frozen=True, kw_only=True)
class RecognitionTask:
    """One document with pages to recognise.

    Attributes:
        source: the document.
        media_type: its media type.
        password: password of an encrypted document.
        options: the caller's options.
        limits: limits of each call.
        cancel: event that stops the task.
        pages: cache of recognised pages.
        looked: page → its record, from examining it; reused by later conversions.
        plain: pages whose text was found plausible as a whole, so that they are not judged again.
        profile: name of the routing profile; None for that of the settings.
        owners: consent of the owners to cloud services; None: no consent, so no service receives pages.
        earlier: page → result of the active version of a library document, kept if the page is not read again.
            None: no version exists whose pages must be kept, or no version is created.
        marked: pages that a user marked as needing recognition (CNV-3).
        model_place: returns a context manager that waits for a slot among the calls that ask a server, and holds it.
        place: returns a context manager that waits for a slot among the documents that run OCR, and holds it.
    """

    source: Source
    media_type: str
    password: str | None = None
    options: OcrOptions = field(default_factory=OcrOptions)
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    cancel: threading.Event | None = None
    pages: PagesStore = field(default_factory=MemoryPages)
    looked: dict[int, PageMetadata] = field(default_factory=dict)
    plain: Collection[int] = frozenset()
    profile: str | None = None
    owners: Owners | None = None
    earlier: Mapping[int, PageReading] | None = None
    marked: frozenset[int] = frozenset()
    place: Callable[[], AbstractContextManager[object]] = nullcontext
    model_place: Callable[[], AbstractContextManager[object]] = nullcontext


@dataclass(frozen=True, kw_only=True)
class PageReading:
    """OCR result of one page.

    Attributes:
        result: the most confident result, with words of another engine where these are sure and its own doubtful.
        holds_text: whether it is text at all; false for a blank page or a photograph.
        stored: whether it came from the cache.
        undecodable: number of pictures that could not be decoded, if the page rendered blank.
        is_blank: whether the page shows nothing but paper and specks.
        contradiction: how another engine's result differs beyond misread letters; empty if none does.
        doubts: doubtful words of the result, quoted.
        rectification: how the page was rectified for the result; None: it was read as displayed. The boxes of the
            result's words are those of the page as displayed.
    """

    result: OCRResult
    holds_text: bool
    stored: bool = False
    undecodable: int = 0
    is_blank: bool = False
    contradiction: str = ""
    doubts: tuple[str, ...] = ()
    rectification: Rectification | None = None


@dataclass(frozen=True, kw_only=True)
class PictureReading:
    """Outcome of OCR for one picture.

    Attributes:
        picture: the picture and its place.
        reading: the result; None if the picture could not be read.
        problem: why it could not be read.
        description: what a model says that it shows; only of a picture without text.
    """

    picture: EmbeddedPicture
    reading: PageReading | None = None
    problem: str = ""
    description: OCRResult | None = None

    @property
    def result(self) -> OCRResult | None:
        """The result if it contains text, with the number of the page that shows the picture; else None."""
        if self.reading is None or not self.reading.holds_text:
            return None
        return self.reading.result.model_copy(update={"page_number": self.picture.page})


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """OCR results of a document.

    Attributes:
        readings: page → result.
        unread: pages that need OCR and have no result → reason.
        remedies: pages of these → what to do, where an engine said.
        descriptions: pages whose picture a model described, since it has no text → description.
        undescribed: pages whose picture has no text and could not be described → reason.
        pictures: results for all pictures of an office document, if requested.
        pictures_beyond: number of pictures beyond the limit, which were not examined.
        without_places: pages whose own text resembles picture references, so that references locate nothing.
        attempts: calls of engines: each failed one, and one summary per engine for the others.
    """

    readings: dict[int, PageReading] = field(default_factory=dict)
    unread: dict[int, str] = field(default_factory=dict)
    remedies: dict[int, str] = field(default_factory=dict)
    descriptions: dict[int, OCRResult] = field(default_factory=dict)
    undescribed: dict[int, str] = field(default_factory=dict)
    pictures: tuple[PictureReading, ...] = ()
    pictures_beyond: int = 0
    without_places: frozenset[int] = frozenset()
    attempts: tuple[Attempt, ...] = ()

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Fingerprints of the pages and pictures in the store."""
        readings = [*self.readings.values(), *(one.reading for one in self.pictures if one.reading is not None)]
        descriptions = [*self.descriptions.values(), *(one.description for one in self.pictures if one.description)]
        known = {result.page_fingerprint for result in (*(reading.result for reading in readings), *descriptions)}
        return tuple(sorted(known - {UNKNOWN_FINGERPRINT}))

    @property
    def confidences(self) -> dict[int, float]:
        """Page → confidence of its recognised text: its own, or the mean of its pictures."""
        of_pictures: dict[int, list[float]] = {}
        for one in self.pictures:
            if one.result is not None:
                of_pictures.setdefault(one.picture.page, []).append(one.result.confidence)
        means = {page: sum(values) / len(values) for page, values in of_pictures.items()}
        return means | {page: result.confidence for page, result in self.with_text.items()}

    @property
    def with_text(self) -> dict[int, OCRResult]:
        """Page → result, for pages that contain text."""
        return {page: reading.result for page, reading in sorted(self.readings.items()) if reading.holds_text}


NOTHING: Recognition = Recognition()
NOT_ASKED = "the page was not requested"
NO_ENGINE = "no OCR engine is installed"
SWITCHED_OFF = "OCR is disabled"
