"""Registry entries of the memory tools (seed 003 §16.2)."""

from __future__ import annotations

from typing import Final

from octavo_retrieval.registry import entry

BY_ID: Final = "retrieve_memory_by_id"
RELATED: Final = "retrieve_related_memories"
CLUSTER: Final = "retrieve_memory_cluster"
SEARCH: Final = "search_memories"
BY_ENTITY: Final = "retrieve_memories_by_entity"
VERIFY: Final = "verify_memory"

ENTRIES: Final = {
    BY_ID: entry(
        "memory.retrieve_by_id",
        BY_ID,
        display_name="Retrieve Memory by ID",
        goal="Get the full content and metadata for a specific memory",
        description="Returns a memory with its provenance, confidence, and source references.",
        aliases=("get memory", "show memory"),
        phrases=("what does that memory say", "show me this memory"),
    ),
    RELATED: entry(
        "memory.retrieve_related",
        RELATED,
        display_name="Retrieve Related Memories",
        goal="See what supports, contradicts or repeats a memory",
        description="Follows the links from a known memory: supports, contradicts, elaborates, supersedes, related_to, "
        "near_duplicate, differs; read from the other end supported_by, elaborated_by, superseded_by.",
        aliases=("related memories", "follow memory links"),
        phrases=("what contradicts this", "what else supports that"),
    ),
    CLUSTER: entry(
        "memory.retrieve_cluster",
        CLUSTER,
        display_name="Retrieve Memory Cluster",
        goal="Get all memories of a document or of some of its pages",
        description="Returns the memories that were extracted from a document, or from a range of its pages, in the order "
        "of the text.",
        aliases=("memories of a document", "memory cluster"),
        phrases=("what do we remember of this document", "memories of pages 3 to 7"),
    ),
    SEARCH: entry(
        "memory.search",
        SEARCH,
        display_name="Search Memories",
        goal="Find memories about something",
        description="Finds memories by their words, best first. Memories of a confidence below 0.5 are left out unless "
        "include_low_confidence is set.",
        aliases=("find memories", "search memory"),
        phrases=("what do we know about this", "do we remember anything on that"),
    ),
    BY_ENTITY: entry(
        "memory.retrieve_by_entity",
        BY_ENTITY,
        display_name="Retrieve Memories by Entity",
        goal="Get all memories about a person, an organisation or another entity",
        description="Returns the memories about an entity, the most confident first. The entity is named by the entity_id "
        "in the provenance of a memory, or as LABEL:NAME.",
        aliases=("memories about an entity",),
        phrases=("what do we know about this person", "memories about this company"),
    ),
    VERIFY: entry(
        "memory.verify",
        VERIFY,
        display_name="Verify Memory",
        goal="Check a memory against the passage that it was extracted from",
        description="Compares a memory with its passage, in the version in which it was anchored and in the active one, by "
        "words, figures and negations. A null result means that the comparison could not decide: read the passage.",
        aliases=("check memory", "ground memory"),
        phrases=("is that still true", "check this memory against the source"),
    ),
}
"""Tool → entry. The first is the seed's; the seed gives the others their names and schemas, not their ids."""
