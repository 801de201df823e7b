"""Memories are written with an anchor that slices, or not at all (ENG-5); near-duplicates are linked, never merged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from octavo_contracts import SourceAnchorMissing, Span, resolve_locator
from octavo_library import Library
from octavo_memory import EntityRef, LinkKind, MemoryStore, SourceAnchor
from octavo_retrieval import ToolFailure, tools

GAUGE = "The gauge stood at 3.2 m at noon."


def test_a_memory_keeps_its_references_and_its_anchor_slices(
    library: Library, store: MemoryStore, ids: dict[str, str]
) -> None:
    document = library.document(ids["talk.vtt"])
    anchor = store.anchor(document.id, quote="In minute 3 the pilot spoke of station 3.")
    memory = store.add(
        "The pilot spoke of station 3.",
        anchor=anchor,
        type="event",
        confidence=0.8,
        entities=[EntityRef(name="Station 3", label="place")],
        by="anna",
    ).memory
    assert memory == store.get(memory.memory_id) == store.get(memory.memory_id[:10])
    assert memory.source_ref.startswith(f"{document.id}:v1:page:4:char:")
    assert memory.content_ref == document.result.normalized_content_ref
    assert memory.conversion_artifact_ref == document.result.conversion_artifact_ref
    locator = memory.source_ref.partition(":v1:")[2]
    assert resolve_locator(document.canonical_text, locator) == memory.quote == memory.span.of(document.canonical_text)
    assert (memory.type, memory.confidence, memory.page, memory.made_by) == ("event", 0.8, 4, "anna")
    assert [(one.name, one.label, one.relationship) for one in memory.entities] == [("Station 3", "place", "mentions")]


def test_the_source_ref_of_a_found_passage_is_an_anchor(library: Library, store: MemoryStore) -> None:
    """A host writes a memory from an answer of search_documents."""
    found: Any = tools(library).call("search_documents", {"query": "storm surge"}).value
    hit = found.hits[0]
    document = library.document(hit.document_id)
    anchor = SourceAnchor(
        source_ref=hit.source_ref,
        content_ref=document.result.normalized_content_ref or "",
        conversion_artifact_ref=document.result.conversion_artifact_ref or "",
    )
    assert store.add("A storm caused the surge.", anchor=anchor).memory.quote == hit.snippet


WRONG: dict[str, Callable[[SourceAnchor, str], SourceAnchor | None]] = {
    "passage that it was extracted from": lambda anchor, other: None,
    "without source_ref": lambda anchor, other: anchor.model_copy(update={"source_ref": ""}),
    "without content_ref": lambda anchor, other: anchor.model_copy(update={"content_ref": ""}),
    "without conversion_artifact_ref": lambda anchor, other: anchor.model_copy(update={"conversion_artifact_ref": ""}),
    "is no source_ref": lambda anchor, other: anchor.model_copy(update={"source_ref": anchor.source_ref[:36]}),
    "source_ref leads nowhere": lambda anchor, other: anchor.model_copy(
        update={"source_ref": "00000000-0000-5000-8000-000000000000" + anchor.source_ref[36:]}
    ),
    "content_ref does not belong": lambda anchor, other: anchor.model_copy(
        update={"content_ref": anchor.content_ref.replace("v1", "v2")}
    ),
    "does not exist, or was purged": lambda anchor, other: SourceAnchor(
        source_ref=anchor.source_ref.replace(":v1:", ":v7:"),
        content_ref=anchor.content_ref.replace("v1", "v7"),
        conversion_artifact_ref=anchor.conversion_artifact_ref.replace("v1", "v7"),
    ),
    "does not slice the text": lambda anchor, other: anchor.model_copy(
        update={"source_ref": anchor.source_ref.partition(":char:")[0] + ":char:10-99999"}
    ),
    "There is no text at": lambda anchor, other: anchor.model_copy(
        update={"source_ref": anchor.source_ref.partition(":char:")[0] + ":char:5-5"}
    ),
    "is not what stands at": lambda anchor, other: anchor.model_copy(update={"quote": "Something else."}),
}


@pytest.mark.parametrize("said", WRONG)
def test_without_an_anchor_nothing_is_written(store: MemoryStore, ids: dict[str, str], said: str) -> None:
    right = store.anchor(ids["harbour.md"], quote=GAUGE)
    with pytest.raises(SourceAnchorMissing, match=said) as caught:
        store.add("The gauge stood at 3.2 m.", anchor=WRONG[said](right, ids["talk.vtt"]))
    assert caught.value.reason == "source_anchor_missing"
    assert caught.value.remedy
    assert not store.has_memories()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "needs a passage"),
        ({"quote": "  "}, "needs a passage"),
        ({"quote": "The sea was calm."}, "is not in the active version"),
        ({"quote": "The same words."}, "occurs 2 times"),
        ({"locator": "page:9:char:0-4"}, "does not slice"),
        ({"locator": "somewhere"}, "is not a locator"),
        ({"span": Span(start=0, end=100_000)}, "does not slice"),
    ],
)
def test_a_passage_that_cannot_be_an_anchor(
    store: MemoryStore, ids: dict[str, str], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(SourceAnchorMissing, match=said):
        store.anchor(ids["harbour.md"], **given)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"text": " "}, "text of a memory"),
        ({"text": "a\x00b"}, "text of a memory"),
        ({"text": "x" * 10_001}, "text of a memory"),
        ({"text": "?!"}, "has no words"),
        ({"type": "Key Date"}, "no type of memory"),
        ({"confidence": 1.5}, "confidence is 1.5"),
        ({"confidence": float("nan")}, "confidence is nan"),
    ],
)
def test_fields_that_are_refused(store: MemoryStore, ids: dict[str, str], changed: dict[str, Any], said: str) -> None:
    given = {"text": "The gauge stood at 3.2 m."} | changed
    with pytest.raises(ToolFailure, match=said) as caught:
        store.add(**given, anchor=store.anchor(ids["harbour.md"], quote=GAUGE))
    assert caught.value.code == "invalid_arguments"
    assert not store.has_memories()


def test_a_link_to_an_unknown_memory_writes_nothing(store: MemoryStore, ids: dict[str, str]) -> None:
    anchor = store.anchor(ids["harbour.md"], quote=GAUGE)
    with pytest.raises(ToolFailure) as caught:
        store.add("The gauge stood at 3.2 m.", anchor=anchor, links=[(LinkKind.SUPPORTS, "mem-0000000000000000")])
    assert caught.value.code == "memory_not_found"
    assert not store.has_memories()


def test_near_duplicates_are_linked_and_both_stay(store: MemoryStore, ids: dict[str, str]) -> None:
    """Other figures or a negation make no duplicate, however alike the words are."""
    anchor = store.anchor(ids["harbour.md"], quote=GAUGE)
    first = store.add("The gauge at the harbour stood at 3.2 m at noon.", anchor=anchor)
    assert first.links == ()
    again = store.add("At noon, the gauge at the harbour stood at 3.2 m.", anchor=anchor)
    assert [(one.memory.memory_id, one.edge_type) for one in again.links] == [
        (first.memory.memory_id, "near_duplicate")
    ]
    assert again.links[0].edge_confidence == 1.0
    other = store.add("The gauge at the harbour stood at 2.3 m at noon.", anchor=anchor)
    assert {one.edge_type for one in other.links} == {"differs"}
    negated = store.add("The gauge at the harbour never stood at 3.2 m at noon.", anchor=anchor)
    assert {one.edge_type for one in negated.links} == {"differs"}
    far = store.add("A storm from the north caused the surge.", anchor=anchor)
    assert far.links == ()
    assert store.cluster(ids["harbour.md"]).total == 5


def test_a_removed_memory_takes_its_links_along(store: MemoryStore, ids: dict[str, str]) -> None:
    anchor = store.anchor(ids["harbour.md"], quote=GAUGE)
    first = store.add("The gauge stood at 3.2 m.", anchor=anchor).memory
    second = store.add("A storm raised the water.", anchor=anchor, links=[(LinkKind.SUPPORTS, first.memory_id)]).memory
    assert [one.edge_type for one in store.related(first.memory_id)] == ["supported_by"]
    store.remove(second.memory_id)
    assert store.related(first.memory_id) == ()
    with pytest.raises(ToolFailure) as caught:
        store.remove(second.memory_id)
    assert caught.value.code == "memory_not_found"


def test_a_memory_is_not_linked_to_itself(store: MemoryStore, ids: dict[str, str]) -> None:
    memory = store.add("The gauge stood.", anchor=store.anchor(ids["harbour.md"], quote=GAUGE)).memory
    with pytest.raises(ToolFailure, match="linked to itself"):
        store.link(memory.memory_id, memory.memory_id[:12], LinkKind.RELATED_TO)


def test_the_async_methods_do_the_same(store: MemoryStore, ids: dict[str, str]) -> None:
    async def run() -> None:
        anchor = await store.aanchor(ids["harbour.md"], quote=GAUGE)
        first = (await store.aadd("The gauge stood at 3.2 m.", anchor=anchor)).memory
        second = (await store.aadd("A storm raised the water.", anchor=anchor)).memory
        await store.alink(second.memory_id, first.memory_id, LinkKind.ELABORATES, confidence=0.6)
        assert await store.aget(first.memory_id) == store.get(first.memory_id)
        assert await store.arelated(first.memory_id) == store.related(first.memory_id)
        assert await store.asearch("storm") == store.search("storm")
        assert await store.acluster(ids["harbour.md"]) == store.cluster(ids["harbour.md"])
        assert await store.aby_entity("person:Nobody") == ()
        assert (await store.averify(first.memory_id)).verification_result == "supported"
        await store.aremove(first.memory_id)
        assert store.cluster(ids["harbour.md"]).total == 1

    asyncio.run(run())
