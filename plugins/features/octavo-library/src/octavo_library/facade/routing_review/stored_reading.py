"""Readings of stored versions, and the services of conversions that are made for a comparison."""

from __future__ import annotations

import json

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.page_repair import has_origins
from octavo_contracts import LibraryDamaged
from octavo_text.canonical import CanonicalText

from ...ingestion.sampling.measures import Reading
from ...ingestion.sampling.readings import reading_of_result
from ...storage import DocumentRecord
from ...storage.recognised_pages import LibraryPages
from ...storage.version_files import CANONICAL, CONVERTED, PAGES, TOOL, read_result, version_refs
from ...storage.version_reader import VersionFiles
from ..context import LibraryContext


def reading_services(context: LibraryContext, document_id: str) -> ConversionServices:
    """Services of a conversion that is compared and not stored. Its calls do not affect the health of the plugin."""
    index = context.index
    pages = LibraryPages(context.artifacts, note=lambda page: index.purges.record_ocr_pages(document_id, (page,)))
    return ConversionServices(types=index.document_types.by_hand, pages=pages, admission=context.engine.visit)


def stored_reading(context: LibraryContext, document_id: str, tool: str) -> tuple[Reading, int] | None:
    """The newest intact version that a plugin made alone, with its number."""
    record = context.index.documents.get(document_id)
    for row in reversed(context.index.versions.of_document(document_id)):
        if row.tool != tool or row.purged_at is not None or row.damaged_at is not None:
            continue
        try:
            reading = _read_version(context, record, row.version, tool)
        except LibraryDamaged:
            continue
        if reading is not None:
            return reading, row.version
    return None


def _read_version(context: LibraryContext, record: DocumentRecord, version: int, tool: str) -> Reading | None:
    files = VersionFiles(
        context.artifacts,
        raw_hash=record.raw_hash,
        version=version,
        document=record.title or record.document_id,
    )
    made = json.loads(files.text(TOOL))
    if has_origins(made):
        return None
    result = read_result(
        files.read,
        document_id=record.document_id,
        refs=version_refs(record.raw_hash, version, original=record.original_ref or ""),
        chunking_version=context.runtime.settings.chunking.version,
        source_instance_id=None,
    )
    return reading_of_result(
        result,
        CanonicalText.from_archive(files.text(CANONICAL)),
        files.text(CONVERTED),
        tool=tool,
        engine_version=made.get("engine_version"),
        furniture=[line for page in json.loads(files.text(PAGES))["pages"] for line in page.get("furniture", ())],
    )
