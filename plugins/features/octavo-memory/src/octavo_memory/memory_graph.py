"""Follows the links between memories (RET-4)."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from octavo_library.storage import Index, MemoryScope, StoredMemoryLink

from .models import INVERSE, LinkKind


class Edge(NamedTuple):
    """A memory at the end of a path.

    Attributes:
        memory_id: the memory.
        edge_type: kind of the last link, read towards this memory.
        confidence: confidence of that link.
        depth: number of links from the first memory.
    """

    memory_id: str
    edge_type: str
    confidence: float
    depth: int


def edges_from(
    index: Index, memory_id: str, *, scope: MemoryScope, edge_types: Collection[str] | None, max_depth: int
) -> list[Edge]:
    """The memories that can be reached, the nearest first; of equally near ones, the link of the highest confidence first.

    Each memory is reached once for each kind of link at its least depth.

    Args:
        index: the library's index.
        memory_id: the first memory, which the asker may see.
        scope: the memories to follow links to.
        edge_types: only these kinds of links; None: all.
        max_depth: most links of a path.
    """
    seen = {memory_id}
    frontier = [memory_id]
    found: list[Edge] = []
    for depth in range(1, max_depth + 1):
        level: dict[tuple[str, str], Edge] = {}
        for link in index.memories.links_of(frontier, scope=scope):
            for start, end, kind in _both_ways(link):
                if start not in frontier or end in seen or (edge_types is not None and kind not in edge_types):
                    continue
                edge = Edge(end, kind, link.confidence, depth)
                known = level.get((end, kind))
                if known is None or known.confidence < edge.confidence:
                    level[end, kind] = edge
        found += sorted(level.values(), key=lambda edge: (-edge.confidence, edge.memory_id, edge.edge_type))
        frontier = sorted({edge.memory_id for edge in level.values()})
        seen.update(frontier)
        if not frontier:
            break
    return found


def _both_ways(link: StoredMemoryLink) -> tuple[tuple[str, str, str], ...]:
    forwards = LinkKind(link.kind)
    return (
        (link.memory_id, link.other_id, forwards.value),
        (link.other_id, link.memory_id, INVERSE.get(forwards, forwards.value)),
    )
