"""`MemoryStore`: writes, finds and verifies memories within one scope."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from octavo_contracts import LibraryReadOnly, Span
from octavo_library.facade.library import Library
from octavo_library.storage import MemoryEntity, MemoryScope, NewStoredMemory
from octavo_retrieval import MemorySource, Scope

from .anchors import checked_anchor, make_anchor
from .entity_names import entity_of
from .failures import invalid, no_memory
from .memory_graph import edges_from
from .memory_lookup import MemoryLookup
from .memory_search import CONFIDENT, ranked
from .memory_views import visible_scope
from .models import (
    EDGE_TYPES,
    TYPE_PATTERN,
    AddedMemory,
    EntityRef,
    FoundMemory,
    LinkKind,
    Memory,
    MemoryPage,
    RelatedMemory,
    SourceAnchor,
    Verification,
)
from .near_duplicates import MADE_BY, near_duplicates
from .source_refs import cluster_ref
from .statement_fields import check_confidence, check_statement_fields
from .terms import language_of_text, terms_of
from .verification import passage_now, verify

MAX_DEPTH: Final = 5
"""Most links of a path in `related`."""


class MemoryStore:
    """The memories of a library that one corpus, or the library's owner, may see. Thread-safe.

    A corpus sees the memories that were written under its policy and that are anchored in its documents. Without a corpus,
    those of firewalled corpora are invisible, as for `Library.search` (STO-5). Each method named `a…` does the same as the
    one without the letter, without blocking the event loop.

    Args:
        library: the library.
        corpus: name or id of the corpus.

    Raises:
        UsageError: the corpus is unknown.
    """

    def __init__(self, library: Library, *, corpus: str | None = None) -> None:
        self.scope = Scope(library, corpus)
        self.scope.asker()  # an unknown corpus fails here, not at the first call
        self._index = library.context.index
        self._lookup = MemoryLookup(self.scope)

    def anchor(
        self, document: str, *, quote: str | None = None, locator: str | None = None, span: Span | None = None
    ) -> SourceAnchor:
        """Make the anchor of a passage in the active version of a document.

        Args:
            document: the document, as `Library.document` takes it.
            quote: the passage; without a place, it must occur exactly once.
            locator: its locator in the canonical text.
            span: its place in the canonical text, instead of a locator.

        Raises:
            ToolFailure: the document is not in scope, or has no content.
            SourceAnchorMissing: no passage is given, or it is not in the text, or more than once.
        """
        return make_anchor(self.scope, document, quote=quote, locator=locator, span=span)

    def add(
        self,
        text: str,
        *,
        anchor: SourceAnchor | None,
        type: str = "fact",
        confidence: float = 1.0,
        entities: Sequence[EntityRef] = (),
        links: Sequence[tuple[LinkKind, str]] = (),
        by: str = "user",
    ) -> AddedMemory:
        """Write a memory, and link it to memories of almost the same words.

        A memory that is written twice is stored twice, and linked: nothing is merged.

        Args:
            text: the statement.
            anchor: the passage that it was extracted from (ENG-5).
            type: its type, a lower-case word such as fact or date.
            confidence: confidence of the writer, 0..1.
            entities: the entities that it is about.
            links: kind of link → a memory in scope.
            by: the user or program that writes it.

        Raises:
            SourceAnchorMissing: a reference is missing, or the anchor does not slice its source.
            ToolFailure: an argument is invalid, or a linked memory is not in scope.
        """
        check_statement_fields(text, type, confidence)
        stored, source = checked_anchor(self.scope, anchor)
        policy = source.document.policy
        assert policy is not None  # `Scope.find` gives each document a policy context
        language = language_of_text(source.text)
        terms = terms_of(text, language=language)
        if not terms:
            raise invalid("The text of the memory has no words", remedy="Write the statement in words")
        own = MemoryScope(policies=(policy,), corpus_id=self._lookup.asked(None).corpus_id)
        new = NewStoredMemory(
            memory_id=f"mem-{uuid.uuid4().hex[:16]}",
            type=type,
            text=text,
            language=language,
            confidence=float(confidence),
            anchor=stored,
            entities=tuple(dict.fromkeys(entity_of(one) for one in entities)),
            terms=terms,
            policy=policy,
            made_by=by,
        )
        self._lookup.complete_terms()
        with self._index.whole():
            alike = near_duplicates(self._index, text, terms=terms, scope=own)
            self._index.memories.add(new)
            for kind, other in links:
                self._lookup.link(new.memory_id, self._lookup.id(other), kind, confidence=1.0, by=by)
            for each in alike:
                self._index.memories.link(
                    new.memory_id, each.memory_id, kind=each.kind, confidence=each.similarity, by=MADE_BY, scope=own
                )
        return AddedMemory(memory=self.get(new.memory_id), links=self.related(new.memory_id))

    def get(self, memory_id: str) -> Memory:
        """A memory by its id, or by eight or more of its first characters.

        Raises:
            ToolFailure: there is no such memory in scope.
        """
        return self._lookup.memory(self._lookup.stored(memory_id))

    def remove(self, memory_id: str) -> None:
        """Delete a memory with its links.

        Raises:
            ToolFailure: there is no such memory in scope.
        """
        if not self._index.memories.remove(self._lookup.id(memory_id), scope=self._lookup.asked(None)):
            raise no_memory()

    def link(self, memory_id: str, other: str, kind: LinkKind, *, confidence: float = 1.0, by: str = "user") -> None:
        """Link two memories; a link that exists stays as it is.

        Args:
            memory_id: the first memory.
            other: the second memory.
            kind: what the first says about the second.
            confidence: confidence of the link, 0..1.
            by: the user or program that links them.

        Raises:
            ToolFailure: one of them is not in scope, they are the same, or the confidence is invalid.
        """
        check_confidence(confidence)
        self._lookup.link(self._lookup.id(memory_id), self._lookup.id(other), kind, confidence=confidence, by=by)

    def search(
        self,
        query: str,
        *,
        types: Sequence[str] | None = None,
        include_low_confidence: bool = False,
        limit: int = 20,
        scope: str | None = None,
    ) -> list[FoundMemory]:
        """Memories that share words with a query, best first.

        Args:
            query: the query.
            types: only memories of these types.
            include_low_confidence: whether memories of a confidence below 0.5 are searched too.
            limit: most memories.
            scope: a corpus, to search less than the whole scope.

        Raises:
            ToolFailure: the query has no words, or the corpus is not in scope.
        """
        if not terms_of(query, language="english"):
            raise invalid("The query has no words", remedy="Ask with a word of the memory")
        asked = self._lookup.asked(scope)
        self._lookup.complete_terms()
        found = ranked(
            self._index, query, scope=asked, types=types, least_confidence=0.0 if include_low_confidence else CONFIDENT
        )[:limit]
        memories = self._lookup.memories([memory_id for memory_id, _ in found], asked)
        return [FoundMemory(memory=memories[one], relevance_score=score) for one, score in found if one in memories]

    def related(
        self,
        memory_id: str,
        *,
        edge_types: Sequence[str] | None = None,
        max_depth: int = 1,
        limit: int = 20,
        scope: str | None = None,
    ) -> tuple[RelatedMemory, ...]:
        """The memories that links lead to, the nearest first.

        Args:
            memory_id: the first memory.
            edge_types: only links of these kinds, as read from the first memory: supports, supported_by, …
            max_depth: most links of a path, 1 to 5.
            limit: most memories.
            scope: a corpus, to see less than the whole scope.

        Raises:
            ToolFailure: there is no such memory in scope, or a kind or the corpus is unknown.
        """
        for kind in edge_types or ():
            if kind not in EDGE_TYPES:
                raise invalid(f"There is no kind of link {kind[:60]!r}", remedy=f"Use {', '.join(EDGE_TYPES)}")
        if not 1 <= max_depth <= MAX_DEPTH:
            raise invalid(f"max_depth is {max_depth}", remedy=f"Give a number from 1 to {MAX_DEPTH}")
        asked = self._lookup.asked(scope)
        edges = edges_from(
            self._index, self._lookup.id(memory_id, asked), scope=asked, edge_types=edge_types, max_depth=max_depth
        )[:limit]
        return self._lookup.related(edges, asked)

    def cluster(self, source_ref: str, *, limit: int = 50) -> MemoryPage:
        """The memories of a document or of some of its pages, in the order of the text.

        Args:
            source_ref: a document, `DOCUMENT:PAGES`, or a source_ref of an answer.
            limit: most memories.

        Raises:
            ToolFailure: the document is not in scope, or the pages are invalid.
        """
        asked = cluster_ref(self.scope, source_ref)
        scope = self._lookup.asked(None)
        stored = [one for one in self._index.memories.of_document(asked.document_id, scope=scope) if asked.has(one)]
        memories = self._lookup.memories([one.memory_id for one in stored[:limit]], scope)
        shown = tuple(memories[one.memory_id] for one in stored[:limit] if one.memory_id in memories)
        return MemoryPage(memories=shown, total=len(stored))

    def by_entity(
        self,
        entity: str,
        *,
        relationships: Sequence[str] | None = None,
        limit: int = 20,
        scope: str | None = None,
    ) -> tuple[tuple[Memory, MemoryEntity], ...]:
        """The memories about an entity, the most confident first, each with the entity as the memory names it.

        Args:
            entity: id of the entity, or LABEL:NAME.
            relationships: only memories with these relationships to the entity.
            limit: most memories.
            scope: a corpus, to see less than the whole scope.

        Raises:
            ToolFailure: the corpus is not in scope.
        """
        asked = self._lookup.asked(scope)
        label, colon, name = entity.partition(":")
        entity_id = entity
        if colon and re.fullmatch(TYPE_PATTERN, label) and name.strip():
            entity_id = entity_of(EntityRef(name=name.strip()[:500], label=label)).entity_id
        found = self._index.memories.by_entity(entity_id, relationships=relationships, scope=asked, limit=limit)
        memories = self._lookup.memories([one.memory_id for one, _ in found], asked)
        return tuple((memories[one.memory_id], named) for one, named in found if one.memory_id in memories)

    def verify(self, memory_id: str, *, context_pages: int = 1) -> Verification:
        """Compare a memory with the version in which it was anchored and with the active one, and record the result.

        Args:
            memory_id: the memory.
            context_pages: pages around the passage that are compared too.

        Raises:
            ToolFailure: there is no such memory in scope.
        """
        stored = self._lookup.stored(memory_id)
        result = verify(self.scope, stored, context_pages=context_pages)
        with suppress(LibraryReadOnly):  # the comparison needs no write; only its time is not recorded
            self._index.memories.record_verification(stored.memory_id, result.verification_result)
        return result

    def source_of(self, memory_id: str, *, corpus: str | None = None) -> MemorySource | None:
        """The passage of a memory in the active version, or where it was anchored; see `MemorySources`."""
        scope = self._seen_by(corpus)
        found = self._index.memories.get_many([memory_id], scope=visible_scope(scope))
        if memory_id not in found:
            return None
        version, span = passage_now(scope, found[memory_id])
        return MemorySource(document_id=found[memory_id].anchor.document_id, version=version, span=span)

    def has_memories(self, *, corpus: str | None = None) -> bool:
        """Whether any memory is in scope; see `MemorySources`."""
        return self._index.memories.has_any(scope=visible_scope(self._seen_by(corpus)))

    async def aanchor(
        self, document: str, *, quote: str | None = None, locator: str | None = None, span: Span | None = None
    ) -> SourceAnchor:
        """As `anchor`, without blocking the event loop."""
        return await asyncio.to_thread(self.anchor, document, quote=quote, locator=locator, span=span)

    async def aadd(
        self,
        text: str,
        *,
        anchor: SourceAnchor | None,
        type: str = "fact",
        confidence: float = 1.0,
        entities: Sequence[EntityRef] = (),
        links: Sequence[tuple[LinkKind, str]] = (),
        by: str = "user",
    ) -> AddedMemory:
        """As `add`, without blocking the event loop."""
        return await asyncio.to_thread(
            self.add, text, anchor=anchor, type=type, confidence=confidence, entities=entities, links=links, by=by
        )

    async def aget(self, memory_id: str) -> Memory:
        """As `get`, without blocking the event loop."""
        return await asyncio.to_thread(self.get, memory_id)

    async def aremove(self, memory_id: str) -> None:
        """As `remove`, without blocking the event loop."""
        await asyncio.to_thread(self.remove, memory_id)

    async def alink(
        self, memory_id: str, other: str, kind: LinkKind, *, confidence: float = 1.0, by: str = "user"
    ) -> None:
        """As `link`, without blocking the event loop."""
        await asyncio.to_thread(self.link, memory_id, other, kind, confidence=confidence, by=by)

    async def asearch(
        self,
        query: str,
        *,
        types: Sequence[str] | None = None,
        include_low_confidence: bool = False,
        limit: int = 20,
        scope: str | None = None,
    ) -> list[FoundMemory]:
        """As `search`, without blocking the event loop."""
        return await asyncio.to_thread(
            self.search, query, types=types, include_low_confidence=include_low_confidence, limit=limit, scope=scope
        )

    async def arelated(
        self,
        memory_id: str,
        *,
        edge_types: Sequence[str] | None = None,
        max_depth: int = 1,
        limit: int = 20,
        scope: str | None = None,
    ) -> tuple[RelatedMemory, ...]:
        """As `related`, without blocking the event loop."""
        return await asyncio.to_thread(
            self.related, memory_id, edge_types=edge_types, max_depth=max_depth, limit=limit, scope=scope
        )

    async def acluster(self, source_ref: str, *, limit: int = 50) -> MemoryPage:
        """As `cluster`, without blocking the event loop."""
        return await asyncio.to_thread(self.cluster, source_ref, limit=limit)

    async def aby_entity(
        self, entity: str, *, relationships: Sequence[str] | None = None, limit: int = 20, scope: str | None = None
    ) -> tuple[tuple[Memory, MemoryEntity], ...]:
        """As `by_entity`, without blocking the event loop."""
        return await asyncio.to_thread(self.by_entity, entity, relationships=relationships, limit=limit, scope=scope)

    async def averify(self, memory_id: str, *, context_pages: int = 1) -> Verification:
        """As `verify`, without blocking the event loop."""
        return await asyncio.to_thread(self.verify, memory_id, context_pages=context_pages)

    def _seen_by(self, corpus: str | None) -> Scope:
        """The scope of a corpus; a store that is bound to a corpus has its own alone."""
        return self.scope if self.scope.corpus is not None or corpus is None else Scope(self.scope.library, corpus)
