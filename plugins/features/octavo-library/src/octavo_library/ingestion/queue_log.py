"""Log lines of a worker: how documents ended. A worker of a cluster has no other output until it is stopped (ENG-6)."""

from __future__ import annotations

import json
import logging

from octavo_contracts import IngestionResult, IngestionState

from ..storage import Job
from .queued_jobs import shown_document

_log = logging.getLogger("octavo.ingestion")


def log_end(job: Job) -> None:
    """Log the end of a job: a failure as a warning, unless a run reports it, anything else as information."""
    has_failed = job.state is IngestionState.HARD_FAILED
    level = logging.WARNING if has_failed and job.run_id is None else logging.INFO
    if not _log.isEnabledFor(level):
        return
    if has_failed:
        _log.log(level, "%s failed: %s [%s]", shown_document(job), _details(job), job.reason)
    else:
        _log.log(level, "%s: %s", shown_document(job), job.state.value)


def log_taken_over(job: Job) -> None:
    """Log that a job was taken over from a process that died."""
    _log.warning("%s was taken over from a process that died", shown_document(job))


def _details(job: Job) -> str:
    """The problem, as the result of the failed job tells it."""
    if job.result_json is None:
        return "no result was stored"
    receipts = IngestionResult.read(json.loads(job.result_json)).failure_receipts
    return receipts[-1].details if receipts else "the cause is unknown"
