"""Runs: what was asked for, how far it is, what it cost and took, and trying again what failed (ENG-15 to ENG-17)."""

from __future__ import annotations

from ...storage import OpenCase, Phase, RunCounts, Standing, Status, StepCount
from .document_jobs import DocumentJob, jobs_about, unsettled
from .estimates import Band, total_of

__all__ = [
    "Band",
    "DocumentJob",
    "OpenCase",
    "Phase",
    "RunCounts",
    "Standing",
    "Status",
    "StepCount",
    "jobs_about",
    "total_of",
    "unsettled",
]
