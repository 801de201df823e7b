"""Failures of memory operations, each with its code (ENG-5)."""

from __future__ import annotations

from octavo_contracts import SourceAnchorMissing
from octavo_retrieval import FailureCode, ToolFailure


def invalid(message: str, *, remedy: str) -> ToolFailure:
    """The failure for an argument that cannot be used."""
    return ToolFailure(FailureCode.INVALID_ARGUMENTS, message, remedy=remedy)


def no_memory() -> ToolFailure:
    """The failure for a memory that does not exist or that the asker may not see; the two are not told apart (STO-5)."""
    return ToolFailure(
        FailureCode.MEMORY_NOT_FOUND,
        "There is no memory of this id",
        remedy="Take a memory_id from search_memories; a memory goes when its document is purged",
    )


def no_corpus() -> ToolFailure:
    """The failure for a scope that does not exist or lies outside the asker's own; the two are not told apart (STO-5)."""
    return ToolFailure(
        FailureCode.CORPUS_NOT_FOUND, "There is no corpus of this name in scope", remedy="Leave scope out"
    )


def no_anchor(message: str, *, remedy: str) -> SourceAnchorMissing:
    """The error for a memory that cannot be traced to a passage."""
    return SourceAnchorMissing(message, remedy=remedy)
