"""The memories of a document as its export has them (STO-14, ENG-5)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..storage import Index, PolicyContext


def exported_memories(index: Index, document_id: str, *, policy: PolicyContext | None) -> list[dict[str, Any]]:
    """The memories of a document, oldest first, each with its anchor, its entities and its links to the others.

    Args:
        index: the library's index.
        document_id: the document.
        policy: the asking policy context; None: the library's owner.
    """
    stored = index.memories.of_context(document_id, policy=policy)
    if not stored:
        return []
    ids = [one.memory_id for one in stored]
    entities = index.memories.entities_of(ids)
    links = index.memories.links_among(ids)
    return [
        {
            "id": one.memory_id,
            "text": one.text,
            "type": one.type,
            "confidence": one.confidence,
            "version": one.anchor.version,
            "page": one.anchor.page,
            "span": [one.anchor.span.start, one.anchor.span.end],
            "quote": one.anchor.quote,
            "source_ref": one.anchor.source_ref,
            "content_ref": one.anchor.content_ref,
            "conversion_artifact_ref": one.anchor.conversion_artifact_ref,
            "entities": [asdict(entity) for entity in entities.get(one.memory_id, ())],
            "links": [
                {"to": link.other_id, "kind": link.kind, "confidence": link.confidence}
                for link in links
                if link.memory_id == one.memory_id
            ],
            "made_by": one.made_by,
            "created_at": one.created_at,
            "last_verified_at": one.last_verified_at,
            "last_verification": one.last_verification,
        }
        for one in stored
    ]
