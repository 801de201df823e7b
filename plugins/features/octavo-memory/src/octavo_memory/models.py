"""Memories, their anchors and their links, as hosts and models are given them."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from octavo_contracts import Model, Span, UnitInterval
from pydantic import Field

MAX_TEXT: Final = 10_000
"""Most code points of a memory's text."""

MAX_QUOTE: Final = 20_000
"""Most code points of an anchor: a memory is extracted from a passage, not from a whole document."""

TYPE_PATTERN: Final = r"[a-z][a-z0-9_]{0,63}"
"""Types of memories, labels of entities and relationships are lower-case ASCII words."""


class LinkKind(StrEnum):
    """What one memory says about another."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    ELABORATES = "elaborates"
    SUPERSEDES = "supersedes"
    RELATED_TO = "related_to"
    NEAR_DUPLICATE = "near_duplicate"
    """Almost the same words, with the same figures. Octavo adds this link itself."""
    DIFFERS = "differs"
    """Almost the same words, but other figures or a negation. Octavo adds this link itself."""


INVERSE: Final = {
    LinkKind.SUPPORTS: "supported_by",
    LinkKind.ELABORATES: "elaborated_by",
    LinkKind.SUPERSEDES: "superseded_by",
}
"""Name of a link that is read from its second memory. Other kinds are symmetric."""

EDGE_TYPES: Final = (*LinkKind, *INVERSE.values())
"""Every name of a link, read from either end."""

Verdict = Literal["supported", "partially_supported", "contradicted", "source_changed", "source_unavailable"]
"""Result of a verification (seed 003 §16.2.6)."""


class SourceAnchor(Model):
    """Where a memory was extracted: the three references that a memory cannot be written without, and the passage (ENG-5).

    `MemoryStore.anchor` makes one. The fields are plain strings, so that a missing one is refused with its reason code.
    """

    source_ref: str = Field(default="", description="Document, version and locator: `ID:v1:page:3:char:10-20`.")
    content_ref: str = Field(default="", description="Reference of the version's converted.md.")
    conversion_artifact_ref: str = Field(default="", description="Reference of the version's folder.")
    quote: str | None = Field(default=None, description="The passage; if given, it must be what the locator slices.")


class EntityRef(Model):
    """An entity that a memory is about."""

    name: str = Field(min_length=1, max_length=500, description="Name of the entity.")
    label: str = Field(pattern=f"^{TYPE_PATTERN}$", description="Its kind, such as person or organization.")
    relationship: str = Field(
        default="mentions", pattern=f"^{TYPE_PATTERN}$", description="What the memory has to do with it."
    )


class AnchoredEntity(EntityRef):
    """An entity of a stored memory."""

    entity_id: str = Field(description="Id of the entity, the same in every library.")


class Memory(Model):
    """A stored memory."""

    memory_id: str = Field(description="Its id.")
    text: str = Field(description="The statement.")
    type: str = Field(description="Its type, such as fact.")
    confidence: UnitInterval = Field(description="Confidence of the writer, 0..1.")
    document_id: str = Field(description="The document.")
    version: int = Field(ge=1, description="The version in which it is anchored.")
    page: int | None = Field(description="Page of the anchor, from 1; null for a document without pages.")
    span: Span = Field(description="The anchor in the canonical text of that version.")
    quote: str = Field(description="The passage at the anchor.")
    source_ref: str = Field(description="Document, version and locator.")
    content_ref: str = Field(description="Reference of the version's converted.md.")
    conversion_artifact_ref: str = Field(description="Reference of the version's folder.")
    entities: tuple[AnchoredEntity, ...] = Field(description="The entities that it is about.")
    made_by: str = Field(description="The user or program that wrote it.")
    created_at: str = Field(description="ISO 8601, UTC.")
    last_verified_at: str = Field(description="When it was last compared with its source, ISO 8601, UTC.")
    last_verification: str | None = Field(description="Result of the last verification; null before the first.")


class RelatedMemory(Model):
    """A memory at the other end of a link."""

    memory: Memory = Field(description="The memory.")
    edge_type: str = Field(description="Kind of the link, read towards this memory.")
    edge_confidence: UnitInterval = Field(description="Confidence of the link, 0..1.")
    depth: int = Field(ge=1, description="Number of links from the first memory.")


class AddedMemory(Model):
    """A memory that was just written, and the links that were made with it."""

    memory: Memory = Field(description="The memory.")
    links: tuple[RelatedMemory, ...] = Field(description="Its links, among them those to near-duplicates.")


class FoundMemory(Model):
    """A memory that answers a query."""

    memory: Memory = Field(description="The memory.")
    relevance_score: float = Field(ge=0, description="0..1; comparable within one answer.")


class MemoryPage(Model):
    """Part of a list of memories."""

    memories: tuple[Memory, ...] = Field(description="The memories.")
    total: int = Field(ge=0, description="Number of memories in the whole list.")


class Verification(Model):
    """Result of comparing a memory with its source."""

    memory_id: str = Field(description="The memory.")
    source_resolvable: bool = Field(description="Whether a version of the source could be read.")
    verification_result: Verdict | None = Field(description="The result; null if the comparison was not possible.")
    notes: str = Field(description="What was compared, and what was found.")
    source_excerpt: str | None = Field(description="The passage that was compared.")
    document_id: str | None = Field(description="The document.")
    version: int | None = Field(description="The version of `source_excerpt`.")
    locator: str | None = Field(description="Location of `source_excerpt` in that version.")
