"""What a host receives for every document: `IngestionResult` (ENG-19; seed 003 §17.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, RootModel, model_validator

from ._model import Extensions, Model, Sha256Hex, Span
from .classification import DocumentClassification
from .conversion import DocumentMetadata
from .quality import IngestionQualityReport
from .reasons import HardFailReason, Retry
from .states import IngestionState
from .version import CONTRACT_VERSION

IngestionStatus = Literal["complete", "degraded_complete", "hard_failed"]
"""The three terminal states of a job."""


class PageAnchor(Model):
    """Where one page stands in the two texts. Offsets count code points, ends are exclusive."""

    page: int = Field(ge=1, description="Page, from 1.")
    label: str | None = Field(default=None, description="What the document calls it.")
    text_start: int = Field(ge=0, description="Start of the page's body in canonical.txt.")
    text_end: int = Field(ge=0, description="End of the page's body in canonical.txt.")
    markdown_start: int = Field(ge=0, description="Start of the page in converted.md.")
    markdown_end: int = Field(ge=0, description="End of the page in converted.md.")


class PageAnchorMap(RootModel[tuple[PageAnchor, ...]]):
    """Pages ↔ offsets, both directions (CNV-12). Empty for a document without pages."""

    model_config = ConfigDict(frozen=True, strict=True)

    root: tuple[PageAnchor, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for index, anchor in enumerate(self.root):
            if anchor.page != index + 1:
                raise ValueError(f"anchors must be pages 1..n in order; found page {anchor.page} at place {index + 1}")
            if anchor.text_end < anchor.text_start or anchor.markdown_end < anchor.markdown_start:
                raise ValueError(f"the anchor of page {anchor.page} ends before it starts")
            if index and (
                anchor.text_start < self.root[index - 1].text_end
                or anchor.markdown_start < self.root[index - 1].markdown_end
            ):
                raise ValueError(f"the anchor of page {anchor.page} overlaps the page before")
        return self

    def __len__(self) -> int:
        return len(self.root)

    def anchors(self) -> Iterator[PageAnchor]:
        """The anchors, page 1 first."""
        return iter(self.root)

    def page(self, number: int) -> PageAnchor:
        """The anchor of a page.

        Raises:
            IndexError: there is no such page.
        """
        if not 1 <= number <= len(self.root):
            raise IndexError(f"page {number} of {len(self.root)}")
        return self.root[number - 1]

    def page_at(self, offset: int) -> int | None:
        """The page that holds a code point of canonical.txt; a separator belongs to the page before it.

        Returns:
            The page from 1, or None where there are no anchors or the offset is negative.
        """
        if not self.root or offset < 0:
            return None
        return max(1, bisect_right(self.root, offset, key=lambda anchor: anchor.text_start))

    def page_at_markdown(self, offset: int) -> int | None:
        """The page that holds a code point of converted.md, as `page_at`."""
        if not self.root or offset < 0:
            return None
        return max(1, bisect_right(self.root, offset, key=lambda anchor: anchor.markdown_start))


class Chunk(Model):
    """A piece of the canonical text for retrieval (STO-15)."""

    chunk_id: str = Field(description="Stable: same text and config, same id.")
    config_version: str = Field(description="Chunking config that made it.")
    span: Span = Field(description="Range in canonical.txt.")
    markdown_span: Span | None = Field(
        default=None,
        description="The page's range in converted.md that covers it, for showing; null where it cannot be told.",
    )
    page: int | None = Field(
        default=None, ge=1, description="Page, from 1; null where there are none. No chunk crosses a page."
    )
    embedding_id: str | None = Field(default=None, description="Entry of the vector index, where there is one.")


class ContentHashes(Model):
    """The six hash kinds (STO-4), as far as they were computed."""

    raw_file_hash: Sha256Hex | None = Field(default=None, description="SHA-256 of the bytes.")
    normalized_binary_hash: Sha256Hex | None = Field(
        default=None,
        description="SHA-256 after byte order mark, line ends and white space are made one (text formats; others: of the bytes).",
    )
    normalized_text_hash: Sha256Hex | None = Field(default=None, description="SHA-256 of canonical.txt in UTF-8.")
    page_hashes: tuple[Sha256Hex, ...] = Field(default=(), description="SHA-256 of each page's canonical body.")
    chunk_hashes: tuple[Sha256Hex, ...] = Field(default=(), description="SHA-256 of each chunk's text.")
    source_instance_id: str | None = Field(
        default=None, description="Key of (document, policy context, surface, corpus) (STO-5)."
    )


class FailureReceipt(Model):
    """What failed, where, why, and what happens next. Given on degraded results too (ENG-23)."""

    stage: IngestionState = Field(description="State the job was in or could not reach.")
    reason_code: HardFailReason = Field(description="Reason code (ENG-7).")
    details: str = Field(description="What was wrong, with which plugin and page.")
    remedy: str = Field(default="", description="What the user can do.")
    retry: Retry = Field(default=Retry.MANUAL, description="Whether a new job starts by itself.")
    plugin: str | None = Field(default=None, description="The plugin that was at work.")
    timestamp: datetime = Field(description="When, UTC.")


class Attempt(Model):
    """One call of one plugin's hook."""

    plugin: str = Field(description="The plugin.")
    plugin_version: str | None = Field(default=None, description="Version of its distribution.")
    engine_version: str | None = Field(default=None, description="Version of the engine, where it told.")
    hook: str = Field(description="The hook.")
    outcome: Literal["ok", "failed", "refused"] = Field(description="How it ended.")
    reason_code: HardFailReason | None = Field(default=None, description="Why it failed.")
    details: str = Field(default="", description="What was wrong.")
    chosen_because: str = Field(default="", description="Why it was tried: the rule, the override, the fallback.")
    duration_ms: float = Field(ge=0, description="Wall time, milliseconds.")
    peak_rss_mb: float | None = Field(
        default=None, ge=0, description="Peak resident memory of the worker, MiB, where it was measured."
    )


