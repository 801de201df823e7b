"""What a host sets for recognition, and what a caller asks for one document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, SecretStr


@dataclass(frozen=True, kw_only=True)
class OcrSettings:
    """Settings of recognition.

    Attributes:
        automatic: whether pages that need it are recognised without being asked for (OCR-2).
        engines: plugins that recognise, first choice first; None takes those of this machine, by the priority of their
            manifests.
        languages: BCP 47, likeliest first.
        dpi: resolution at which a page is rendered; Tesseract was trained at 300.
        max_pixels: a larger page is rendered at a lower resolution.
        at_once: pages of one document recognised at the same time.
        next_engine_below: below this mean confidence of a page the next engine is asked too, and the surer answer taken.
        doubtful_below: below this mean confidence a page is flagged (OCR-5).
        embedded: whether the pictures inside Word documents and presentations are recognised without being asked for.
        pictures_seconds: time of all calls for the pictures inside one document together; those that are left then are
            told as unread.
        cloud: whether pages may be shown to a service across the network at all; each corpus has to allow it besides
            (CNV-15).
        service: URL of that service, such as https://NAME.cognitiveservices.azure.com; None: there is none.
        service_key: its API key; never shown.
    """

    automatic: bool = True
    engines: tuple[str, ...] | None = None
    languages: tuple[str, ...] = ("en",)
    dpi: int = 300
    max_pixels: int = 40_000_000
    at_once: int = 2
    next_engine_below: float = 0.90
    doubtful_below: float = 0.70
    embedded: bool = False
    pictures_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 600.0
    cloud: bool = False
    service: str | None = None
    service_key: SecretStr | None = None

    def __post_init__(self) -> None:
        """Wrap a key that is given as a plain text, so that it is shown nowhere."""
        given: object = self.service_key
        if isinstance(given, str):
            object.__setattr__(self, "service_key", SecretStr(given))


@dataclass(frozen=True, kw_only=True)
class OcrOptions:
    """What a caller asks for one document.

    Attributes:
        pages: recognise exactly these, whether they need it or not; None leaves that to their text layer.
        engine: with this plugin and no other; None for the settings' order.
        again: whether to recognise what is stored already.
        embedded: whether to recognise the pictures inside a Word document or a presentation.
        asked: whether somebody asks for recognition, where the settings leave it off.
    """

    pages: tuple[int, ...] | None = None
    engine: str | None = None
    again: bool = False
    embedded: bool = False
    asked: bool = False


AUTOMATIC = OcrOptions()
"""Nothing asked for: the settings decide."""
