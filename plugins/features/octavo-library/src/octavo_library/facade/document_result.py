"""Reads the result of a document from the files of its active version, or from its recorded failure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from octavo.builtins.classification.document_types import UNKNOWN
from octavo_contracts import IngestionResult, QualityFinding, UsageError

from ..entities.field_runs import field_findings
from ..storage import DocumentRecord, PolicyContext
from ..storage.result_view import result_as_told, with_findings
from ..storage.version_files import REPORT, read_result, version_refs
from ..storage.version_reader import VersionFiles, files_of
from .context import LibraryContext
from .document_type import corpus_profiles, in_force
from .marked_result import marked
from .profile_metadata import with_profile_metadata
from .way_in_findings import way_in_findings


def load_result(
    context: LibraryContext,
    record: DocumentRecord,
    *,
    policy: PolicyContext | None,
    instance_id: str | None = None,
    findings: Sequence[QualityFinding] = (),
) -> IngestionResult:
    """Read the result of a document's active version, or of its failure, as the asker may see it (STO-5).

    Args:
        context: the library's parts.
        record: its row in the index, as the asker may see it.
        policy: the asking policy context; None: the library's owner.
        instance_id: the source instance; by default the asker's first one of the document.
        findings: findings of the current opening; by default those of the asker's earlier ones.

    Raises:
        UsageError: no result is stored, or its version was purged.
        LibraryDamaged: files of its version are missing or altered.
    """
    by_hand = record.document_type if record.document_type_by is not None else None
    instances = context.index.documents.instances(record.document_id, policy=policy)
    instance = instance_id or next(iter(instances), None)
    since = record.first_ingested_at
    if record.active_version is None:
        failure = context.index.jobs.stored_failure(record.raw_hash)
        if failure is None or failure.result_json is None:
            raise UsageError("the result of the document is not stored", source=record.title or record.document_id)
        result = IngestionResult.read(failure.result_json)
        if result.content_hashes.source_instance_id in instances:
            since = ""  # the asker's own attempt, which ended just before its provenance was recorded
    else:
        with files_of(context, record, record.active_version) as files:
            original = record.original_ref or _original(files)
            result = read_result(
                files.read,
                document_id=record.document_id,
                refs=version_refs(record.raw_hash, record.active_version, original=original),
                chunking_version=context.runtime.settings.chunking.version,
                source_instance_id=instance,
            )
            own = corpus_profiles(context, record.document_id, policy=policy)
            result = with_profile_metadata(context, result, own)
    found = tuple(findings) or way_in_findings(context.index, record, policy=policy)
    if policy is not None:
        profiles = context.index.corpora.profiles_of(policy)
        result = result_as_told(result, record, instance_id=instance, since=since, findings=found, profiles=profiles)
    elif record.active_version is not None:
        found = (*found, *field_findings(context.artifacts, record.raw_hash, record.active_version))
    told = record.document_type if record.document_type != UNKNOWN and result.document_type == UNKNOWN else None
    marks = context.index.page_marks.of_document(record.document_id, policy=policy)
    return marked(in_force(with_findings(result, found), by_hand or told), marks)


def _original(files: VersionFiles) -> str:
    try:
        return str(json.loads(files.text(REPORT))["source_ref"])
    except (ValueError, KeyError, TypeError) as error:
        raise files.damaged(REPORT, "is malformed") from error
