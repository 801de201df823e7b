"""Log lines of a worker: how documents ended. A worker of a cluster has no other output until it is stopped (ENG-6)."""

from __future__ import annotations

import json
import logging

from octavo_contracts import IngestionResult, IngestionState

from ..storage import Job, document_id_for
from .queued_jobs import shown_document

_OUTCOMES = {IngestionState.COMPLETE: "complete", IngestionState.DEGRADED_COMPLETE: "degraded"}
"""The words of other commands for the states of a converted document."""

_log = logging.getLogger("octavo.ingestion")


def log_end(job: Job) -> None:
    """Log the end of a job: a failure as a warning, unless a run reports it, anything else as information."""
    has_failed = job.state is IngestionState.HARD_FAILED
    level = logging.WARNING if has_failed and job.run_id is None else logging.INFO
    if not _log.isEnabledFor(level):
        return
    if has_failed:
        _log.log(level, "%s failed: %s [%s]", _named(job), _details(job), job.reason)
    else:
        _log.log(level, "%s: %s", _named(job), _OUTCOMES.get(job.state, job.state.value))


def log_taken_over(job: Job) -> None:
    """Log that a job was taken over from a process that died."""
    _log.warning("%s was taken over from a process that died", shown_document(job))


def _named(job: Job) -> str:
    """The short id of a document, and its path or job."""
    shown = shown_document(job)
    return f"{document_id_for(job.raw_hash)[:8]} {shown}" if job.raw_hash is not None else shown


def _details(job: Job) -> str:
    """The problem, as the result of the failed job tells it."""
    if job.result_json is None:
        return "no result was stored"
    receipts = IngestionResult.read(json.loads(job.result_json)).failure_receipts
    return receipts[-1].details if receipts else "the cause is unknown"
