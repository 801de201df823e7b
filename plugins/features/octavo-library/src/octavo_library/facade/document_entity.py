"""`library.catalogue.entity`: everything that is known of a document, as one record (STO-15)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from octavo_contracts import (
    Chunk,
    ContentHashes,
    DocumentClassification,
    IngestionQualityReport,
    LibraryDamaged,
    PageAnchorMap,
    UsageError,
)

from ..storage import ConversationDocumentState, CorpusMembership, DocumentRecord, PathRecord
from ..storage.result_view import file_as_told
from ..storage.version_files import REPORT, TOOL, version_refs
from ..storage.version_reader import files_of
from ..summaries.makers import installed_makers
from ..summaries.stored_summary import StoredSummary, valid_summary
from ..text.times import time_text
from .document import Document
from .document_annotations import Annotation
from .document_versions import DocumentVersion
from .way_in_findings import way_in_findings

_TOOL_ITSELF = ("plugin", "plugin_version", "created_at", "attempts", "held_back", "stored_original")
"""Entries of a version's `tool.json` that are no configuration: the artifact has them, or the quality report."""


@dataclass(frozen=True, kw_only=True)
class ConversionArtifact:
    """A conversion version.

    Attributes:
        version: its number, from 1.
        tool: the plugin that made it.
        tool_version: the plugin's version, or None if unknown.
        config: how it was made: profile, reason of the routing, engine version, sandbox level, and so on; empty if its files
            are gone.
        created_at: ISO 8601, UTC.
        markdown_path: reference of its `converted.md`; None if its files were purged.
        quality_report: its report; None if its files are gone or damaged.
        is_active: whether readers get it.
    """

    version: int
    tool: str
    tool_version: str | None
    config: dict[str, Any]
    created_at: str
    markdown_path: str | None
    quality_report: IngestionQualityReport | None
    is_active: bool


@dataclass(frozen=True, kw_only=True)
class DocumentEntity:
    """A document with every field of the specification; what the asker may not see is left out (STO-5).

    Texts, chunks, hashes and anchors are those of the version of the `Document`. Summaries and the time of extraction are
    shown to the library's owner alone: that they exist tells that somebody asked for them.

    Attributes:
        id: its id.
        title: its title, or None.
        content_addressable_keys: its hashes, and the id of the asker's source instance.
        original_paths: where it was seen, oldest first, with type and time, and whether it is gone from there.
        file_size: its bytes, or None if unknown.
        mime_type: its type by content, or None.
        classification: the classifier's verdict, or None.
        raw_text_by_page: the canonical text of each page; empty without content.
        raw_text_full: the whole canonical text.
        text_token_count: tokens of that text, estimated as characters divided by four.
        structured_summary: the stored summary of the version as JSON, or None without a valid one.
        page_summaries: its summaries of pages, in page order, or None.
        summary_generated_at: when it was made, or None.
        summary_model: what made it, with its version, or None.
        conversion_artifacts: its versions, oldest first.
        active_conversion_version: the version of the `Document`, or None.
        chunks: its chunks by the library's configuration.
        page_anchor_map: pages and their offsets in both texts.
        ingestion_status: `complete`, `degraded_complete` or `hard_failed`.
        hard_fail_reason_code: why it failed, or None.
        api_file_id: the file that a provider of models holds, the latest one; or None.
        api_file_uploaded_at: when that was uploaded.
        conversations_sent_to: conversation id → state of the document in it.
        corpus_memberships: its corpora, with when and by whom it was added.
        first_opened_at: when a model was first sent the document, or None.
        first_ingested_at: when the asker first ingested it.
        last_accessed_at: when a model was last sent the document, or None.
        last_reingested_at: when it was last converted again, or None.
        extracted_at: when entities were last extracted from the version, or None.
        bookmarks: the user's bookmarks.
        highlights: the user's highlights.
        notes: the user's notes.
    """

    id: str
    title: str | None
    content_addressable_keys: ContentHashes
    original_paths: tuple[PathRecord, ...]
    file_size: int | None
    mime_type: str | None
    classification: DocumentClassification | None
    raw_text_by_page: tuple[str, ...]
    raw_text_full: str
    text_token_count: int
    conversion_artifacts: tuple[ConversionArtifact, ...]
    active_conversion_version: int | None
    chunks: tuple[Chunk, ...]
    page_anchor_map: PageAnchorMap
    ingestion_status: str
    hard_fail_reason_code: str | None
    api_file_id: str | None
    api_file_uploaded_at: str | None
    conversations_sent_to: dict[str, ConversationDocumentState]
    corpus_memberships: tuple[CorpusMembership, ...]
    first_opened_at: str | None
    first_ingested_at: str
    last_accessed_at: str | None
    last_reingested_at: str | None
    bookmarks: tuple[Annotation, ...]
    highlights: tuple[Annotation, ...]
    notes: tuple[Annotation, ...]
    structured_summary: str | None = None
    page_summaries: tuple[str, ...] | None = None
    summary_generated_at: str | None = None
    summary_model: str | None = None
    extracted_at: str | None = None


CHARACTERS_A_TOKEN = 4


