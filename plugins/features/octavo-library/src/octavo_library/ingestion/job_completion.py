"""The writes that end a job whose version is stored, each made in whatever transaction the writer has open (STO-8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from octavo_contracts import DocumentClassification, IngestionResult, IngestionState

from ..storage import ConversionFacts, DocumentFacts, FinishedConversion, Index, Job, Sighting, Step
from .activation import HELD_BACK
from .sampling.sampler import to_record

_S = IngestionState

EndJob = Callable[[Index], Job]
"""The write that ends a job, to be made in whatever transaction the writer has open."""


def ending(
    job: Job,
    result: IngestionResult,
    facts: DocumentFacts,
    tool: dict[str, Any],
    number: int,
    sighting: Sighting | None,
    started: str,
    *,
    activate: bool,
) -> EndJob:
    """The write that ends a job whose version is stored."""
    if not activate:
        # What the index says of the document is what its readers get.
        facts = replace(facts, title=None, document_type=None, classification_json=None)
    report = result.quality_report
    config = {name: tool[name] for name in ("profile", "because", HELD_BACK) if name in tool}
    conversion = ConversionFacts(
        version=number,
        tool=tool["plugin"],
        tool_version=tool["plugin_version"],
        config_json=json.dumps(config),
        quality_score=report.quality_score,
        status="ok" if report.user_visible_status == "ok" else "degraded",
        flags=report.degraded_flags,
        activate=activate,
    )
    converted = Step(
        state=_S.CONVERTED,
        step="convert",
        started_at=started,
        ended_at=now_text(),
        outcome=report.user_visible_status,
        tool=f"{tool['plugin']} {tool['plugin_version']}",
    )
    skipped = (_S.EXTRACTION_PENDING, _S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)
    way = (
        converted,
        _S.CLASSIFIED if result.classification else _S.CLASSIFICATION_FAILED,
        Step(state=_S.SUMMARIZED, skipped=True),
        _S.INDEXED,
        *(Step(state=state, skipped=True) for state in skipped),
        _S.COMPLETE if result.ingestion_status == "complete" else _S.DEGRADED_COMPLETE,
    )

    return FinishConversion(
        FinishedConversion(job=job, steps=way, document=facts, conversion=conversion, sighting=sighting)
    )


def with_ocr_pages(end: EndJob, document_id: str, fingerprints: tuple[str, ...]) -> EndJob:
    """Also note, with the end of the job, which recognised pages the document has (ENG-29)."""

    def end_both(index: Index) -> Job:
        job = end(index)
        index.purges.record_ocr_pages(document_id, fingerprints)
        return job

    return end_both


def with_plugin(end: EndJob, document_id: str, plugin: str) -> EndJob:
    """Also keep, with the end of the job, the plugin that a user chose for the document (CNV-1)."""

    def end_both(index: Index) -> Job:
        job = end(index)
        index.corpora.set_override(plugin, document_id=document_id, by="user")
        return job

    return end_both


def with_comparison(end: EndJob, compared: dict[str, Any], job: Job, *, document_id: str, version: int) -> EndJob:
    """Also count, with the end of the job, that the document was converted twice: once, whatever is killed (CNV-4)."""
    record = to_record(compared, document_id=document_id, version=version, job_id=job.job_id, run_id=job.run_id)

    def end_both(index: Index) -> Job:
        ended = end(index)
        index.comparisons.record(record)
        return ended

    return end_both


@dataclass(frozen=True, slots=True)
class FinishConversion:
    """Ends a job whose version is stored; many of a kind go in by the same few statements."""

    finished: FinishedConversion

    def __call__(self, index: Index) -> Job:
        """End this one."""
        one = self.finished
        return index.jobs.finish_conversion(
            one.job, *one.steps, document=one.document, conversion=one.conversion, sighting=one.sighting
        )

    @staticmethod
    def together(index: Index, many: Sequence[FinishConversion]) -> list[Job]:
        """End all of these, or none."""
        return index.jobs.finish_conversions([one.finished for one in many])


def facts_of(result: IngestionResult, *, size: int | None, media_type: str | None) -> DocumentFacts:
    """What the index keeps of a converted document."""
    hashes = result.content_hashes
    assert hashes.raw_file_hash is not None  # a converted document was hashed
    return DocumentFacts(
        raw_hash=hashes.raw_file_hash,
        normalized_binary_hash=hashes.normalized_binary_hash,
        normalized_text_hash=hashes.normalized_text_hash,
        title=result.metadata.title,
        document_type=result.document_type,
        file_size=size,
        mime_type=media_type,
        classification_json=as_text(result.classification),
        original_ref=result.original_artifact_ref,
        page_hashes=hashes.page_hashes,
        chunk_hashes=hashes.chunk_hashes,
    )


def as_text(classification: DocumentClassification | None) -> str | None:
    """A classification as JSON text, for the index; None where there is none."""
    return classification.to_json() if classification else None


def now_text() -> str:
    """The time now, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat()
