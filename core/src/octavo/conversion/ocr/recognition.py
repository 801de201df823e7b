"""What is to be recognised of a document, and what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, OCRResult
from octavo_sandbox import SandboxLimits

from ...egress.gate import Owners
from ...settings.ocr import OcrOptions
from .page_cache import MemoryPages, PagesStore
from .picture_records import EmbeddedPicture

if TYPE_CHECKING:
    from ...documents.source import Source

UNKNOWN_FINGERPRINT = "0" * 64
"""Of a page that a version before this one read, where nothing else is known of it."""


@dataclass(frozen=True, kw_only=True)
class RecognitionTask:
    """One document to recognise pages of.

    Attributes:
        source: the document.
        media_type: its type.
        password: of an encrypted one.
        options: what the caller asked for.
        limits: of each call.
        cancel: set it to stop.
        pages: where recognised pages are kept.
        looked: page → whether it needs recognition, by a look at it: kept for the conversions that follow.
        owners: what is said of showing it to a cloud service; None: nobody said anything, so that none sees it.
        earlier: page → what the active version of a library's document has of it: kept where the page is not read again.
            None: there is no version whose pages are to be kept, nor one to be made.
        place: around the recognition of its pages: waits for a place among the documents that are recognised.
    """

    source: Source
    media_type: str
    password: str | None = None
    options: OcrOptions = field(default_factory=OcrOptions)
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    cancel: threading.Event | None = None
    pages: PagesStore = field(default_factory=MemoryPages)
    looked: dict[int, bool] = field(default_factory=dict)
    owners: Owners | None = None
    earlier: Mapping[int, PageReading] | None = None
    place: Callable[[], AbstractContextManager[object]] = nullcontext


@dataclass(frozen=True, kw_only=True)
class PageReading:
    """What was recognised on one page.

    Attributes:
        result: the surest answer.
        holds_text: whether it is text at all; a blank page and a photograph hold none.
        stored: whether it was kept from an earlier recognition.
        undecodable: pictures that could not be decoded, on a page that came out blank.
        contradiction: how another engine's answer differs beyond what misread letters explain; empty where none does.
    """

    result: OCRResult
    holds_text: bool
    stored: bool = False
    undecodable: int = 0
    contradiction: str = ""


@dataclass(frozen=True, kw_only=True)
class PictureReading:
    """What came of one picture.

    Attributes:
        picture: which, and where it stands.
        reading: what was recognised; None where it could not be read.
        problem: why not.
    """

    picture: EmbeddedPicture
    reading: PageReading | None = None
    problem: str = ""

    @property
    def result(self) -> OCRResult | None:
        """The answer, where it holds text, with the page on which the picture stands."""
        if self.reading is None or not self.reading.holds_text:
            return None
        return self.reading.result.model_copy(update={"page_number": self.picture.page})


@dataclass(frozen=True, kw_only=True)
class Recognition:
    """What recognition did for a document.

    Attributes:
        readings: page → what was recognised on it.
        unread: pages that need recognition and got none → why not.
        pictures: inside an office document, all of them, where they were asked for.
        pictures_beyond: pictures that are first shown after so many others that nobody looks for them.
        without_places: pages whose own words look like references to pictures, so that references say no place.
        attempts: calls of engines: failed ones each, the others summed up for each engine.
    """

    readings: dict[int, PageReading] = field(default_factory=dict)
    unread: dict[int, str] = field(default_factory=dict)
    pictures: tuple[PictureReading, ...] = ()
    pictures_beyond: int = 0
    without_places: frozenset[int] = frozenset()
    attempts: tuple[Attempt, ...] = ()

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The pages and pictures as the store knows them."""
        readings = [*self.readings.values(), *(one.reading for one in self.pictures if one.reading is not None)]
        known = {reading.result.page_fingerprint for reading in readings}
        return tuple(sorted(known - {UNKNOWN_FINGERPRINT}))

    @property
    def confidences(self) -> dict[int, float]:
        """Page → how sure its recognised text is: its own, or the mean of that of its pictures."""
        of_pictures: dict[int, list[float]] = {}
        for one in self.pictures:
            if one.result is not None:
                of_pictures.setdefault(one.picture.page, []).append(one.result.confidence)
        means = {page: sum(values) / len(values) for page, values in of_pictures.items()}
        return means | {page: result.confidence for page, result in self.with_text.items()}

    @property
    def with_text(self) -> dict[int, OCRResult]:
        """Page → answer, where it holds text."""
        return {page: reading.result for page, reading in sorted(self.readings.items()) if reading.holds_text}


NOTHING: Recognition = Recognition()
NOT_ASKED = "it is not among the pages that were asked for"
NO_ENGINE = "no engine for recognition is installed"
SWITCHED_OFF = "recognition is switched off"