def entity_of(document: Document) -> DocumentEntity:
    """Assemble the entity of a document from index and store, as the asker of the document may see it.

    Args:
        document: the document.

    Raises:
        LibraryDamaged: files of its version are missing or altered.
    """
    index, policy, result = document.context.index, document.policy, document.result
    record = index.documents.get(document.id, policy=policy)
    is_readable = document.active_version is not None
    text = document.canonical_text if is_readable else ""
    sent = index.conversations.of_document(document.id, policy=policy)
    upload = next(iter(index.uploads.of_document(document.id, policy=policy)), None)
    marks = tuple(document.annotations)
    summary = _summary_of(document)
    return DocumentEntity(
        id=document.id,
        title=document.title,
        content_addressable_keys=result.content_hashes,
        original_paths=index.documents.paths(document.id, policy=policy),
        file_size=record.file_size,
        mime_type=document.media_type,
        classification=result.classification,
        raw_text_by_page=tuple(page.text for page in document.pages) if is_readable else (),
        raw_text_full=text,
        text_token_count=-(-len(text) // CHARACTERS_A_TOKEN),
        conversion_artifacts=tuple(_artifact(document, record, one) for one in document.versions),
        active_conversion_version=document.active_version,
        chunks=_chunks(document, result.chunk_manifest),
        page_anchor_map=result.page_anchor_map,
        ingestion_status=document.status,
        hard_fail_reason_code=document.reason,
        api_file_id=upload.api_file_id if upload is not None else None,
        api_file_uploaded_at=upload.uploaded_at if upload is not None else None,
        conversations_sent_to={one.conversation_id: one for one in sent},
        corpus_memberships=index.memberships.of_document(document.id, policy=policy),
        first_opened_at=min((one.first_sent_at for one in sent if one.first_sent_at), default=None),
        first_ingested_at=document.ingested_at,
        last_accessed_at=max((one.last_sent_at for one in sent if one.last_sent_at), default=None),
        last_reingested_at=record.last_reingested_at,
        bookmarks=tuple(one for one in marks if one.kind == "bookmark"),
        highlights=tuple(one for one in marks if one.kind == "highlight"),
        notes=tuple(one for one in marks if one.kind == "note"),
        structured_summary=json.dumps(summary.content, ensure_ascii=False) if summary is not None else None,
        page_summaries=_page_summaries(summary) if summary is not None else None,
        summary_generated_at=time_text(summary.made_at) if summary is not None else None,
        summary_model=f"{summary.maker} {summary.maker_version}" if summary is not None else None,
        extracted_at=_extracted_at(document),
    )


def _summary_of(document: Document) -> StoredSummary | None:
    """The first valid summary that is stored with the version; None if another policy context than the owner's asks."""
    if document.policy is not None or document.active_version is None:
        return None
    days = document.context.runtime.settings.briefs.max_days
    found = (
        valid_summary(document.context.artifacts, document.raw_hash, document.active_version, maker, max_days=days)
        for maker in installed_makers()
    )
    return next((one for one in found if one is not None), None)


def _page_summaries(summary: StoredSummary) -> tuple[str, ...] | None:
    given = summary.content.get("page_summaries")
    return tuple(str(one["value"]) for one in given) if isinstance(given, list) else None


def _extracted_at(document: Document) -> str | None:
    if document.policy is not None or document.active_version is None:
        return None
    run = document.context.index.entities.last_run(document.id, version=document.active_version)
    return run.at if run is not None else None


def _chunks(document: Document, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """Chunks with their entries in the vector index, as far as the last search made them."""
    vectors = document.context.chunk_index.embedding_ids(document.id) if chunks else {}
    return tuple(one.model_copy(update={"embedding_id": vectors.get(one.chunk_id)}) for one in chunks)


def _artifact(document: Document, record: DocumentRecord, version: DocumentVersion) -> ConversionArtifact:
    refs = version_refs(record.raw_hash, version.version, original="")
    config: dict[str, Any] = {}
    report = None
    try:
        config = json.loads(_file(document, record, version.version, TOOL))
        report = IngestionQualityReport.read(_file(document, record, version.version, REPORT).decode())
    except (UsageError, LibraryDamaged):
        pass  # `condition` of the version says why; the other versions are still shown
    return ConversionArtifact(
        version=version.version,
        tool=version.tool,
        tool_version=version.tool_version,
        config={name: value for name, value in config.items() if name not in _TOOL_ITSELF},
        created_at=version.created_at,
        markdown_path=refs.markdown if version.condition != "purged" else None,
        quality_report=report,
        is_active=version.is_active,
    )


def _file(document: Document, record: DocumentRecord, version: int, name: str) -> bytes:
    """A file of a version, as the asker may see it."""
    context, policy = document.context, document.policy
    with files_of(context, record, version) as files:
        data = files.read(f"{files.folder}/{name}")
    if policy is None:
        return data
    shown = replace(record, active_version=version)
    found = way_in_findings(context.index, shown, policy=policy)
    profiles = context.index.corpora.profiles_of(policy)
    return file_as_told(name, data, shown, findings=found, profiles=profiles)
