"""What a host sets for recognition, and what a caller asks for one document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class OcrSettings:
    """Settings of recognition.

    Attributes:
        automatic: whether pages that need it are recognised without being asked for (OCR-2).
        engines: plugins with the hook `ocr`, first choice first; None takes them by the priority of their manifests.
        languages: BCP 47, likeliest first.
        dpi: resolution at which a page is rendered; Tesseract was trained at 300.
        max_pixels: a larger page is rendered at a lower resolution.
        at_once: pages of one document recognised at the same time.
        next_engine_below: below this mean confidence of a page the next engine is asked too, and the surer answer taken.
        doubtful_below: below this mean confidence a page is flagged (OCR-5).
        embedded: whether the pictures inside Word documents and presentations are recognised without being asked for.
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