class AttachmentRef(Model):
    """A document inside the document, as the result names it."""

    name: str | None = Field(default=None, description="Name as the container gives it; never a path.")
    media_type: str = Field(description="Type as the container gives it.")
    sha256: Sha256Hex = Field(description="SHA-256 of the bytes.")
    size: int = Field(ge=0, description="Bytes.")
    inline: bool = Field(default=False, description="Whether the body shows it, as an image in an HTML mail.")
    document_id: str | None = Field(
        default=None,
        description="The document of the library that it was taken in as; null where it was not: without a library, its bytes were not taken out, or the settings leave it.",
    )


class IngestionResult(Model):
    """Everything known of one ingested document."""

    contract_version: Annotated[str, Field(pattern=r"^\d+\.\d+$")] = Field(
        default=CONTRACT_VERSION, description="Version of this contract."
    )
    document_id: str | None = Field(
        description="UUID made from the bytes' hash, so equal bytes have equal ids anywhere; null where no bytes could be read."
    )
    original_artifact_ref: str = Field(
        description="The original: `file:` for a path of the user's, `store:originals/…` or `memory:sha256:…` for bytes."
    )
    normalized_content_ref: str | None = Field(description="converted.md of the version; null on hard_failed.")
    canonical_text_ref: str | None = Field(
        default=None, description="canonical.txt of the version; null on hard_failed."
    )
    conversion_artifact_ref: str | None = Field(
        description="The version this result is bound to; never upgraded in silence; null on hard_failed."
    )
    document_type: str = Field(
        description="The type in force: the one that a user set, else as classified; 'unknown' where it is neither."
    )
    classification: DocumentClassification | None = Field(
        default=None, description="The classifier's verdict, or null where it failed."
    )
    metadata: DocumentMetadata = Field(description="What the document says of itself, and what the profile adds.")
    chunk_manifest: tuple[Chunk, ...] = Field(description="Chunks, in order.")
    page_anchor_map: PageAnchorMap = Field(description="Pages ↔ offsets; empty for a document without pages.")
    attachments: tuple[AttachmentRef, ...] = Field(default=(), description="Documents inside the document.")
    ingestion_status: IngestionStatus = Field(description="The job's terminal state.")
    quality_report: IngestionQualityReport = Field(description="How good the conversion is, and why.")
    failure_receipts: tuple[FailureReceipt, ...] = Field(
        default=(), description="What failed; at least one on hard_failed."
    )
    content_hashes: ContentHashes = Field(description="The six hash kinds, as far as computed.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="Every hook call made for this version, in order.")
    sandbox_level: str | None = Field(
        default=None, description="How well the converter was confined; null where none ran."
    )
    extensions: Extensions = Field(default_factory=dict, description="What the contract does not name.")

    def __repr__(self) -> str:
        document = self.document_id[:8] if self.document_id is not None else "of no document"
        score = self.quality_report.quality_score
        quality = f", quality {score:.2f}" if score is not None else ""
        return f"<IngestionResult {document}: {self.ingestion_status}{quality}, {len(self.page_anchor_map)} pages>"

    @model_validator(mode="after")
    def _status_and_content_agree(self) -> Self:
        content = (self.normalized_content_ref, self.canonical_text_ref, self.conversion_artifact_ref)
        if self.ingestion_status == "hard_failed":
            if any(ref is not None for ref in content):
                raise ValueError("a hard_failed result has no content, canonical or conversion reference")
            if self.chunk_manifest or len(self.page_anchor_map):
                raise ValueError("a hard_failed result has no chunks and no anchors")
            if not self.failure_receipts:
                raise ValueError("a hard_failed result has at least one failure receipt")
        elif any(ref is None for ref in content) or self.document_id is None:
            raise ValueError(
                f"a {self.ingestion_status} result has a document id and content, canonical and conversion references"
            )
        return self
