"""A memory of one policy context is invisible in the other: every answer is searched for canaries (STO-5, RET-5)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_contracts import OctavoError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_memory import EntityRef, LinkKind, MemoryStore
from octavo_retrieval import ToolFailure, tools

SHARED = b"# Harbour notes\n\nThe tide turned at noon. The boats came in with it.\n"
KINDS = {
    "firewalled": CorpusSettings(visibility="firewalled"),
    "privileged": CorpusSettings(sensitivity="privileged"),
    "ambient": CorpusSettings(),
}
OTHER = {"canary": "sparrow", "sparrow": "canary"}


@pytest.fixture(scope="module", params=[("firewalled", "ambient"), ("privileged", "firewalled")], ids="-".join)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Both sides have a document with the same bytes, and memories of the same passage, in words of their own."""
    folder = tmp_path_factory.mktemp("sides")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        for mark, kind in zip(("canary", "sparrow"), request.param, strict=True):
            opened.corpora.create(f"{mark}corpus", KINDS[kind])
            document = opened.ingest(SHARED, name="shared.md", corpus=f"{mark}corpus", plugin="plaintext").document
            store = MemoryStore(opened, corpus=f"{mark}corpus")
            first = store.add(
                f"The tide turned at noon, says {mark}word.",
                anchor=store.anchor(document.id, quote="The tide turned at noon."),
                type=f"{mark}type",
                entities=[EntityRef(name=f"{mark}person", label="person"), EntityRef(name="Harbour", label="place")],
                by=f"{mark}author",
            ).memory
            store.add(
                f"The boats came in, says {mark}word.",
                anchor=store.anchor(document.id, quote="The boats came in with it."),
                entities=[EntityRef(name="Harbour", label="place", relationship=f"{mark}relation")],
                links=[(LinkKind.SUPPORTS, first.memory_id)],
            )
        yield opened


def memories(library: Library, mark: str) -> list[Any]:
    store = MemoryStore(library, corpus=f"{mark}corpus")
    (document,) = library.documents(corpus=f"{mark}corpus")
    return list(store.cluster(document.id).memories)


def everything_told(library: Library, corpus: str | None, ids: list[str]) -> Iterator[tuple[str, str]]:
    offered = tools(library, corpus=corpus)
    (document,) = {one.id for one in library.documents()}
    calls: list[tuple[str, dict[str, Any]]] = [
        *((name, {"memory_id": one}) for one in ids for name in ("retrieve_memory_by_id", "verify_memory")),
        *(
            (name, {"memory_id": one})
            for one in ids
            for name in ("retrieve_related_memories", "retrieve_memory_source")
        ),
        ("retrieve_memory_cluster", {"source_ref": document}),
        *(("search_memories", {"query": one}) for one in ("tide", "boats", "canaryword", "sparrowword", "says")),
        *(("search_memories", {"query": "tide", "scope": f"{mark}corpus"}) for mark in OTHER),
        *(("search_memories", {"query": "tide", "type_filter": [f"{mark}type"]}) for mark in OTHER),
        *(("retrieve_memories_by_entity", {"entity_id": f"person:{mark}person"}) for mark in OTHER),
        ("retrieve_memories_by_entity", {"entity_id": "place:Harbour"}),
    ]
    for name, arguments in calls:
        try:
            result = offered.call(name, arguments)
            told = json.dumps(result.as_dict()) + result.receipt.to_json() + result.text
        except ToolFailure as failure:
            told = failure.failure.to_json()
        for value in arguments.values():
            told = told.replace(str(value), "")  # an answer repeats what was asked
        yield f"{name} {arguments}", told


@pytest.mark.parametrize("mark", ["canary", "sparrow"])
def test_answers_disclose_nothing_of_the_other_corpus(library: Library, mark: str) -> None:
    foreign = memories(library, OTHER[mark])
    words = {OTHER[mark], *(one.memory_id for one in foreign)}
    ids = [one.memory_id for one in (*foreign, *memories(library, mark))]
    for what, told in everything_told(library, f"{mark}corpus", ids):
        for word in words:
            assert word not in told, f"{what} discloses {word}: {told[:400]}"


def test_without_a_corpus_firewalled_memories_are_not_disclosed(library: Library) -> None:
    sealed = [one.name for one in library.corpora.list() if one.settings.visibility == "firewalled"]
    marks = [name.removesuffix("corpus") for name in sealed]
    every = [one.memory_id for mark in OTHER for one in memories(library, mark)]
    words = {*marks, *(one.memory_id for mark in marks for one in memories(library, mark))}
    for what, told in everything_told(library, None, every):
        for word in words:
            assert word not in told, f"{what} discloses {word}: {told[:400]}"


@pytest.mark.parametrize("mark", ["canary", "sparrow"])
def test_near_duplicates_and_scores_are_of_the_own_context(library: Library, mark: str) -> None:
    """The other side's memories are neither linked nor counted, however alike they are."""
    store = MemoryStore(library, corpus=f"{mark}corpus")
    mine = memories(library, mark)
    assert [one.edge_type for one in store.related(mine[0].memory_id)] == ["supported_by"]
    foreign = memories(library, OTHER[mark])[0]
    for act in (
        lambda: store.remove(foreign.memory_id),
        lambda: store.link(mine[0].memory_id, foreign.memory_id, LinkKind.SUPPORTS),
        lambda: store.verify(foreign.memory_id),
        lambda: store.get(foreign.memory_id[:12]),
    ):
        with pytest.raises(ToolFailure) as caught:
            act()
        assert caught.value.code == "memory_not_found"
    scores = [one.relevance_score for one in store.search("tide")]
    other = [one.relevance_score for one in MemoryStore(library, corpus=f"{OTHER[mark]}corpus").search("tide")]
    assert scores == other, "each side counts its own memories alone"


def test_an_export_has_the_memories_of_its_own_context(library: Library) -> None:
    for mark in OTHER:
        policy = library.context.index.corpora.get(f"{mark}corpus").policy
        (document,) = library.documents(policy=policy)
        assert OTHER[mark].encode() not in document.archive()
        assert f"{mark}word".encode() in document.archive()


def test_memories_follow_their_corpus_and_leave_with_the_document(tmp_path: Path) -> None:
    """A changed policy moves them; a document that leaves the corpus hides them, and brings them back with it."""
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.corpora.create("sea")
        document = opened.ingest(SHARED, name="shared.md", corpus="sea", plugin="plaintext").document
        store = MemoryStore(opened, corpus="sea")
        anchor = store.anchor(document.id, quote="The tide turned at noon.")
        memory = store.add("The tide turned.", anchor=anchor).memory
        owner = MemoryStore(opened)
        assert owner.get(memory.memory_id).text == "The tide turned."
        opened.corpora.create("empty")
        assert [len(owner.search("tide", scope=name)) for name in ("sea", "empty")] == [1, 0]
        opened.corpora.update("sea", CorpusSettings(visibility="firewalled"))
        assert store.get(memory.memory_id) == memory
        assert not owner.has_memories()
        for scope in ("sea", "absent"):  # a firewalled corpus has the answer of one that does not exist
            with pytest.raises(ToolFailure) as caught:
                owner.search("tide", scope=scope)
            assert caught.value.code == "corpus_not_found"
        with pytest.raises(OctavoError):
            owner.get(memory.memory_id)
        opened.corpora.remove_document(document, "sea")
        assert not store.has_memories()
        assert store.search("tide") == []
