"""The suite's own test: for every check something broken in just that way, which that check and no other notices."""

from __future__ import annotations

from .matrix import ALL_MUTANTS, Matrix, Verdict, run_matrix
from .model import DocumentMutant, PluginMutant

__all__ = ["ALL_MUTANTS", "DocumentMutant", "Matrix", "PluginMutant", "Verdict", "run_matrix"]
