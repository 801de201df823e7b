"""Request and response models of the memory tools, as seed 003 §16.2 has them (RET-11)."""

from __future__ import annotations

from typing import Annotated

from octavo_contracts import Model, UnitInterval
from pydantic import Field

from .models import AnchoredEntity, Verdict

MemoryRef = Annotated[str, Field(min_length=1, max_length=512, description="Id of the memory.")]
Corpus = Annotated[
    str | None,
    Field(default=None, max_length=512, description="A corpus, to see less than the whole scope; null: all of it."),
]
_LIMIT = Field(default=20, ge=1, le=200, description="Most memories.")
_TEXT = Field(description="The statement.")
_TYPE = Field(description="Type of the memory, such as fact.")
_CONFIDENCE = Field(description="Confidence of the writer, 0..1.")
_TRUNCATED = Field(description="Whether there are more.")


class RetrieveMemoryByIdRequest(Model):
    """Which memory."""

    memory_id: MemoryRef


class Provenance(Model):
    """Where a memory comes from."""

    document_id: str = Field(description="The document.")
    document_title: str = Field(description="Title of the document, or its file name.")
    version: int = Field(ge=1, description="The version in which the memory is anchored.")
    page: int | None = Field(description="Page of the passage, from 1; null for a document without pages.")
    content_ref: str = Field(description="Reference of the version's converted.md.")
    conversion_artifact_ref: str = Field(description="Reference of the version's folder.")
    quote: str = Field(description="The passage, verbatim.")
    entities: tuple[AnchoredEntity, ...] = Field(description="The entities that the memory is about.")
    made_by: str = Field(description="The user or program that wrote it.")
    last_verification: str | None = Field(description="Result of the last verification; null before the first.")


class FullMemory(Model):
    """A memory with its metadata."""

    content: str = _TEXT
    type: str = _TYPE
    confidence: UnitInterval = _CONFIDENCE
    source_ref: str = Field(description="Document, version and locator of the passage.")
    provenance: Provenance = Field(description="Where it comes from.")
    created_at: str = Field(description="ISO 8601, UTC.")
    last_verified_at: str = Field(description="When it was last compared with its source, ISO 8601, UTC.")


class RetrieveMemoryByIdResponse(Model):
    """The memory, if there is one in scope."""

    memory_id: str = Field(description="The id that was asked for.")
    found: bool = Field(description="Whether there is such a memory in scope.")
    memory: FullMemory | None = Field(description="The memory, or null.")


class RetrieveRelatedMemoriesRequest(Model):
    """From which memory, and along which links."""

    memory_id: MemoryRef
    edge_types: tuple[str, ...] | None = Field(
        default=None, min_length=1, max_length=20, description="Kinds of links, such as supports; null: all."
    )
    max_depth: int = Field(default=1, ge=1, le=5, description="Most links of a path.")
    limit: int = _LIMIT
    scope: Corpus


class RelatedEdge(Model):
    """A memory that a link leads to."""

    memory_id: str = Field(description="The memory.")
    edge_type: str = Field(description="Kind of the link, read from the first memory.")
    edge_confidence: UnitInterval = Field(description="Confidence of the link, 0..1.")
    memory_content: str = _TEXT
    memory_confidence: UnitInterval = _CONFIDENCE


class RetrieveRelatedMemoriesResponse(Model):
    """Memories that links lead to, the nearest first."""

    source_memory_id: str = Field(description="The memory at the start.")
    related: tuple[RelatedEdge, ...] = Field(description="The memories.")
    truncated: bool = _TRUNCATED


class RetrieveMemoryClusterRequest(Model):
    """Which document, or which of its pages."""

    source_ref: str = Field(
        min_length=1, max_length=4096, description="document_id, document_id:first-last, or a source_ref of an answer."
    )
    limit: int = Field(default=50, ge=1, le=500, description="Most memories.")


class ClusterSpan(Model):
    """Place of a memory's passage."""

    page: int | None = Field(description="Page, from 1; null for a document without pages.")
    offset_start: int = Field(ge=0, description="Start in the canonical text.")
    offset_end: int = Field(ge=0, description="End in the canonical text.")


class ClusteredMemory(Model):
    """A memory of a document."""

    memory_id: str = Field(description="The memory.")
    content: str = _TEXT
    type: str = _TYPE
    confidence: UnitInterval = _CONFIDENCE
    source_span: ClusterSpan = Field(description="Place of its passage.")


class RetrieveMemoryClusterResponse(Model):
    """The memories of a document or of its pages, in the order of the text."""

    source_ref: str = Field(description="The source_ref that was asked for.")
    memories: tuple[ClusteredMemory, ...] = Field(description="The memories.")
    total_count: int = Field(ge=0, description="Number of memories, with those that are left out.")
    truncated: bool = _TRUNCATED


class SearchMemoriesRequest(Model):
    """What to search for."""

    query: str = Field(min_length=1, max_length=1_000, description="Words of the memory.")
    scope: Corpus
    type_filter: tuple[str, ...] | None = Field(
        default=None, min_length=1, max_length=50, description="Only memories of these types; null: of all."
    )
    limit: int = _LIMIT
    include_low_confidence: bool = Field(
        default=False, description="Whether memories of a confidence below 0.5 are searched too."
    )


class SearchedMemory(Model):
    """A memory that answers a query."""

    memory_id: str = Field(description="The memory.")
    content: str = _TEXT
    type: str = _TYPE
    confidence: UnitInterval = _CONFIDENCE
    relevance_score: float = Field(ge=0, description="0..1; comparable within one answer.")
    source_ref: str = Field(description="Document, version and locator of the passage.")


class SearchMemoriesResponse(Model):
    """Memories, best first."""

    query: str = Field(description="The query.")
    results: tuple[SearchedMemory, ...] = Field(description="The memories.")
    truncated: bool = _TRUNCATED


class RetrieveMemoriesByEntityRequest(Model):
    """Which entity."""

    entity_id: str = Field(
        min_length=1, max_length=600, description="Id of the entity, or LABEL:NAME, such as person:Ada Lovelace."
    )
    edge_types: tuple[str, ...] | None = Field(
        default=None, min_length=1, max_length=20, description="Only these relationships to the entity; null: all."
    )
    scope: Corpus
    limit: int = _LIMIT


class MemoryOfEntity(Model):
    """A memory about an entity."""

    memory_id: str = Field(description="The memory.")
    content: str = _TEXT
    type: str = _TYPE
    confidence: UnitInterval = _CONFIDENCE
    relationship_to_entity: str = Field(description="What the memory has to do with the entity.")


class RetrieveMemoriesByEntityResponse(Model):
    """Memories about an entity, the most confident first."""

    entity_id: str = Field(description="Id of the entity.")
    entity_name: str = Field(description="Its name, as the first memory has it.")
    memories: tuple[MemoryOfEntity, ...] = Field(description="The memories.")
    truncated: bool = _TRUNCATED


class VerifyMemoryRequest(Model):
    """Which memory."""

    memory_id: MemoryRef
    context_pages: int = Field(default=1, ge=0, le=10, description="Pages around the passage that are compared too.")


class VerifyMemoryResponse(Model):
    """How a memory stands to its source."""

    memory_id: str = Field(description="The memory.")
    source_resolvable: bool = Field(description="Whether a version of the source could be read.")
    verification_result: Verdict | None = Field(description="The result; null if the comparison was not possible.")
    notes: str = Field(description="What was compared, and what was found.")
    source_excerpt: str | None = Field(description="The passage that was compared.")
