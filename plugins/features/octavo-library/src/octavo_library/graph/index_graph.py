"""The graph of a library, read from the tables of its index: the default of the graph intake (ENG-26)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

from octavo.settings.entities import EntitySettings
from octavo_contracts import DocumentGraph, GraphEdge, GraphNode, UsageError

from ..entities.visible_types import types_of_others
from ..storage import DocumentRecord, Index, PolicyContext
from ..storage.index.entity_records import SeenEntity


class IndexGraph:
    """Reads the graphs of documents. Each graph has what its policy context may see, read as that context (STO-5).

    An entity is a node of an observation: whether it is confirmed depends on who asks, and is not part of the graph (ENT-2).

    Args:
        index: the library's index.
        settings: the entity types that the library itself asks for.
    """

    def __init__(self, index: Index, settings: EntitySettings) -> None:
        self._index = index
        self._settings = settings

    def of(self, document_id: str) -> tuple[DocumentGraph, ...]:
        """The graphs of a document, one for each policy context that knows it; empty for a document that does not exist."""
        contexts = self._index.documents.contexts(document_id)
        found = self._index.entities.in_document(document_id) if contexts else ()
        graphs = (self._read(document_id, context, found) for context in contexts)
        return tuple(graph for graph in graphs if graph is not None)

    def _read(self, document_id: str, policy: PolicyContext, found: Sequence[SeenEntity]) -> DocumentGraph | None:
        try:
            record = self._index.documents.get(document_id, policy=policy)
        except UsageError:  # purged meanwhile
            return None
        hidden = types_of_others(self._index.corpora.all(), self._settings, policy=policy)
        shown = [entity for entity in found if entity.label not in hidden] if record.active_version is not None else []
        memberships = self._index.memberships.of_document(document_id, policy=policy)
        nodes = [_document_node(record)]
        nodes += [
            GraphNode(node_id=f"corpus:{one.corpus_id}", entity_type="corpus", name=one.corpus) for one in memberships
        ]
        nodes += [
            GraphNode(
                node_id=f"entity:{entity.entity_id}",
                entity_type=entity.label,
                name=_name(entity),
                properties={"key": entity.key},
            )
            for entity in shown
        ]
        edges = [
            GraphEdge(
                source=document_id,
                target=f"corpus:{one.corpus_id}",
                relation="member_of",
                properties={"added_at": one.added_at},
            )
            for one in memberships
        ]
        edges += [
            GraphEdge(
                source=f"entity:{entity.entity_id}",
                target=document_id,
                relation="appears_in",
                properties={"mentions": len(entity.observations), "version": entity.observations[0].version},
            )
            for entity in shown
        ]
        edges += self._links(document_id, policy)
        return DocumentGraph(
            document_id=document_id, context=policy.canonical(), nodes=tuple(nodes), edges=tuple(edges)
        )

    def _links(self, document_id: str, policy: PolicyContext) -> Iterator[GraphEdge]:
        for parent in self._index.attachments.parents_of(document_id, policy=policy):
            yield GraphEdge(source=document_id, target=parent, relation="attached_to")
        for link in self._index.links.of_document(document_id, policy=policy):
            other = link.other_id if link.document_id == document_id else link.document_id
            if self._index.documents.is_visible(other, policy=policy):
                yield GraphEdge(source=link.document_id, target=link.other_id, relation=link.kind)


def fingerprint_of(graphs: Sequence[DocumentGraph]) -> str:
    """SHA-256 of graphs, by which an intake and the index are compared."""
    return hashlib.sha256("\n".join(graph.to_json() for graph in graphs).encode()).hexdigest()


def _document_node(record: DocumentRecord) -> GraphNode:
    return GraphNode(
        node_id=record.document_id,
        entity_type="document",
        name=record.title or "",
        properties={
            "raw_hash": record.raw_hash,
            "media_type": record.mime_type,
            "document_type": record.document_type,
            "active_version": record.active_version,
        },
    )


def _name(entity: SeenEntity) -> str:
    """The most frequent form of a name; of equally frequent ones the first in alphabetical order."""
    forms = Counter(one.normalized or one.text for one in entity.observations)
    return min(forms, key=lambda form: (-forms[form], form))
