"""The memory tools, for `octavo_retrieval.tools`, and the resolver for `retrieve_memory_source` (RET-4, RET-11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from octavo_contracts import Model
from octavo_contracts.markers import Marker, MarkerKind, excerpt_marker
from octavo_retrieval import CallContext, FailureCode, MemorySources, Receipt, Scope, Tool, ToolFailure
from octavo_retrieval.receipts import memory_line

from . import tool_entries as names
from .memory_store import MemoryStore
from .models import Memory
from .tool_models import (
    ClusteredMemory,
    ClusterSpan,
    FullMemory,
    MemoryOfEntity,
    Provenance,
    RelatedEdge,
    RetrieveMemoriesByEntityRequest,
    RetrieveMemoriesByEntityResponse,
    RetrieveMemoryByIdRequest,
    RetrieveMemoryByIdResponse,
    RetrieveMemoryClusterRequest,
    RetrieveMemoryClusterResponse,
    RetrieveRelatedMemoriesRequest,
    RetrieveRelatedMemoriesResponse,
    SearchedMemory,
    SearchMemoriesRequest,
    SearchMemoriesResponse,
    VerifyMemoryRequest,
    VerifyMemoryResponse,
)

HIGH: Final = 0.8
"""Least confidence of a memory that a receipt counts as high-confidence."""

_MORE: Final = "There are more. Call again with a higher limit, or ask for less."


def memory_sources(scope: Scope) -> MemorySources:
    """Where the memories of a scope come from; entry point of `octavo.memory_sources`."""
    return MemoryStore(scope.library, corpus=scope.corpus)


def memory_tools(scope: Scope) -> list[Tool]:
    """The six memory tools; entry point of `octavo.tools`."""
    tools = MemoryTools(scope)
    rows: tuple[tuple[str, type[Model], type[Model], Callable[[Any], Model]], ...] = (
        (names.BY_ID, RetrieveMemoryByIdRequest, RetrieveMemoryByIdResponse, tools.by_id),
        (names.RELATED, RetrieveRelatedMemoriesRequest, RetrieveRelatedMemoriesResponse, tools.related),
        (names.CLUSTER, RetrieveMemoryClusterRequest, RetrieveMemoryClusterResponse, tools.cluster),
        (names.SEARCH, SearchMemoriesRequest, SearchMemoriesResponse, tools.search),
        (names.BY_ENTITY, RetrieveMemoriesByEntityRequest, RetrieveMemoriesByEntityResponse, tools.by_entity),
        (names.VERIFY, VerifyMemoryRequest, VerifyMemoryResponse, tools.verify),
    )
    return [tools.tool(name, request, response, run) for name, request, response, run in rows]


class MemoryTools:
    """Runs the tools within a scope.

    Args:
        scope: the asker.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._store = MemoryStore(scope.library, corpus=scope.corpus)

    def tool(self, name: str, request: type[Model], response: type[Model], run: Callable[[Any], Model]) -> Tool:
        """A tool of the registry."""

        def call(given: Model, context: CallContext) -> Model:
            return run(given)

        return Tool(
            entry=names.ENTRIES[name],
            group="memory",
            request=request,
            response=response,
            run=call,
            receipt=lambda given, answer: self._receipt(name, answer),
            shown=lambda given, answer: self._shown(answer),
        )

    def by_id(self, request: RetrieveMemoryByIdRequest) -> RetrieveMemoryByIdResponse:
        """A memory with its metadata; an unknown one is an answer with `found` false, not a failure."""
        try:
            memory = self._store.get(request.memory_id)
        except ToolFailure as failure:
            if failure.code != FailureCode.MEMORY_NOT_FOUND:
                raise
            return RetrieveMemoryByIdResponse(memory_id=request.memory_id, found=False, memory=None)
        document = self._scope.find(memory.document_id)
        provenance = Provenance(
            document_id=memory.document_id,
            document_title=self._scope.name_of(document),
            version=memory.version,
            page=memory.page,
            content_ref=memory.content_ref,
            conversion_artifact_ref=memory.conversion_artifact_ref,
            quote=memory.quote,
            entities=memory.entities,
            made_by=memory.made_by,
            last_verification=memory.last_verification,
        )
        full = FullMemory(
            content=memory.text,
            type=memory.type,
            confidence=memory.confidence,
            source_ref=memory.source_ref,
            provenance=provenance,
            created_at=memory.created_at,
            last_verified_at=memory.last_verified_at,
        )
        return RetrieveMemoryByIdResponse(memory_id=memory.memory_id, found=True, memory=full)

    def related(self, request: RetrieveRelatedMemoriesRequest) -> RetrieveRelatedMemoriesResponse:
        """The memories that links lead to."""
        found = self._store.related(
            request.memory_id,
            edge_types=request.edge_types,
            max_depth=request.max_depth,
            limit=request.limit + 1,
            scope=request.scope,
        )
        return RetrieveRelatedMemoriesResponse(
            source_memory_id=request.memory_id,
            related=tuple(
                RelatedEdge(
                    memory_id=one.memory.memory_id,
                    edge_type=one.edge_type,
                    edge_confidence=one.edge_confidence,
                    memory_content=one.memory.text,
                    memory_confidence=one.memory.confidence,
                )
                for one in found[: request.limit]
            ),
            truncated=len(found) > request.limit,
        )

    def cluster(self, request: RetrieveMemoryClusterRequest) -> RetrieveMemoryClusterResponse:
        """The memories of a document or of its pages."""
        page = self._store.cluster(request.source_ref, limit=request.limit)
        return RetrieveMemoryClusterResponse(
            source_ref=request.source_ref,
            memories=tuple(
                ClusteredMemory(
                    memory_id=one.memory_id,
                    content=one.text,
                    type=one.type,
                    confidence=one.confidence,
                    source_span=ClusterSpan(page=one.page, offset_start=one.span.start, offset_end=one.span.end),
                )
                for one in page.memories
            ),
            total_count=page.total,
            truncated=page.total > len(page.memories),
        )

    def search(self, request: SearchMemoriesRequest) -> SearchMemoriesResponse:
        """Memories by their words."""
        found = self._store.search(
            request.query,
            types=request.type_filter,
            include_low_confidence=request.include_low_confidence,
            limit=request.limit + 1,
            scope=request.scope,
        )
        return SearchMemoriesResponse(
            query=request.query,
            results=tuple(
                SearchedMemory(
                    memory_id=one.memory.memory_id,
                    content=one.memory.text,
                    type=one.memory.type,
                    confidence=one.memory.confidence,
                    relevance_score=one.relevance_score,
                    source_ref=one.memory.source_ref,
                )
                for one in found[: request.limit]
            ),
            truncated=len(found) > request.limit,
        )

    def by_entity(self, request: RetrieveMemoriesByEntityRequest) -> RetrieveMemoriesByEntityResponse:
        """Memories about an entity.

        Raises:
            ToolFailure: no memory in scope is about it.
        """
        found = self._store.by_entity(
            request.entity_id, relationships=request.edge_types, limit=request.limit + 1, scope=request.scope
        )
        if not found:
            raise ToolFailure(
                FailureCode.ENTITY_NOT_FOUND,
                "No memory in scope is about this entity",
                remedy="Take an entity_id from retrieve_memory_by_id, or find memories with search_memories",
            )
        return RetrieveMemoriesByEntityResponse(
            entity_id=found[0][1].entity_id,
            entity_name=found[0][1].name,
            memories=tuple(
                MemoryOfEntity(
                    memory_id=memory.memory_id,
                    content=memory.text,
                    type=memory.type,
                    confidence=memory.confidence,
                    relationship_to_entity=named.relationship,
                )
                for memory, named in found[: request.limit]
            ),
            truncated=len(found) > request.limit,
        )

    def verify(self, request: VerifyMemoryRequest) -> VerifyMemoryResponse:
        """A memory compared with its source; an unknown one is an answer with a null result, not a failure."""
        try:
            found = self._store.verify(request.memory_id, context_pages=request.context_pages)
        except ToolFailure as failure:
            if failure.code != FailureCode.MEMORY_NOT_FOUND:
                raise
            return VerifyMemoryResponse(
                memory_id=request.memory_id,
                source_resolvable=False,
                verification_result=None,
                notes=f"{failure.message}. {failure.remedy}.",
                source_excerpt=None,
            )
        return VerifyMemoryResponse(
            memory_id=found.memory_id,
            source_resolvable=found.source_resolvable,
            verification_result=found.verification_result,
            notes=found.notes,
            source_excerpt=found.source_excerpt,
        )

    # -- what is told of an answer --------------------------------------------------------------------------------

    def _told(self, answer: Model) -> list[Memory]:
        """The memories of an answer that are still there."""
        memories = []
        for memory_id in _ids(answer):
            try:
                memories.append(self._store.get(memory_id))
            except ToolFailure:
                continue  # it was removed since
        return memories

    def _receipt(self, name: str, answer: Model) -> Receipt:
        memories = self._told(answer)
        confident = sum(memory.confidence >= HIGH for memory in memories)
        documents = {memory.document_id for memory in memories}
        return Receipt(
            line=memory_line(len(memories), confident),
            tool=name,
            corpus_id=self._scope.asker().corpus_id,
            document_id=documents.pop() if len(documents) == 1 else None,
            pages="",
            source_refs=tuple(memory.source_ref for memory in memories),
            degraded_flags=(),
            confidence=min((memory.confidence for memory in memories), default=None),
        )

    def _shown(self, answer: Model) -> str:
        """The memories in markers, with what else the answer says."""
        parts = [memory_marker(memory, corpus=self._scope.corpus).emit() for memory in self._told(answer)]
        if isinstance(answer, VerifyMemoryResponse):
            parts += self._shown_verification(answer)
        elif not parts:
            parts.append("No memory was found.")
        if isinstance(answer, RetrieveRelatedMemoriesResponse):
            parts += [f"{one.memory_id}: {one.edge_type} ({one.edge_confidence:.2f})" for one in answer.related]
        if getattr(answer, "truncated", False):
            parts.append(_MORE)
        return "\n\n".join(parts)

    def _shown_verification(self, answer: VerifyMemoryResponse) -> list[str]:
        told = [f"{answer.verification_result or 'undecided'}: {answer.notes}"]
        memories = self._told(answer)
        if answer.source_excerpt is not None and memories:
            document = self._scope.find(memories[0].document_id)
            marker = excerpt_marker(
                answer.source_excerpt,
                document_id=document.id,
                extraction_method="archive",
                span=memories[0].source_ref.partition(":v")[2].partition(":")[2],
                retrieved_via=names.VERIFY,
                others={"title": self._scope.name_of(document)},
            )
            told.append(marker.emit())
        return told


