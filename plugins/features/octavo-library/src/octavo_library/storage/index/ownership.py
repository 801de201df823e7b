"""Ownership of each fact: the one table that decides what a policy context may see of a document (STO-5).

A document is its bytes, and several policy contexts may have the same bytes. Facts that follow from the bytes are
shared. Facts about provenance, and users' remarks, are visible in their own context only. Readers do not decide that
field by
field: `as_told` filters a record by this table, and raises for a field without an entry, or an entry without a value.

`tests/docs/reference.py` generates the page *Policy contexts* of the documentation from it, and a test compares it with
the index, the stored files, the contracts and the public classes, in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum
from typing import Final, TypeVar

T = TypeVar("T")


class Owner(StrEnum):
    """The owner of a fact, which decides who may see it."""

    BYTES = "bytes"
    """It follows from the document's bytes and the library's plugins: visible to all who have the document."""
    WAY_IN = "way in"
    """It belongs to the provenance: visible in the policy context of that source instance."""
    CONTEXT = "context"
    """It is a user's remark: visible in the policy context in which it was made."""
    CORPUS = "corpus"
    """It belongs to a corpus: visible to users of that corpus."""
    LIBRARY = "library"
    """It belongs to the library as a whole: visible to its owner, who names no corpus, and to no user of a corpus."""


_B, _W, _C, _K, _L = Owner.BYTES, Owner.WAY_IN, Owner.CONTEXT, Owner.CORPUS, Owner.LIBRARY


def _all(whose: Owner, names: str, /, **others: Owner) -> dict[str, Owner]:
    return dict.fromkeys(names.split(), whose) | others


TABLES: Final[Mapping[str, Mapping[str, Owner]]] = {
    "meta": _all(_L, "key value"),
    "corpora": _all(
        _K, "corpus_id name profile visibility sensitivity overrides_json chunking_config_version created_at"
    ),
    "documents": _all(
        _B,
        "document_id content_hash normalized_binary_hash normalized_text_hash title file_size mime_type "
        "active_conversion_version ingestion_status hard_fail_reason",
        # Types registered by a profile are visible to the contexts with that profile; the rest follows from the bytes.
        document_type=_C,
        classification_json=_C,
        original_ref=_W,
        first_ingested_at=_W,
        last_reingested_at=_L,
        last_accessed_at=_L,
        processing_log_ref=_L,
    ),
    "document_types": _all(_C, "document_id policy_context_json document_type set_by at"),
    "document_acceptances": _all(_C, "document_id policy_context_json version note accepted_by at"),
    "document_metadata": _all(_C, "document_id policy_context_json title date source further_json declared_by at"),
    "metadata_disputes": _all(
        _C,
        "dispute_id document_id policy_context_json title date source further_json path location_type surface corpus_id "
        "declared_by at",
    ),
    "document_page_marks": _all(_C, "document_id policy_context_json page kind marked_by at"),
    "document_inspections": _all(_L, "document_id request_key inspection_json"),
    "document_original_paths": _all(_W, "path_id document_id path location_type added_at is_stale"),
    "document_corpus_memberships": _all(
        _K, "membership_id document_id corpus_id added_at added_by extraction_status extraction_history_json"
    ),
    "document_source_instances": _all(
        _W, "source_instance_id document_id corpus_id policy_context_json ingested_at ingestion_surface"
    ),
    "conversions": _all(
        _B,
        "document_id version tool tool_version quality_score status flags_json normalized_text_hash artifact_ref "
        "damaged_at purged_at title",
        job_id=_L,
        config_json=_W,
        created_at=_W,
    ),
    "activations": _all(_B, "document_id seq version", activated_by=_L, at=_L),
    "content_hashes": _all(_B, "document_id version kind position hash"),
    "jobs": _all(
        _W,
        "job_id document_id raw_hash source_instance_id intent state seq attempts reason waiting_reason request_json "
        "result_json created_at updated_at run_id",
        open_key=_L,
        owner=_L,
        lease_until=_L,
        claims=_L,
        engine_set=_L,
    ),
    "transitions": _all(_L, "job_id seq from_state to_state skipped at details_json"),
    "ingest_events": _all(
        _W, "event_id document_id job_id source_instance_id path surface corpus_id outcome at run_id"
    ),
    "runs": _all(
        _L,
        "run_id owner started_at ended_at ended corpus_id surface sources_json options_json engine_set retry_of workers "
        "total not_attempted bottleneck commit_policy",
    ),
    "hosts": _all(_L, "owner host pid kind labels_json started_at seen_at alive_until"),
    "pauses": _all(_L, "owner cause value resumes_at advice since"),
    "overrides": _all(_K, "override_id document_id corpus_id plugin set_by at"),
    "purges": _all(_L, "purge_id kind document_id version subject highest_version bytes purged_by at done_at"),
    "document_annotations": _all(
        _C,
        "annotation_id document_id policy_context_json kind body version page text_start text_end quote quote_before "
        "quote_after made_by created_at updated_at",
    ),
    "document_links": _all(_C, "document_id other_id kind policy_context_json made_by at"),
    "document_attachments": _all(_B, "parent_id document_id raw_hash name position", at=_L),
    "document_conversations": _all(
        _C,
        "conversation_id document_id policy_context_json state_version model tier first_sent_at last_sent_at "
        "prompt_cache_active last_cache_use cache_content_hash total_tokens_sent total_tokens_saved retrieved_pages_json "
        "is_escalated",
    ),
    "document_uploads": _all(
        _C, "document_id provider policy_context_json api_file_id file_hash uploaded_at expires_at"
    ),
    "document_references": _all(_C, "document_id policy_context_json marked_by at"),
    "memories": _all(
        _C,
        "memory_id document_id policy_context_json version type text language confidence page text_start text_end quote "
        "quote_before quote_after source_ref content_ref conversion_artifact_ref made_by created_at last_verified_at "
        "last_verification",
    ),
    "memory_terms": _all(_C, "term memory_id document_id uses"),
    "memory_entities": _all(_C, "memory_id entity_id relationship document_id label name"),
    "memory_links": _all(_C, "memory_id other_id kind document_id other_document_id confidence made_by at"),
    "research_runs": _all(
        _K, "research_id corpus_id question options_json status phase reason created_at updated_at", owner=_L
    ),
    "research_steps": _all(_K, "research_id name seq phase result_json at"),
    "document_sketches": _all(_B, "document_id version sketch"),
    "document_changes": _all(_L, "number document_id"),
    "document_change_log": _all(_L, "transaction_id document_id"),
    "document_names": _all(_W, "name_id document_id path_id name"),
    "sketch_keys": _all(_B, "key document_id"),
    "document_ocr_pages": _all(_B, "document_id page_fingerprint"),
    "entities": _all(_B, "entity_id label key name", created_at=_L),
    "entity_runs": _all(
        _B, "run_id document_id version engine engine_version found kept dropped_json", request_json=_L, at=_L
    ),
    "entity_observations": _all(
        _B, "observation_id run_id entity_id document_id label text text_start text_end confidence normalized"
    ),
    "entity_edges": _all(_B, "entity_id run_id kind document_id version mentions"),
    "entity_decisions": _all(_K, "decision_id entity_id corpus_id action reason note made_by undoes at"),
    "routing_comparisons": _all(
        _L,
        "comparison_id profile routing_type occasion slot document_id version job_id run_id tool_a engine_a tool_b "
        "engine_b metrics_json agreement threshold diverges failure seconds at",
    ),
    "routing_verdicts": _all(_L, "verdict_id profile routing_type action tool seen note made_by undoes at"),
}
"""Table of the index → column → its owner."""

