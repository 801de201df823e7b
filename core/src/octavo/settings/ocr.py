"""Settings of OCR, and the OCR options of a caller for one document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from octavo_contracts import UsageError
from pydantic import Field, SecretStr


@dataclass(frozen=True, kw_only=True)
class OcrSettings:
    """Settings of OCR.

    Attributes:
        automatic: whether pages that need OCR are recognised without a request (OCR-2): at ingestion, and as `on_open`
            and `on_send` say.
        on_open: whether `octavo web` recognises the unread pages of a document that somebody opens (OCR-7).
        on_send: whether the unread pages of a document are recognised before it is prepared for a model (OCR-7).
        send_seconds: longest wait for that; the recognition then goes on in the background.
        engines: OCR plugins, first choice first; None: the local ones, by the priority of their manifests.
        languages: BCP 47, likeliest first.
        dpi: resolution at which a page is rendered; Tesseract was trained at 300.
        max_pixels: a larger page is rendered at a lower resolution.
        rectify: whether a page that lies askew, by up to 15 degrees, curls at a spine or lies in a shadow is rectified
            before it is recognised. Needs Pillow.
        at_once: pages of one document recognised in parallel.
        next_engine_below: below this mean confidence of a page the next engine is called too, and the better result used;
            with doubtful lines above it as well, and doubtful words replaced. 0: one engine reads each page.
        doubtful_below: below this mean confidence a page is flagged (OCR-5).
        embedded: whether the pictures inside Word documents and presentations are recognised without a request.
        pictures_seconds: time budget of all calls for the pictures inside one document; the remaining pictures are
            reported as unread.
        least_versions: marks such as `tesseract=5.4`: a stored page that an older version of the engine read is recognised
            again. Set a mark once the newer engine is installed; without one, stored pages are used for ever (OCR-3).
        cloud: whether pages may be sent to a service across the network at all; each corpus must allow it too (CNV-15).
        service: URL of that service, such as https://NAME.cognitiveservices.azure.com; None: no service.
        service_key: its API key; never shown.
        service_price: price of one page that the service reads, in US dollars; None: unknown, so that no cost is recorded and
            the cost limit of a corpus has no effect (ENG-24).
    """

    automatic: bool = True
    on_open: bool = True
    on_send: bool = True
    send_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 60.0
    engines: tuple[str, ...] | None = None
    languages: tuple[str, ...] = ("en",)
    dpi: int = 300
    max_pixels: int = 40_000_000
    rectify: bool = True
    at_once: int = 2
    next_engine_below: float = 0.90
    doubtful_below: float = 0.70
    embedded: bool = False
    pictures_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 600.0
    least_versions: tuple[str, ...] = ()
    cloud: bool = False
    service: str | None = None
    service_key: SecretStr | None = None
    service_price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None

    def __post_init__(self) -> None:
        """Wrap a key given as plain text, so that it is never shown, and check the marks.

        Raises:
            UsageError: a mark is not an engine and a version.
        """
        for mark in self.least_versions:
            engine, _, version = mark.partition("=")
            if not engine.strip() or not _version(version):
                raise UsageError(f"ocr.least_versions must have marks such as 'tesseract=5.4', got {mark!r}")
        given: object = self.service_key
        if isinstance(given, str):
            object.__setattr__(self, "service_key", SecretStr(given))

    def is_outdated(self, engine: str, version: str) -> bool:
        """Return whether a result of this version of an engine is below the mark that is set for the engine."""
        marks = dict(mark.split("=", 1) for mark in self.least_versions)
        return engine in marks and _version(version) < _version(marks[engine])


def _version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, for comparison: 5.10 is newer than 5.9."""
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", text)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True, kw_only=True)
class OcrOptions:
    """OCR options of a caller for one document.

    Attributes:
        pages: recognise exactly these pages, whether or not they need it; None: the pages that need it.
        engine: use this plugin only; None: the order of the settings.
        again: whether to ignore cached results.
        embedded: whether to recognise the pictures inside a Word document or a presentation.
        asked: whether to recognise even if the settings disable automatic OCR.
    """

    pages: tuple[int, ...] | None = None
    engine: str | None = None
    again: bool = False
    embedded: bool = False
    asked: bool = False


AUTOMATIC = OcrOptions()
"""Default options: the settings decide."""
