"""Runs: their requests, progress, cost and duration, and retries of failed documents (ENG-15 to ENG-17)."""

from __future__ import annotations

from ...storage import DocumentState, Phase, RunCounts, Status, StepCount, UnfinishedSource
from .document_jobs import DocumentJob, jobs_about, unsettled
from .estimates import Estimate, total_of

__all__ = [
    "DocumentJob",
    "DocumentState",
    "Estimate",
    "Phase",
    "RunCounts",
    "Status",
    "StepCount",
    "UnfinishedSource",
    "jobs_about",
    "total_of",
    "unsettled",
]
