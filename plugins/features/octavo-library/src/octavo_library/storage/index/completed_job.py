"""The record of everything that a job's end changes."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import HardFailReason, IngestionState

from .attachments import AttachedDocument
from .comparisons import NewComparison
from .declarations import DeclaredMetadata
from .instance_ids import PolicyContext
from .records import ConversionFacts, DocumentFacts, Job, Provenance, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class JobFailure:
    """Why a job failed.

    Attributes:
        reason: the reason code.
        result_json: the `IngestionResult` to return for the same bytes in future; None: there is no such result.
    """

    reason: HardFailReason
    result_json: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CompletedJob:
    """The end of one job, for `index.jobs.complete`: with a stored version, or with a failure.

    Attributes:
        job: as it was last read.
        steps: the remaining transitions. With a version they end in `complete` or `degraded_complete`; for a failure,
            `hard_failed` is appended unless it is the last.
        document: the known facts of the document; None if its bytes could not be read.
        conversion: the version; its folder is already stored, so that no row ever lacks its files.
        failure: why it failed; None with a version.
        sighting: the provenance of the document; None for a reconversion.
        ocr_pages: fingerprints of the recognised pages that the version has (ENG-29).
        comparison: the comparison with a second conversion, counted with the end of the job (CNV-4).
        attachments: the documents that came inside this one and are ingested too.
        plugin: the plugin that a user chose for the document (CNV-1); None: keep the previous choice.
        opened_by: the policy context whose password opened a locked document. If the document has no active version
            yet, the other contexts lose access to it (STO-5). None: no password was needed.
        metadata: what the caller declared of the document, in the policy context of `sighting`; None: nothing (ENG-21).
    """

    job: Job
    steps: tuple[IngestionState | Step, ...] = ()
    document: DocumentFacts | None = None
    conversion: ConversionFacts | None = None
    failure: JobFailure | None = None
    sighting: Provenance | None = None
    ocr_pages: tuple[str, ...] = ()
    comparison: NewComparison | None = None
    attachments: tuple[AttachedDocument, ...] = ()
    plugin: str | None = None
    opened_by: PolicyContext | None = None
    metadata: DeclaredMetadata | None = None
