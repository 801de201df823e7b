"""Everything that becomes true when a job ends, in one record."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import HardFailReason, IngestionState

from .attachments import AttachedDocument
from .comparisons import NewComparison
from .instance_ids import PolicyContext
from .records import ConversionFacts, DocumentFacts, Job, Provenance, Step


@dataclass(frozen=True, kw_only=True, slots=True)
class JobFailure:
    """Why a job failed.

    Attributes:
        reason: the reason code.
        result_json: the `IngestionResult` to give again when the same bytes come again; None: there is none to give.
    """

    reason: HardFailReason
    result_json: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CompletedJob:
    """The end of one job, for `index.jobs.complete`: with a stored version, or with a failure.

    Attributes:
        job: as it was last read.
        steps: the rest of its way. With a version it ends in `complete` or `degraded_complete`; to a failure
            `hard_failed` is added where it is not the last.
        document: what is known of the document; None where its bytes could not be read.
        conversion: the version; its folder is stored already, so that no row is ever without its files.
        failure: why it failed; None with a version.
        sighting: where and how the document came in; None for a reconversion.
        ocr_pages: fingerprints of the recognised pages that the version has (ENG-29).
        comparison: of a second conversion, which is counted with the end of the job (CNV-4).
        attachments: the documents that came inside this one and are taken in.
        plugin: the plugin that a user chose for the document (CNV-1); None: the choice stays as it was.
        opened_by: the policy context whose password opened a locked document. Where the document has no active version
            yet, the other contexts lose their way to it (STO-5). None: no password was needed.
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
