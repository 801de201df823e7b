"""Exports a document as a zip file: texts, metadata, quality, anchors, annotations, memories, and their SHA-256 (STO-14).

The same state of a document gives the same bytes on every machine: entries are sorted, stamped with one fixed time
and stored without compression, whose output differs between versions of zlib.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from octavo_contracts import ref_path, store_ref
from octavo_sandbox.filesystem.output_file import write_output

from ..entities.extraction_file import altered_extractions
from ..observability.audit import AuditAction
from ..storage import DocumentRecord, PolicyContext
from ..storage.files.layout import version_folder
from ..storage.files.stored_files import name_of
from ..storage.result_view import FILTERED, as_json, file_as_told
from ..storage.version_files import ANCHORS, CANONICAL, CONVERTED, METADATA, REPORT, TOOL
from ..storage.version_reader import files_of
from ..summaries.stored_summary import altered_summaries
from .context import LibraryContext
from .document_annotations import Annotation, content_version
from .exported_memories import exported_memories
from .way_in_findings import way_in_findings

MANIFEST = "manifest.json"
"""The last entry, with the hashes of the others. The version's files are byte for byte those of the library."""

FORMAT = 1
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644
_EXPORTED = (CONVERTED, CANONICAL, REPORT, ANCHORS, TOOL)


def archive_of(
    context: LibraryContext, record: DocumentRecord, annotations: Iterable[Annotation], *, policy: PolicyContext | None
) -> bytes:
    """The archive of a document.

    Args:
        context: the library's parts.
        record: its row in the index, which names the version.
        annotations: its annotations.
        policy: the asking policy context; None: the library's owner.

    Raises:
        UsageError: the document has no content.
        LibraryDamaged: files of its version are missing or altered.
    """
    version = content_version(record)
    with files_of(context, record, version) as stored:
        files = {name: stored.read(f"{stored.folder}/{name}") for name in _EXPORTED}
        files[METADATA] = stored.read(f"{stored.folder}/{METADATA}")
    if policy is None:
        files |= _derived(context, record.raw_hash, version)
    else:
        found = way_in_findings(context.index, record, policy=policy)
        profiles = context.index.corpora.profiles_of(policy)
        files |= {name: file_as_told(name, files[name], record, findings=found, profiles=profiles) for name in FILTERED}
    files[METADATA] = as_json({**json.loads(files[METADATA]), "document": _facts(context, record, policy)})
    files["annotations.json"] = as_json([_annotation_keys(one) for one in annotations])
    if marks := context.index.page_marks.of_document(record.document_id, policy=policy):
        files["page_marks.json"] = as_json([asdict(one) for one in marks])
    if memories := exported_memories(context.index, record.document_id, policy=policy):
        files["memories.json"] = as_json(memories)
    facts = {"document_id": record.document_id, "version": record.active_version, "raw_hash": record.raw_hash}
    return as_zip(files, facts)


def export_to(path: str | os.PathLike[str], context: LibraryContext, record: DocumentRecord, data: bytes) -> str:
    """Write an archive to a file atomically; return its SHA-256.

    Args:
        path: the file.
        context: the library's parts.
        record: the document's row in the index.
        data: the archive.

    Raises:
        UsageError: the path is that of the document's original, or in no folder.
        StorageError: the file cannot be written.
    """
    places = context.index.paths.all(document_id=record.document_id, limit=10_000)
    originals = tuple(ref_path(place.path) for place in places if place.path.startswith("file:"))
    write_output(path, data, never=originals, sha256=record.raw_hash, size=record.file_size, shown="export")
    sha256 = hashlib.sha256(data).hexdigest()
    context.audit.record(
        AuditAction.EXPORTED, document_id=record.document_id, version=record.active_version, sha256=sha256
    )
    return sha256


def as_zip(files: Mapping[str, bytes], facts: Mapping[str, Any]) -> bytes:
    """Build an archive of files with their manifest.

    Args:
        files: name → content.
        facts: further entries of the manifest, as JSON values.
    """
    entries = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())
    }
    manifest = {"format": FORMAT, **facts, "files": entries}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in [*sorted(files.items()), (MANIFEST, as_json(manifest))]:
            info = zipfile.ZipInfo(name, date_time=_LONG_AGO)
            info.create_system = 3  # Unix wherever it is made: the field would name the machine
            info.external_attr = (stat.S_IFREG | _READABLE) << 16
            archive.writestr(info, data)
    return out.getvalue()


def _derived(context: LibraryContext, raw_hash: str, version: int) -> dict[str, bytes]:
    """The stored summaries and extraction runs of a version; altered ones are left out.

    They tell that someone asked for them, so only the library's owner gets them.
    """
    artifacts = context.artifacts
    altered = {*altered_summaries(artifacts, raw_hash, version), *altered_extractions(artifacts, raw_hash, version)}
    kept = {*artifacts.summaries(raw_hash, version), *artifacts.extractions(raw_hash, version)} - altered
    folder = store_ref(version_folder(raw_hash, version))
    found = {ref.removeprefix(f"{folder}/"): artifacts.find(name_of(ref)) for ref in kept}
    return {name: data for name, data in found.items() if data is not None}


def _facts(context: LibraryContext, record: DocumentRecord, policy: PolicyContext | None) -> dict[str, Any]:
    declared = context.index.declarations.get(record.document_id, policy=policy)
    return {
        "document_id": record.document_id,
        "title": record.title,
        "document_type": record.document_type,
        "media_type": record.mime_type,
        "size": record.file_size,
        "status": record.status.value,
        "first_ingested_at": record.first_ingested_at,
        "declared": asdict(declared.metadata) if declared is not None else None,
    }


def _annotation_keys(one: Annotation) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": one.text,
        "page": one.page,
        "span": [one.span.start, one.span.end] if one.span else None,
        "quote": one.quote,
        "made_in": one.made_in,
        "made_by": one.made_by,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
    }
