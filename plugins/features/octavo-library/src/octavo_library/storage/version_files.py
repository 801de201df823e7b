"""Serialises a conversion version to files and reads it back; the only module that knows the file contents (STO-2).

converted.md         the markdown
canonical.txt        the canonical text, UTF-8; every offset counts its code points
anchors.json         pages ↔ offsets in the two texts
pages.json           page facts: label, kind, size, tables, boxes, hidden text; block breaks; page hashes; plugin
                     warnings; for each page the recognised text, the OCR engine and its confidence
tool.json            the converter, the reason for choosing it, its confinement, every attempt
quality_report.json  the `IngestionQualityReport`
comparison.json      how a second plugin's conversion differed; only for a sampled document (CNV-4)
metadata.json        metadata, attachments, classification, receipts, hashes of the source
chunks/<config>/manifest.json   the chunk set
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from octavo_contracts import (
    AttachmentRef,
    Attempt,
    Chunk,
    ContentHashes,
    Conversion,
    DocumentClassification,
    DocumentMetadata,
    FailureReceipt,
    IngestionQualityReport,
    IngestionResult,
    LibraryDamaged,
    Model,
    PageAnchorMap,
    store_ref,
)
from octavo_text.version_texts import Refs, Texts
from pydantic_core import to_json

from .files.layout import version_folder

T = TypeVar("T")

CONVERTED = "converted.md"
CANONICAL = "canonical.txt"
ANCHORS = "anchors.json"
PAGES = "pages.json"
TOOL = "tool.json"
REPORT = "quality_report.json"
METADATA = "metadata.json"
COMPARISON = "comparison.json"


def version_refs(raw_hash: str, version: int, *, original: str) -> Refs:
    """The references of a version's artifacts."""
    folder = version_folder(raw_hash, version)
    return Refs(
        original=original,
        conversion=store_ref(folder),
        markdown=store_ref(f"{folder}/{CONVERTED}"),
        canonical=store_ref(f"{folder}/{CANONICAL}"),
    )


def to_files(
    result: IngestionResult,
    *,
    texts: Texts,
    conversion: Conversion,
    tool: dict[str, Any],
    recognised: dict[str, Any] | None = None,
    compared: dict[str, Any] | None = None,
) -> dict[str, bytes]:
    """The files of a version.

    Args:
        result: the result of this version.
        texts: the texts of this version.
        conversion: the plugin's result, for its page facts.
        tool: name, versions and selection reason of the plugin.
        recognised: page → what was recognised on it (`octavo_library.ingestion.readings_record`).
        compared: how a second plugin's conversion differed, if there was one.
    """
    hashes = result.content_hashes
    files = {
        CONVERTED: texts.markdown.encode(),
        CANONICAL: texts.canonical.text.encode(),
        ANCHORS: result.page_anchor_map.model_dump_json().encode(),
        PAGES: _json(
            {
                "paginated": conversion.paginated,
                "breaks": texts.canonical.breaks,
                "page_hashes": texts.page_hashes,
                "pages": conversion.pages,
                "warnings": conversion.warnings,
                "recognised": recognised or {},
            },
            exclude={"pages": {"__all__": {"markdown", "text"}}},
        ),
        TOOL: _json({**tool, "sandbox_level": result.sandbox_level, "attempts": result.attempts}),
        REPORT: result.quality_report.to_json(indent=1).encode(),
        METADATA: _json(
            {
                "metadata": result.metadata,
                "attachments": result.attachments,
                "classification": result.classification,
                "receipts": result.failure_receipts,
                "raw_file_hash": hashes.raw_file_hash,
                "normalized_binary_hash": hashes.normalized_binary_hash,
                "normalized_text_hash": hashes.normalized_text_hash,
            }
        ),
    }
    return files if compared is None else files | {COMPARISON: _json(compared)}


def chunk_file(result: IngestionResult) -> bytes:
    """The chunk manifest's file."""
    return _json({"chunks": result.chunk_manifest, "chunk_hashes": result.content_hashes.chunk_hashes})


class _Metadata(Model):
    """The fields of metadata.json that a result needs."""

    metadata: DocumentMetadata
    attachments: tuple[AttachmentRef, ...]
    classification: DocumentClassification | None
    receipts: tuple[FailureReceipt, ...]
    raw_file_hash: str | None
    normalized_binary_hash: str | None
    normalized_text_hash: str | None


class _Tool(Model):
    """The fields of tool.json that a result needs."""

    attempts: tuple[Attempt, ...]
    sandbox_level: str | None


class _Pages(Model):
    """The fields of pages.json that a result needs."""

    page_hashes: tuple[str, ...]


class _Chunks(Model):
    """A chunk set's file."""

    chunks: tuple[Chunk, ...]
    chunk_hashes: tuple[str, ...]


def read_result(
    read: Callable[[str], bytes],
    *,
    document_id: str,
    refs: Refs,
    chunking_version: str,
    source_instance_id: str | None,
) -> IngestionResult:
    """Assemble the result of a stored version from its files.

    Args:
        read: returns the bytes of a store reference.
        document_id: the document's id.
        refs: the references of the version.
        chunking_version: the chunk set to return.
        source_instance_id: the source instance of the caller.

    Raises:
        LibraryDamaged: a file has invalid content.
        OctavoError: raised by `read` for a file that is missing or cannot be read.
    """

    def load(name: str, parse: Callable[[bytes], T]) -> T:
        data = read(f"{refs.conversion}/{name}")
        try:
            return parse(data)
        except ValueError as error:  # includes pydantic's ValidationError
            raise LibraryDamaged(
                f"{refs.conversion} is damaged: {name} has invalid content", source=document_id
            ) from error

    facts, tool, pages = load(METADATA, _Metadata.read), load(TOOL, _Tool.read), load(PAGES, _Pages.read)
    chunks = load(f"chunks/{chunking_version}/manifest.json", _Chunks.read)
    report = load(REPORT, IngestionQualityReport.read)
    anchors = load(ANCHORS, PageAnchorMap.model_validate_json)
    degraded = report.user_visible_status != "ok" or bool(facts.receipts)
    return IngestionResult(
        document_id=document_id,
        original_artifact_ref=refs.original,
        normalized_content_ref=refs.markdown,
        canonical_text_ref=refs.canonical,
        conversion_artifact_ref=refs.conversion,
        document_type=facts.classification.document_type if facts.classification else "unknown",
        classification=facts.classification,
        metadata=facts.metadata,
        chunk_manifest=chunks.chunks,
        page_anchor_map=anchors,
        attachments=facts.attachments,
        ingestion_status="degraded_complete" if degraded else "complete",
        quality_report=report,
        failure_receipts=facts.receipts,
        content_hashes=ContentHashes(
            raw_file_hash=facts.raw_file_hash,
            normalized_binary_hash=facts.normalized_binary_hash,
            normalized_text_hash=facts.normalized_text_hash,
            page_hashes=pages.page_hashes,
            chunk_hashes=chunks.chunk_hashes,
            source_instance_id=source_instance_id,
        ),
        attempts=tool.attempts,
        sandbox_level=tool.sandbox_level,
    )


def tool_attempts(tool: dict[str, Any]) -> tuple[Attempt, ...]:
    """The plugin calls recorded for a version, from the values of its `tool.json`.

    Raises:
        ValueError: the values contain no valid attempts.
    """
    return _Tool.read(to_json(tool)).attempts


def _json(value: object, *, exclude: Any = None) -> bytes:
    """JSON of plain values and contract models alike, in one pass."""
    return to_json(value, indent=1, exclude=exclude)
