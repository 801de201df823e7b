"""What an asker may see of memories, and stored memories as they are shown (STO-5)."""

from __future__ import annotations

from octavo_contracts import UsageError
from octavo_library.storage import MemoryEntity, MemoryScope, StoredMemory
from octavo_retrieval import Scope

from .failures import no_corpus
from .models import AnchoredEntity, Memory

_FIREWALLED = "firewalled"


def visible_scope(scope: Scope) -> MemoryScope:
    """The memories that an asker may see."""
    asker = scope.asker()
    return MemoryScope(policies=asker.policies, corpus_id=asker.corpus_id)


def memory_scope(scope: Scope, corpus: str | None) -> MemoryScope:
    """The memories of one corpus within a scope; None: of the whole scope.

    A corpus of another scope gets the answer of one that does not exist.

    Raises:
        ToolFailure: there is no such corpus in scope.
    """
    if corpus is None:
        return visible_scope(scope)
    asker = scope.asker()
    try:
        record = scope.library.context.index.corpora.get(corpus)
    except UsageError:
        raise no_corpus() from None
    if asker.corpus_id is None and record.policy.visibility != _FIREWALLED:
        return MemoryScope(policies=(record.policy,), corpus_id=record.corpus_id)
    if record.corpus_id != asker.corpus_id:
        raise no_corpus()
    return MemoryScope(policies=asker.policies, corpus_id=asker.corpus_id)


def memory_of(stored: StoredMemory, entities: tuple[MemoryEntity, ...]) -> Memory:
    """A stored memory as it is shown."""
    anchor = stored.anchor
    return Memory(
        memory_id=stored.memory_id,
        text=stored.text,
        type=stored.type,
        confidence=stored.confidence,
        document_id=anchor.document_id,
        version=anchor.version,
        page=anchor.page,
        span=anchor.span,
        quote=anchor.quote,
        source_ref=anchor.source_ref,
        content_ref=anchor.content_ref,
        conversion_artifact_ref=anchor.conversion_artifact_ref,
        entities=tuple(
            AnchoredEntity(name=one.name, label=one.label, relationship=one.relationship, entity_id=one.entity_id)
            for one in entities
        ),
        made_by=stored.made_by,
        created_at=stored.created_at,
        last_verified_at=stored.last_verified_at,
        last_verification=stored.last_verification,
    )
