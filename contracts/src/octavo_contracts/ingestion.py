"""`IngestionResult`: the result that a host receives for every document (ENG-19; seed 003 §17.2)."""

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
    """Position of one page in the two texts. Offsets count code points; ends are exclusive."""

    page: int = Field(ge=1, description="Page, from 1.")
    label: str | None = Field(default=None, description="The document's own name of the page.")
    text_start: int = Field(ge=0, description="Start of the page's body in canonical.txt.")
    text_end: int = Field(ge=0, description="End of the page's body in canonical.txt.")
    markdown_start: int = Field(ge=0, description="Start of the page in converted.md.")
    markdown_end: int = Field(ge=0, description="End of the page in converted.md.")


class PageAnchorMap(RootModel[tuple[PageAnchor, ...]]):
    """Maps pages to offsets and back (CNV-12). Empty for a document without pages."""

    model_config = ConfigDict(frozen=True, strict=True)

    root: tuple[PageAnchor, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for index, anchor in enumerate(self.root):
            if anchor.page != index + 1:
                raise ValueError(
                    f"anchors must be for pages 1..n in order; found page {anchor.page} at position {index + 1}"
                )
            if anchor.text_end < anchor.text_start or anchor.markdown_end < anchor.markdown_start:
                raise ValueError(f"the anchor of page {anchor.page} ends before it starts")
            if index and (
                anchor.text_start < self.root[index - 1].text_end
                or anchor.markdown_start < self.root[index - 1].markdown_end
            ):
                raise ValueError(f"the anchor of page {anchor.page} overlaps the previous page")
        return self

    def __len__(self) -> int:
        return len(self.root)

    def anchors(self) -> Iterator[PageAnchor]:
        """Iterate over the anchors, page 1 first."""
        return iter(self.root)

    def page(self, number: int) -> PageAnchor:
        """Return the anchor of a page.

        Raises:
            IndexError: there is no such page.
        """
        if not 1 <= number <= len(self.root):
            raise IndexError(f"page {number} does not exist; there are {len(self.root)}")
        return self.root[number - 1]

    def page_at(self, offset: int) -> int | None:
        """Return the page that contains a code point of canonical.txt; a separator belongs to the page before it.

        Returns:
            The page from 1, or None if there are no anchors or the offset is negative.
        """
        if not self.root or offset < 0:
            return None
        return max(1, bisect_right(self.root, offset, key=lambda anchor: anchor.text_start))

    def page_at_markdown(self, offset: int) -> int | None:
        """Return the page that contains a code point of converted.md; see `page_at`."""
        if not self.root or offset < 0:
            return None
        return max(1, bisect_right(self.root, offset, key=lambda anchor: anchor.markdown_start))


class Chunk(Model):
    """A piece of the canonical text for retrieval (STO-15)."""

    chunk_id: str = Field(description="Stable id: the same text and config give the same id.")
    config_version: str = Field(description="Version of the chunking config that produced the chunk.")
    span: Span = Field(description="Range in canonical.txt.")
    markdown_span: Span | None = Field(
        default=None,
        description="Range of its page in converted.md that covers the chunk, for display; null if it cannot be determined.",
    )
    page: int | None = Field(
        default=None,
        ge=1,
        description="Page, from 1; null if the document has no pages. No chunk crosses a page boundary.",
    )
    embedding_id: str | None = Field(default=None, description="Entry in the vector index, if any.")


class ContentHashes(Model):
    """The six kinds of hash (STO-4); null or empty if not computed."""

    raw_file_hash: Sha256Hex | None = Field(default=None, description="SHA-256 of the bytes.")
    normalized_binary_hash: Sha256Hex | None = Field(
        default=None,
        description="SHA-256 after normalising byte order mark, line ends and white space (text formats; otherwise: of the bytes).",
    )
    normalized_text_hash: Sha256Hex | None = Field(default=None, description="SHA-256 of canonical.txt in UTF-8.")
    page_hashes: tuple[Sha256Hex, ...] = Field(default=(), description="SHA-256 of each page's canonical body.")
    chunk_hashes: tuple[Sha256Hex, ...] = Field(default=(), description="SHA-256 of each chunk's text.")
    source_instance_id: str | None = Field(
        default=None, description="Key of (document, policy context, surface, corpus) (STO-5)."
    )


class FailureReceipt(Model):
    """What failed, where, why, and what happens next. Degraded results have receipts too (ENG-23)."""

    stage: IngestionState = Field(description="State that the job was in or could not reach.")
    reason_code: HardFailReason = Field(description="Reason code (ENG-7).")
    details: str = Field(description="The problem, with its plugin and page.")
    remedy: str = Field(default="", description="What the user can do.")
    retry: Retry = Field(default=Retry.MANUAL, description="Whether a new job is started automatically.")
    plugin: str | None = Field(default=None, description="The plugin that was running.")
    timestamp: datetime = Field(description="When, UTC.")


class Attempt(Model):
    """One call of a plugin's hook."""

    plugin: str = Field(description="The plugin.")
    plugin_version: str | None = Field(default=None, description="Version of its distribution.")
    distribution: str | None = Field(
        default=None, description="The distribution that the plugin belongs to; null in results of earlier hosts."
    )
    code_hash: Sha256Hex | None = Field(
        default=None, description="SHA-256 of the plugin's files; null for hooks of the host itself."
    )
    engine_version: str | None = Field(default=None, description="Version of the engine, if reported.")
    hook: str = Field(description="The hook.")
    outcome: Literal["ok", "failed", "refused"] = Field(description="Outcome of the call.")
    reason_code: HardFailReason | None = Field(default=None, description="Reason code of the failure.")
    details: str = Field(default="", description="The problem.")
    chosen_because: str = Field(
        default="", description="Why the plugin was chosen: the rule, the override, the fallback."
    )
    calls: int = Field(
        default=1, ge=1, description="Calls that this entry sums up: the successful ones for pages of one document."
    )
    duration_ms: float = Field(ge=0, description="Wall time, milliseconds.")
    peak_rss_mb: float | None = Field(
        default=None, ge=0, description="Peak resident memory of the worker, MiB, if measured."
    )


class AttachmentRef(Model):
    """A document inside the document, as listed in the result."""

    name: str | None = Field(default=None, description="Name according to the container; never a path.")
    media_type: str = Field(description="Media type according to the container.")
    sha256: Sha256Hex = Field(description="SHA-256 of the bytes.")
    size: int = Field(ge=0, description="Bytes.")
    inline: bool = Field(default=False, description="Whether the body displays it, such as an image in an HTML mail.")
    document_id: str | None = Field(
        default=None,
        description="Id of the library document that was ingested from it; null if none was: no library, bytes not extracted, or disabled by the settings.",
    )


class IngestionResult(Model):
    """Everything known about one ingested document."""

    contract_version: Annotated[str, Field(pattern=r"^\d+\.\d+$")] = Field(
        default=CONTRACT_VERSION, description="Version of this contract."
    )
    document_id: str | None = Field(
        description="UUID derived from the hash of the bytes, so equal bytes have equal ids everywhere; null if no bytes could be read."
    )
    original_artifact_ref: str = Field(
        description="Reference to the original: `file:` for a user's path, `store:originals/…` or `memory:sha256:…` for bytes."
    )
    normalized_content_ref: str | None = Field(
        description="Reference to converted.md of the version; null on hard_failed."
    )
    canonical_text_ref: str | None = Field(
        default=None, description="Reference to canonical.txt of the version; null on hard_failed."
    )
    conversion_artifact_ref: str | None = Field(
        description="The conversion version of this result; never replaced by a newer one implicitly; null on hard_failed."
    )
    document_type: str = Field(description="The effective type: set by a user, else as classified, else 'unknown'.")
    classification: DocumentClassification | None = Field(
        default=None, description="The classification; null if the classifier failed."
    )
    metadata: DocumentMetadata = Field(description="Metadata from the document itself and from the profile.")
    chunk_manifest: tuple[Chunk, ...] = Field(description="Chunks, in order.")
    page_anchor_map: PageAnchorMap = Field(
        description="Maps pages to offsets and back; empty for a document without pages."
    )
    attachments: tuple[AttachmentRef, ...] = Field(default=(), description="Documents inside the document.")
    ingestion_status: IngestionStatus = Field(description="The job's terminal state.")
    quality_report: IngestionQualityReport = Field(description="Quality of the conversion, with reasons.")
    failure_receipts: tuple[FailureReceipt, ...] = Field(
        default=(), description="Failures; at least one on hard_failed."
    )
    content_hashes: ContentHashes = Field(description="The six kinds of hash; null or empty if not computed.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="Every hook call made for this version, in order.")
    sandbox_level: str | None = Field(
        default=None, description="Sandbox level of the converter; null if no converter ran."
    )
    extensions: Extensions = Field(default_factory=dict, description="Data that the contract does not define.")

    def __repr__(self) -> str:
        document = self.document_id[:8] if self.document_id is not None else "of no document"
        score = self.quality_report.quality_score
        quality = f", quality {score:.2f}" if score is not None else ""
        return f"<IngestionResult {document}: {self.ingestion_status}{quality}, {len(self.page_anchor_map)} pages>"

    __str__ = __repr__

    @model_validator(mode="after")
    def _status_and_content_agree(self) -> Self:
        content = (self.normalized_content_ref, self.canonical_text_ref, self.conversion_artifact_ref)
        if self.ingestion_status == "hard_failed":
            if any(ref is not None for ref in content):
                raise ValueError("a hard_failed result must not have content, canonical or conversion references")
            if self.chunk_manifest or len(self.page_anchor_map):
                raise ValueError("a hard_failed result must not have chunks or anchors")
            if not self.failure_receipts:
                raise ValueError("a hard_failed result must have at least one failure receipt")
        elif any(ref is None for ref in content) or self.document_id is None:
            raise ValueError(
                f"a {self.ingestion_status} result must have a document id and content, canonical and conversion references"
            )
        return self
