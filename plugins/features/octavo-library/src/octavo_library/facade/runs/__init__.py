"""Runs: what was asked for, how far it is, what it cost and took, and trying again what failed (ENG-15 to ENG-17)."""

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
