"""Records of memories: what the index stores of a statement, its anchor, its entities and its links (ENG-5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from octavo_contracts import Span

from .instance_ids import PolicyContext


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryAnchor:
    """The place that a memory was extracted from.

    Attributes:
        document_id: the document.
        version: the version whose canonical text `span` counts in.
        page: the page of the start, from 1; None for a document without pages.
        span: the place in that text.
        quote: the text at that place.
        before: the text before it, to tell equal quotes apart.
        after: the text after it.
        source_ref: the document, its version and the locator.
        content_ref: the converted markdown of that version.
        conversion_artifact_ref: the artifact of that version.
    """

    document_id: str
    version: int
    page: int | None
    span: Span
    quote: str
    before: str
    after: str
    source_ref: str
    content_ref: str
    conversion_artifact_ref: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryEntity:
    """An entity that a memory is about.

    Attributes:
        entity_id: its id, as in the table of observed entities.
        label: its kind, such as `person`.
        name: its name, as the writer of the memory gave it.
        relationship: what the memory has to do with it, such as `mentions`.
    """

    entity_id: str
    label: str
    name: str
    relationship: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NewStoredMemory:
    """A memory to store; the caller has checked its anchor.

    Attributes:
        memory_id: its id.
        type: its type, such as `fact`.
        text: the statement.
        language: language of the stems in `terms`.
        confidence: 0..1.
        anchor: where it was extracted.
        entities: the entities that it is about.
        terms: stem → number of its uses in the text.
        policy: the policy context of the writer.
        made_by: the user or program that wrote it.
    """

    memory_id: str
    type: str
    text: str
    language: str
    confidence: float
    anchor: MemoryAnchor
    entities: tuple[MemoryEntity, ...]
    terms: Mapping[str, int]
    policy: PolicyContext
    made_by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredMemory:
    """A memory in the index.

    Attributes:
        memory_id: its id.
        type: its type.
        text: the statement.
        confidence: 0..1.
        anchor: where it was extracted.
        policy_context_json: the policy context in which it was written.
        made_by: the user or program that wrote it.
        created_at: ISO 8601, UTC.
        last_verified_at: when the anchor or the statement was last compared with the source, ISO 8601, UTC.
        last_verification: the result of the last verification, or None before the first.
    """

    memory_id: str
    type: str
    text: str
    confidence: float
    anchor: MemoryAnchor
    policy_context_json: str
    made_by: str
    created_at: str
    last_verified_at: str
    last_verification: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredMemoryLink:
    """A link, read from `memory_id` to `other_id`.

    Attributes:
        memory_id: the first memory.
        other_id: the second memory.
        kind: the kind of link.
        confidence: 0..1.
        made_by: the user or program that linked them.
        at: ISO 8601, UTC.
    """

    memory_id: str
    other_id: str
    kind: str
    confidence: float
    made_by: str
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryScope:
    """Whose question a query answers.

    Attributes:
        policies: the policy contexts whose memories are visible.
        corpus_id: only memories of documents of this corpus; None: of all.
    """

    policies: tuple[PolicyContext, ...]
    corpus_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TermUse:
    """A term of a memory, for ranking.

    Attributes:
        memory_id: the memory.
        term: the stem.
        uses: how often the memory has it.
    """

    memory_id: str
    term: str
    uses: int
