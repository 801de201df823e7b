"""Tests of the suite itself: for each check a mutant that violates its rule; that check must fail and no other."""

from __future__ import annotations

from .matrix import ALL_MUTANTS, Matrix, Verdict, run_matrix
from .model import DocumentMutant, PluginMutant

__all__ = ["ALL_MUTANTS", "DocumentMutant", "Matrix", "PluginMutant", "Verdict", "run_matrix"]
