"""What somebody once asked of recognition lasts: a plain reconversion does not take away what the version before had."""

from __future__ import annotations

from dataclasses import replace

from octavo.conversion.ocr.pictures import TYPES
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import IngestionQualityReport


def as_before(options: OcrOptions, report: IngestionQualityReport, *, media_type: str | None) -> OcrOptions:
    """What is asked of a reconversion: as it says, or, where it says nothing, what the active version was read with.

    Pages that were asked for by their numbers, and an engine that was named, were meant for that once.

    Args:
        options: of the reconversion.
        report: of the active version.
        media_type: of the document.
    """
    if options != AUTOMATIC or not report.ocr_confidence_summary.applied:
        return options
    return replace(options, embedded=True) if media_type in TYPES else replace(options, asked=True)