RECORD: Final[Mapping[str, Owner]] = _all(
    _B,
    "document_id raw_hash normalized_binary_hash normalized_text_hash file_size mime_type active_version status reason",
    title=_C,
    classification_json=_C,
    document_type=_C,
    document_type_by=_C,
    original_ref=_W,
    first_ingested_at=_W,
    last_reingested_at=_L,
    processing_log_ref=_L,
)
"""Field of `DocumentRecord`, the source of every answer about a document → its owner."""

CONVERSION: Final[Mapping[str, Owner]] = _all(
    _B,
    "document_id version tool tool_version quality_score status flags normalized_text_hash artifact_ref damaged_at "
    "purged_at is_active",
    job_id=_L,
    config_json=_W,
    created_at=_W,
)
"""Field of `ConversionRecord` → its owner."""

RESULT: Final[Mapping[str, Owner]] = _all(
    _B,
    "contract_version document_id normalized_content_ref canonical_text_ref conversion_artifact_ref "
    "metadata chunk_manifest page_anchor_map attachments attempts sandbox_level extensions",
    classification=_C,
    ingestion_status=_W,
    original_artifact_ref=_W,
    document_type=_C,
    quality_report=_W,
    failure_receipts=_W,
    content_hashes=_W,
)
"""Field of `IngestionResult` → its owner. In three fields, parts belong to the provenance: see `RESULT_PARTS`.

The status is `degraded_complete` also if the user's own source instance was degraded, by a page that failed to render.
"""

RESULT_PARTS: Final[Mapping[str, Mapping[str, Owner]]] = {
    "quality_report": _all(
        _B,
        "selected_tool selected_tool_reason conversion_artifact_ref quality_score page_anchor_integrity "
        "table_integrity_score text_yield_score ocr_confidence_summary fallback_attempts extensions",
        source_ref=_W,
        # Findings that follow from the bytes, and those of the user's own source instances, but of no others.
        findings=_W,
        degraded_flags=_W,
        user_visible_status=_W,
    ),
    "failure_receipts": _all(_B, "stage reason_code details remedy retry plugin", timestamp=_W),
    "content_hashes": _all(
        _B, "raw_file_hash normalized_binary_hash normalized_text_hash page_hashes chunk_hashes", source_instance_id=_W
    ),
}
"""Field of `IngestionResult` → field of that → its owner."""

