"""Inheritance of a reconversion from the active version: its OCR options, and pages that are not read again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from octavo.conversion.ocr.recognition import PageReading
from octavo.conversion.options import ConvertOptions
from octavo.conversion.routing import RoutingOverride
from octavo.settings.ocr import AUTOMATIC
from octavo_contracts import IngestionQualityReport, OctavoError, RoutingType
from octavo_text.canonical import CanonicalText

from ..storage import ArtifactStore, KnownDocument
from ..storage.version_files import CANONICAL, PAGES, REPORT, TOOL, tool_attempts
from ..storage.version_reader import VersionFiles
from .inherited_options import as_before
from .readings_record import from_report, read_record

Earlier = dict[int, PageReading]
"""Page → its recognised text in the active version."""


def with_predecessor(
    options: ConvertOptions, known: KnownDocument | None, artifacts: ArtifactStore
) -> tuple[ConvertOptions, Earlier | None]:
    """The options of a reconversion, with those inherited from the active version, and the pages that it keeps.

    Without OCR options, those of the active version are used again. With OCR options, pages that are not read keep the
    text of the active version, and the engine of that version is the first choice (OCR-6).

    Args:
        options: options of the reconversion.
        known: the document; None if it is not in the index.
        artifacts: the library's files.
    """
    if known is None or known.active_version is None:
        return options, None if options.ocr == AUTOMATIC else {}
    files = VersionFiles(artifacts, raw_hash=known.raw_hash, version=known.active_version, document=known.document_id)
    try:
        report = IngestionQualityReport.read(files.text(REPORT))
        if options.ocr == AUTOMATIC:
            return replace(options, ocr=as_before(options.ocr, report, media_type=known.mime_type)), None
        tool = json.loads(files.text(TOOL))
        earlier = _readings(files, report, tool)
    except (OctavoError, ValueError):
        # The active version is damaged, which may be why the document is converted again.
        return options, None if options.ocr == AUTOMATIC else {}
    because = f"version {known.active_version}, whose pages are kept, is by it"
    preferred = RoutingOverride(plugin=str(tool["plugin"]), because=because)
    preferences = tuple((kind.value, preferred) for kind in RoutingType)
    return replace(options, preferences=preferences, engine_before=preferred.plugin), earlier


def _readings(files: VersionFiles, report: IngestionQualityReport, tool: dict[str, Any]) -> dict[int, PageReading]:
    pages = json.loads(files.text(PAGES))
    recorded = read_record(pages)
    if recorded is not None:
        return recorded
    archived = CanonicalText.from_archive(files.text(CANONICAL))
    text = replace(archived, breaks=tuple(pages.get("breaks", ())))
    return from_report(report, text, pages["pages"], tool_attempts(tool))
