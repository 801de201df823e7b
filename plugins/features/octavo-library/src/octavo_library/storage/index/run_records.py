"""Value objects for runs and for the status of documents. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from octavo_contracts import HardFailReason, IngestionState

INTERRUPTED = "interrupted"
"""Replaces the reason code of a document whose job was interrupted: such a document has none."""


class DocumentState(StrEnum):
    """The state of a document, which the status of documents, corpora and runs counts (ENG-17)."""

    IN_PROGRESS = "in_progress"
    WAITING = "waiting"
    """For a tool or for credentials; continues automatically (ENG-7)."""
    INTERRUPTED = "interrupted"
    """Started and interrupted; continues when its bytes are ingested again."""
    COMPLETE = "complete"
    DEGRADED = "degraded"
    FAILED = "failed"


class Phase(StrEnum):
    """Progress of the work on a document (ENG-16, ENG-28)."""

    REGISTERED = "registered"
    CONVERTED = "converted"
    SHALLOW = "shallow"
    """Usable: converted, classified and in the index."""
    DEEP = "deep"
    """Entities extracted as well, if the corpus wants them."""


PHASE_STATES: Mapping[Phase, IngestionState] = {
    Phase.REGISTERED: IngestionState.REGISTERED,
    Phase.CONVERTED: IngestionState.CONVERTED,
    Phase.SHALLOW: IngestionState.INDEXED,
    Phase.DEEP: IngestionState.WRITTEN,
}
"""The state whose entry ends a phase."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """Status of a set of documents: a single one, those of a corpus, or those of a run.

    Attributes:
        documents: their number; for a run, sources that could not be read are counted too.
        standing: state → number of documents.
        failures: reason → number of failed documents.
        waiting: reason → number of waiting documents.
        phases: phase → number of documents that completed it; a document counts in every phase up to its latest.
    """

    documents: int
    standing: Mapping[DocumentState, int]
    failures: Mapping[HardFailReason, int]
    waiting: Mapping[str, int]
    phases: Mapping[Phase, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class NewRun:
    """A new run.

    Attributes:
        surface: the ingestion surface (ENG-1).
        corpus_id: the corpus that the documents join, or None.
        sources: the sources given by the user; folders, not the files in them.
        options: the conversion options, as JSON values; never a password.
        engine_set: fingerprint of the installed plugins.
        retry_of: the run whose failures it retries.
        workers: number of documents processed at the same time.
        total: number of sources, or None while unknown.
        commit_policy: how often results are committed, in words.
    """

    surface: str
    corpus_id: str | None = None
    sources: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    engine_set: str | None = None
    retry_of: str | None = None
    workers: int = 1
    total: int | None = None
    commit_policy: str | None = None


RunEnd = Literal["finished", "stopped", "failed"]
"""On its own; cancelled by the user; by an error that was not a document's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """A row of `runs`; see `NewRun` for the other attributes.

    Attributes:
        owner: the owner that works on it, or did.
        ended: how it ended; None for a run that is running, or was interrupted: its owner is dead then.
        not_attempted: number of sources that were not attempted.
        bottleneck: the step that documents waited for most, or None (ENG-8).
    """

    run_id: str
    owner: str
    started_at: str
    ended_at: str | None
    ended: RunEnd | None
    corpus_id: str | None
    surface: str
    sources: tuple[str, ...]
    options: Mapping[str, Any]
    engine_set: str | None
    retry_of: str | None
    workers: int
    total: int | None
    not_attempted: int
    bottleneck: str | None
    commit_policy: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCounts:
    """Outcomes of a run's sources, each at the time when it was done; see `Status` for the current state.

    Attributes:
        complete: ingested, or already known, and converted without findings.
        degraded: ingested, or already known, with a degraded conversion.
        failed: not converted.
        reused: number of all these that were already known.
        failures: reason → number of failed sources.
    """

    complete: int = 0
    degraded: int = 0
    failed: int = 0
    reused: int = 0
    failures: Mapping[HardFailReason, int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Number of sources with an outcome."""
        return self.complete + self.degraded + self.failed


@dataclass(frozen=True, kw_only=True, slots=True)
class StepCount:
    """How often the jobs of a run entered a state.

    Attributes:
        state: the state.
        entered: how often.
        skipped: number of those entries in which the step did not apply (ENG-3).
        first_at: the first time.
        last_at: the last time.
    """

    state: IngestionState
    entered: int
    skipped: int
    first_at: str
    last_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UnfinishedSource:
    """A source of a run that is not converted yet. Runs take paths only, so the source can be retried from its path.

    Attributes:
        path: its reference.
        document_id: its document, or None if the bytes were never read, or the job never ended.
        raw_hash: SHA-256 of the bytes, or None if they were never read.
        reason: a reason code, or `INTERRUPTED`.
    """

    path: str
    document_id: str | None
    raw_hash: str | None
    reason: str
