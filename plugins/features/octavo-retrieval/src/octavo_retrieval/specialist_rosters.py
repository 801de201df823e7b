"""Tool rosters of two specialist agents, offered only if their scope is active (RET-10, RET-16)."""

from __future__ import annotations

from typing import Final

from .toolset import Toolset

DOCUMENT_ROSTER: Final = (
    "retrieve_document_pages",
    "retrieve_full_document",
    "retrieve_memory_source",
    "search_documents",
)
"""The tools of DocumentIntelligenceAgent: pages, chunks, conversions, exact quotations."""

MEMORY_ROSTER: Final = (
    "retrieve_memory_by_id",
    "retrieve_related_memories",
    "retrieve_memory_cluster",
    "search_memories",
    "retrieve_memories_by_entity",
    "verify_memory",
)
"""The tools of MemoryAgent: memories only, no source text."""


def rosters(toolset: Toolset) -> dict[str, tuple[str, ...]]:
    """Specialist → its installed tools.

    Args:
        toolset: the available tools.

    Returns:
        DocumentIntelligenceAgent if documents are in scope, MemoryAgent if memories are.
    """
    active = {
        "DocumentIntelligenceAgent": DOCUMENT_ROSTER if toolset.scope.has_documents() else (),
        "MemoryAgent": MEMORY_ROSTER if toolset.has_memories() else (),
    }
    offered = {agent: tuple(name for name in names if name in toolset) for agent, names in active.items()}
    return {agent: names for agent, names in offered.items() if names}
