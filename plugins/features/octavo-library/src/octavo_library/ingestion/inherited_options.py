"""A reconversion inherits the OCR options of the active version unless new ones are given."""

from __future__ import annotations

from dataclasses import replace

from octavo.conversion.ocr.pictures import TYPES
from octavo.settings.ocr import AUTOMATIC, OcrOptions
from octavo_contracts import IngestionQualityReport


def as_before(options: OcrOptions, report: IngestionQualityReport, *, media_type: str | None) -> OcrOptions:
    """The OCR options of a reconversion: its own; or, without any, those of the active version.

    Page numbers and a named engine are not inherited: they applied to that recognition only.

    Args:
        options: options of the reconversion.
        report: report of the active version.
        media_type: media type of the document.
    """
    if options != AUTOMATIC or not report.ocr_confidence_summary.applied:
        return options
    return replace(options, embedded=True) if media_type in TYPES else replace(options, asked=True)