def memory_marker(memory: Memory, *, corpus: str | None) -> Marker:
    """Wrap a memory in its marker (MRK-1).

    Args:
        memory: the memory.
        corpus: the corpus that asks.
    """
    attributes = {
        "id": memory.memory_id,
        "source_type": "document",
        "source_ref": memory.source_ref,
        "corpus": corpus or "",
        "extracted_at": memory.created_at,
        "confidence": f"{memory.confidence:.2f}",
        "type": memory.type,
    }
    return Marker(
        MarkerKind.EXTRACTED_MEMORY, memory.text, {name: value for name, value in attributes.items() if value}
    )


def _ids(answer: Model) -> tuple[str, ...]:
    if isinstance(answer, RetrieveRelatedMemoriesResponse):
        return tuple(dict.fromkeys(one.memory_id for one in answer.related))
    if isinstance(answer, RetrieveMemoryClusterResponse | RetrieveMemoriesByEntityResponse):
        return tuple(dict.fromkeys(one.memory_id for one in answer.memories))
    if isinstance(answer, SearchMemoriesResponse):
        return tuple(one.memory_id for one in answer.results)
    if isinstance(answer, RetrieveMemoryByIdResponse):
        return (answer.memory_id,) if answer.found else ()
    assert isinstance(answer, VerifyMemoryResponse)
    return (answer.memory_id,)
