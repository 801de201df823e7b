"""Looks memories up within a scope, for the store."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from octavo_library.storage import MemoryScope, StoredMemory
from octavo_retrieval import Scope

from .failures import invalid, no_memory
from .memory_graph import Edge
from .memory_views import memory_of, memory_scope
from .models import LinkKind, Memory, RelatedMemory
from .terms import terms_of

_SHORTEST_PREFIX = 8
_WHOLE = 20
"""Length of `mem-` and 16 hex digits."""


class MemoryLookup:
    """Looks up memories, and never one outside the scope.

    Args:
        scope: the asker.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._index = scope.library.context.index
        self._terms_checked = False
        self._lock = threading.Lock()

    def asked(self, corpus: str | None) -> MemoryScope:
        """The memories to ask about: of the whole scope, or of one corpus."""
        return memory_scope(self._scope, corpus)

    def id(self, memory_id: str, scope: MemoryScope | None = None) -> str:
        """The whole id of a memory in scope."""
        return self.stored(memory_id, scope).memory_id

    def stored(self, memory_id: str, scope: MemoryScope | None = None) -> StoredMemory:
        """A memory by its id or the beginning of it.

        Raises:
            ToolFailure: there is no such memory in scope.
        """
        asked = scope or self.asked(None)
        wanted = memory_id
        if "\x00" in wanted or not wanted.isprintable():
            raise no_memory()
        if _SHORTEST_PREFIX <= len(wanted) < _WHOLE:
            first = self._index.memories.begin_with(wanted, scope=asked)
            if len(first) > 1:
                raise invalid(f"Several memories begin with {wanted!r}", remedy="Give the whole id")
            wanted = first[0] if first else wanted
        found = self._index.memories.get_many([wanted], scope=asked)
        if wanted not in found:
            raise no_memory()
        return found[wanted]

    def link(self, memory_id: str, other_id: str, kind: LinkKind, *, confidence: float, by: str) -> None:
        """Link two memories in scope.

        Raises:
            ToolFailure: one of them is not in scope, or they are the same.
        """
        if memory_id == other_id:
            raise invalid("A memory cannot be linked to itself", remedy="Name another memory")
        made = self._index.memories.link(
            memory_id, other_id, kind=LinkKind(kind), confidence=confidence, by=by, scope=self.asked(None)
        )
        if not made:
            raise no_memory()

    def memory(self, stored: StoredMemory) -> Memory:
        """A stored memory with its entities."""
        entities = self._index.memories.entities_of([stored.memory_id])
        return memory_of(stored, entities.get(stored.memory_id, ()))

    def memories(self, ids: Iterable[str], scope: MemoryScope) -> dict[str, Memory]:
        """The visible memories among these ids, by id."""
        stored = self._index.memories.get_many(ids, scope=scope)
        entities = self._index.memories.entities_of(stored)
        return {one: memory_of(memory, entities.get(one, ())) for one, memory in stored.items()}

    def related(self, edges: Sequence[Edge], scope: MemoryScope) -> tuple[RelatedMemory, ...]:
        """The memories at the ends of edges."""
        memories = self.memories([edge.memory_id for edge in edges], scope)
        return tuple(
            RelatedMemory(
                memory=memories[edge.memory_id],
                edge_type=edge.edge_type,
                edge_confidence=edge.confidence,
                depth=edge.depth,
            )
            for edge in edges
            if edge.memory_id in memories
        )

    def complete_terms(self) -> None:
        """Store the terms of memories that have none: a rebuilt index has the memories alone."""
        with self._lock:
            if self._terms_checked:
                return
            lost = self._index.memories.without_terms()
            if lost:
                self._index.memories.store_terms(
                    {memory_id: terms_of(text, language=language) for memory_id, text, language in lost}
                )
            self._terms_checked = True