FILES: Final[Mapping[str, Mapping[str, Owner]]] = {
    "converted.md": {"": _B},
    "canonical.txt": {"": _B},
    "anchors.json": {"": _B},
    "pages.json": {"": _B},
    "tool.json": _all(
        _B,
        "plugin plugin_version distribution code_hash engine_version sandbox_level attempts headings_voted letters_put_back repaired_pages tables_put_back tables_undone held_back",
        because=_L,
        profile=_L,
        stored_original=_L,
        created_at=_W,
    ),
    "quality_report.json": RESULT_PARTS["quality_report"],
    "comparison.json": {"": _L},
    "metadata.json": _all(
        _B,
        "metadata attachments raw_file_hash normalized_binary_hash normalized_text_hash",
        classification=_C,
        receipts=_W,
    ),
    "chunks/*/manifest.json": {"": _B},
    "version.json": {"": _L},
    "record.json": {"": _L},
    "library.json": {"": _L},
    "processing_log.json": {"": _L},
    "originals/*": {"": _B},
    "ocr/*": {"": _B},
    "logs/events.jsonl": {"": _L},
    "logs/audit.jsonl": {"": _L},
}
"""Stored file → its key, or the empty string for the whole file → its owner."""


ANSWERS: Final[Mapping[str, Mapping[str, Owner]]] = {
    "Document": _all(
        _B,
        "active_version canonical_text id markdown media_type page pages raw_hash reason status structured_text "
        "archive export reconvert why_empty",
        plugin=_L,
        set_plugin=_L,
        annotations=_C,
        attached_to=_W,
        attachments=_W,
        document_type=_C,
        document_type_by=_C,
        ingested_at=_W,
        links=_C,
        metadata=_C,
        original=_W,
        page_marks=_C,
        paths=_W,
        policy=_C,
        quality=_W,
        result=_W,
        set_type=_C,
        similar=_W,
        title=_C,
        versions=_W,
    ),
    "Original": _all(_W, "open relink page_image", has_page_images=_B),
    "Versions": _all(_B, "activate count index", acceptance=_C, suggestion=_C),
    "Suggestion": _all(_C, "document_id version plugin cause message"),
    "DocumentVersion": _all(
        _B, "version tool tool_version quality_score status flags is_active condition held_back", created_at=_W
    ),
    "IngestOutcome": _all(
        _W,
        "already_known attachments attached_to document document_id held_back not_applied result reused source walk "
        "was_attempted",
    ),
    "AlreadyKnown": _all(_W, "document_id corpora first_seen_at"),
    "Annotation": _all(_C, "id kind text page span quote made_in made_by created_at updated_at is_lost"),
    "Annotations": _all(_C, "add remove update"),
    "Acceptance": _all(_C, "current clear history set"),
    "AcceptedVersion": _all(_C, "version note accepted_by at"),
    "Metadata": _all(_C, "current disputes resolve set"),
    "Declaration": _all(_C, "metadata declared_by at"),
    "MetadataDispute": _all(_C, "id metadata path surface declared_by at"),
    "PageMarks": _all(_C, "add pages remove"),
    "PageMark": _all(_C, "page kind marked_by at"),
    "Links": _all(_C, "add remove"),
    "Link": _all(_C, "document_id other_id kind made_by at"),
    "Similar": _all(_B, "document_id kind score", title=_C),
    "DocumentJob": _all(
        _W,
        "job_id document_id intent state standing attempts reason details run_id begun_at changed_at is_open follow_up",
    ),
}
"""Class of the public interface → attribute → its owner. A method has the owner of the fact it shows or changes."""


def as_told(stored: T, table: Mapping[str, Owner], own: Mapping[str, object]) -> T:
    """Filter a record for a policy context: replace each fact that may come from others by the context's own value.

    Args:
        stored: a stored dataclass record.
        table: the owner of each field.
        own: the context's value of each field that does not follow from the bytes; the library's fields become None.

    Raises:
        KeyError: the table lacks a field, or `own` lacks a value.
    """
    filtered: dict[str, object] = {}
    for each in fields(stored):  # type: ignore[arg-type]  # any dataclass
        match table[each.name]:
            case Owner.BYTES:
                continue
            case Owner.LIBRARY:
                filtered[each.name] = None
            case _:
                filtered[each.name] = own[each.name]
    return replace(stored, **filtered)  # type: ignore[type-var]  # any dataclass


def parts_as_told(
    stored: Mapping[str, object], table: Mapping[str, Owner], own: Mapping[str, object]
) -> dict[str, object]:
    """As `as_told`, for the keys of a JSON object or a contract model; a key that is not in the table is left out."""
    filtered: dict[str, object] = {}
    for name, value in stored.items():
        match table.get(name, Owner.LIBRARY):
            case Owner.BYTES:
                filtered[name] = value
            case Owner.LIBRARY:
                continue
            case _:
                filtered[name] = own[name]
    return filtered
