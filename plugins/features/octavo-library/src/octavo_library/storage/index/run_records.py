"""What the index tells of runs and of how far documents are. Frozen; no SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from octavo_contracts import HardFailReason, IngestionState

INTERRUPTED = "interrupted"
"""Stands for the reason of a document whose work was cut short: it has none of its own."""


class DocumentState(StrEnum):
    """How it stands with a document: the one thing that documents, corpora and runs all count (ENG-17)."""

    IN_PROGRESS = "in_progress"
    WAITING = "waiting"
    """For a tool or for credentials; it goes on by itself (ENG-7)."""
    INTERRUPTED = "interrupted"
    """Begun and cut short; it goes on when its bytes come again."""
    COMPLETE = "complete"
    DEGRADED = "degraded"
    FAILED = "failed"


class Phase(StrEnum):
    """How far the work on a document has come (ENG-16, ENG-28)."""

    REGISTERED = "registered"
    CONVERTED = "converted"
    SHALLOW = "shallow"
    """Usable: converted, classified and in the index."""
    DEEP = "deep"
    """Entities looked for as well, where the corpus wants them."""


PHASE_STATES: Mapping[Phase, IngestionState] = {
    Phase.REGISTERED: IngestionState.REGISTERED,
    Phase.CONVERTED: IngestionState.CONVERTED,
    Phase.SHALLOW: IngestionState.INDEXED,
    Phase.DEEP: IngestionState.WRITTEN,
}
"""The state whose entry ends a phase."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """How it stands with some documents: one, those of a corpus, or those of a run.

    Attributes:
        documents: how many; sources that could not be read, which are no documents, count in a run.
        standing: how many stand how.
        failures: reason → how many failed for it.
        waiting: reason → how many wait for it to end.
        phases: how many have come through a phase; each document counts in every phase up to its own.
    """

    documents: int
    standing: Mapping[DocumentState, int]
    failures: Mapping[HardFailReason, int]
    waiting: Mapping[str, int]
    phases: Mapping[Phase, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class NewRun:
    """A run to begin.

    Attributes:
        surface: the way in (ENG-1).
        corpus_id: the corpus that the documents join, or None.
        sources: what the user named; folders, not the files in them.
        options: what was asked of the conversion, as JSON values; never a password.
        engine_set: fingerprint of the installed plugins.
        retry_of: the run whose failures it takes up again.
        workers: documents at work at once.
        total: how many sources there are, or None while that is not known.
    """

    surface: str
    corpus_id: str | None = None
    sources: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    engine_set: str | None = None
    retry_of: str | None = None
    workers: int = 1
    total: int | None = None


RunEnd = Literal["finished", "stopped", "failed"]
"""By itself; because the user cut it short; because of an error that was not a document's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """A row of `runs`; see `NewRun` for what is not told here.

    Attributes:
        owner: who works on it, or did.
        ended: how it ended; None for one that runs, or was interrupted: its owner is gone then.
        not_attempted: sources that it did not come to.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCounts:
    """What came of a run's sources, as it was when each was done; see `Status` for how it stands now.

    Attributes:
        complete: taken in, or known and well.
        degraded: taken in with a doubt.
        failed: not converted.
        reused: of all these, known before.
        failures: reason → how many failed for it.
    """

    complete: int = 0
    degraded: int = 0
    failed: int = 0
    reused: int = 0
    failures: Mapping[HardFailReason, int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Sources that something came of."""
        return self.complete + self.degraded + self.failed


@dataclass(frozen=True, kw_only=True, slots=True)
class StepCount:
    """How often the jobs of a run entered a state.

    Attributes:
        state: the state.
        entered: how often.
        skipped: of these, because the step did not apply (ENG-3).
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
    """A source of a run that is not converted yet. Runs take paths only, so it can be tried again from there.

    Attributes:
        path: its reference.
        document_id: its document, or None where the bytes were never read, or the work never ended.
        raw_hash: SHA-256 of the bytes, or None where they were never read.
        reason: why: a reason code, or `INTERRUPTED`.
    """

    path: str
    document_id: str | None
    raw_hash: str | None
    reason: str
