"""Memories across reconversions, purges, exports and a rebuilt index (INT-3, ENG-5, STO-12, STO-14)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_library.storage.index.rebuild import rebuild_index
from octavo_memory import EntityRef, LinkKind, MemoryStore
from octavo_retrieval import tools

PAGE = """<html><head><title>Gauge</title></head><body><nav>Home Tides Contact and other links of the site</nav>
<article><h1>Gauge readings</h1>
<p>The gauge at the old pier stood at 3.2 m at noon, which is the highest reading of the whole year so far.</p>
<p>The harbour master did not close the lock, and every boat that was out came in before the evening.</p>
</article><footer>Copyright 2021 Rowe and Sons, all rights reserved</footer></body></html>"""
GAUGE = "The gauge at the old pier stood at 3.2 m at noon"
LOCK = "The harbour master did not close the lock"
FOOTER = "Copyright 2021 Rowe and Sons"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    (tmp_path / "gauge.html").write_text(PAGE, encoding="utf-8")
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.ingest(tmp_path / "gauge.html", plugin="markitdown")
        yield opened


def test_a_memory_is_verified_against_the_version_of_its_anchor_and_the_active_one(library: Library) -> None:
    """A passage that is still there is compared where it stands now; one that is gone has changed."""
    store = MemoryStore(library)
    (document,) = library.documents()
    kept = store.add("The gauge stood at 3.2 m at noon.", anchor=store.anchor(document.id, quote=GAUGE)).memory
    gone = store.add("The copyright is of 2021.", anchor=store.anchor(document.id, quote=FOOTER)).memory
    assert store.verify(kept.memory_id).verification_result == "supported"
    assert store.verify(gone.memory_id).verification_result == "supported"

    document.reconvert(plugin="trafilatura", activate=True)
    found = store.verify(kept.memory_id)
    assert (found.verification_result, found.version, found.source_excerpt) == ("supported", 2, GAUGE)
    assert "unchanged in version 2" in found.notes
    lost = store.verify(gone.memory_id)
    assert (lost.verification_result, lost.source_resolvable, lost.version) == ("source_changed", True, 1)
    assert lost.source_excerpt == FOOTER
    assert "In version 1, where it was anchored, the comparison gives supported" in lost.notes
    assert store.get(gone.memory_id).last_verification == "source_changed"
    assert store.get(gone.memory_id).last_verified_at > gone.last_verified_at

    offered = tools(library)
    source = offered.call("retrieve_memory_source", {"memory_id": kept.memory_id, "format": "text"}).as_dict()
    assert (source["source_resolved"], GAUGE in source["content"]) == (True, True)
    assert offered.call("retrieve_memory_source", {"memory_id": gone.memory_id}).as_dict()["source_resolved"] is False

    later = datetime.now(UTC) + timedelta(days=400)
    library.maintenance.purge_expired(library.maintenance.expired(now=later))
    assert "which was purged" in store.verify(kept.memory_id).notes
    purged = store.verify(gone.memory_id)
    assert (purged.verification_result, purged.source_excerpt) == ("source_changed", None)
    assert "version 1 was purged" in purged.notes


@pytest.mark.parametrize(
    ("text", "quote", "result"),
    [
        ("The gauge at the pier stood at 3.2 m at noon.", GAUGE, "supported"),
        ("The gauge at the pier stood at 4.7 m at noon.", GAUGE, "contradicted"),
        ("The harbour master closed the lock.", LOCK, "contradicted"),
        ("The harbour master never closed the lock.", LOCK, "supported"),
        ("The gauge stood at 3.2 m at noon. The pilot was ill.", GAUGE, "partially_supported"),
        ("Water was unusually deep.", GAUGE, None),
        ("The lock and the boats came in.", LOCK, "partially_supported"),
        ("Every boat that was out came in before the evening.", LOCK, "supported"),
    ],
)
def test_words_figures_and_negations_are_compared(
    shared_page: Library, text: str, quote: str, result: str | None
) -> None:
    """A paraphrase is left undecided; context pages count as source."""
    store = MemoryStore(shared_page)
    (document,) = shared_page.documents()
    memory = store.add(text, anchor=store.anchor(document.id, quote=quote)).memory
    found = store.verify(memory.memory_id)
    assert found.verification_result == result, found.notes
    assert found.source_resolvable
    assert found.notes


@pytest.fixture(scope="module")
def shared_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("page")
    (folder / "gauge.html").write_text(PAGE, encoding="utf-8")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.ingest(folder / "gauge.html", plugin="markitdown")
        yield opened


@pytest.mark.sqlite_files  # the index is lost by deleting its file
def test_export_rebuild_and_purge_take_memories_along(library: Library, tmp_path: Path) -> None:
    store = MemoryStore(library)
    (document,) = library.documents()
    other = library.ingest(b"# Log\n\nThe lock stayed open.\n", name="log.md", plugin="plaintext").document
    first = store.add(
        "The gauge stood at 3.2 m at noon.",
        anchor=store.anchor(document.id, quote=GAUGE),
        entities=[EntityRef(name="Old pier", label="place")],
    ).memory
    second = store.add(
        "The lock was open.",
        anchor=store.anchor(other.id, quote="The lock stayed open."),
        links=[(LinkKind.RELATED_TO, first.memory_id)],
    ).memory

    document.export(tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        (exported,) = json.loads(archive.read("memories.json"))
        assert "memories.json" in json.loads(archive.read("manifest.json"))["files"]
    assert (exported["id"], exported["text"], exported["quote"]) == (first.memory_id, first.text, GAUGE)
    assert [one["name"] for one in exported["entities"]] == ["Old pier"]

    library.close()
    for path in Path(library.path).glob("index.sqlite*"):
        path.unlink()
    rebuild_index(library.path)
    with Library.open(library.path, create=False) as again:
        rebuilt = MemoryStore(again)
        assert rebuilt.get(first.memory_id) == first
        assert [one.memory.memory_id for one in rebuilt.related(first.memory_id)] == [second.memory_id]
        assert [one.memory.memory_id for one in rebuilt.search("gauge")] == [first.memory_id]

        preview = again.maintenance.purge_preview(document.id)
        assert (preview.rows["memories"], preview.rows["memory_entities"], preview.rows["memory_links"]) == (1, 1, 1)
        again.maintenance.purge(document.id, confirm=document.id)
        assert rebuilt.search("gauge") == []
        assert rebuilt.related(second.memory_id) == ()
        told = tools(again).call("verify_memory", {"memory_id": first.memory_id}).as_dict()
        assert (told["source_resolvable"], told["verification_result"]) == (False, None)
