"""Search by meaning beside words (ENG-26): what is compared, who may see it, and what happens when vectors are lost."""

from __future__ import annotations

import importlib
import itertools
import json
import logging
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo.runtime import Runtime
from octavo.settings.settings import SearchSettings, Settings
from octavo_contracts import ToolUnavailable
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.search import SearchMethod, chunk_index, opened_index, vectors
from octavo_library.search.fusion import fuse
from octavo_library.search.storage import ROWS_PER_SET
from octavo_library.storage import PolicyContext
from octavo_text.chunking import ChunkingConfig

FAKE = Path(__file__).with_name("fake_vectors.py")
SERVICES = """
[plugin.services]
embedder = "octavo_meaning.plugin:make_embedder"
vector_index = "octavo_meaning.plugin:make_vector_index"
"""
CONFIG = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)

CHILD = """\
import sys
from octavo_library import Library
from octavo.settings import Settings
from octavo_library.search import vectors
from octavo_text.chunking import ChunkingConfig
vectors.BATCH = 3
config = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)
with Library.open(sys.argv[1], settings=Settings(workers=1, chunking=config), index=sys.argv[2] or None) as library:
    print("ready", flush=True)
    sys.stdin.readline()
    library.search_index.update()
"""


@pytest.fixture(scope="module")
def shared_runtime(make_lasting_plugin) -> Iterator[Runtime]:
    """One worker for all tests of the module, with the plugin that makes and keeps vectors."""
    make_lasting_plugin("meaning", FAKE.read_text(encoding="utf-8"), more=SERVICES)
    with Runtime(Settings(workers=1, chunking=CONFIG)) as runtime:
        yield runtime


@pytest.fixture
def fake(shared_runtime, monkeypatch) -> ModuleType:
    """The plugin's module, as the test finds it each time."""
    module = importlib.import_module("octavo_meaning.plugin")
    values = {"MODEL": "fake/1", "LEAKS": False, "FAILS": 0, "EMBEDDER_FAILS": None, "ASKED": [], "EMBEDDED": []}
    for name, value in values.items():
        monkeypatch.setattr(module, name, value)
    # A search makes a second's worth of vectors that are lacking; on a busy machine that may be none.
    monkeypatch.setattr(opened_index, "VECTOR_SECONDS", chunk_index.CATCH_UP_SECONDS)
    return module


@pytest.fixture
def library(shared_runtime, root, fake) -> Iterator[Library]:
    with Library.open(root, runtime=shared_runtime) as opened:
        yield opened


@pytest.fixture
def add(library):
    def ingest(text: str, *, corpus: str | None = None) -> str:
        done = library.ingest(text.encode(), name="note.txt", corpus=corpus, plugin="meaning")
        assert done.document_id is not None
        return done.document_id

    return ingest


def ids(found) -> list[str]:
    return [hit.document_id for hit in found]


def held(root: Path) -> dict[str, Any]:
    """What the index of the library keeps, by its file."""
    files = list((root / "search" / "vectors").rglob("*.json"))
    return {key: vector for file in files for key, vector in json.loads(file.read_text()).items()}


def rows(root: Path, statement: str) -> list[Any]:
    (path,) = (root / "search").glob("chunks-*.sqlite")
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


# -- what is found --------------------------------------------------------------------------------------------


def test_meaning_is_found_where_no_word_is_shared(library, add):
    doctor, _ = add("The physician came by night."), add("Nobody slept well.")

    found = library.search("doctor")

    assert (found.method, found.reason, found.without_vectors) == (SearchMethod.HYBRID, None, 0)
    assert found[0].document_id == doctor
    assert found[0].snippet == "The physician came by night."
    assert library.search("doctor", vectors=False) == []


def test_ranks_of_words_and_of_vectors_are_fused():
    """By hand, k = 60: 2 is second and first, 1 first and third, 3 second in one alone."""
    assert fuse([1, 2], [2, 3, 1], limit=9) == [
        (2, pytest.approx((1 / 62 + 1 / 61) * 61 / 2)),
        (1, pytest.approx((1 / 61 + 1 / 63) * 61 / 2)),
        (3, pytest.approx((1 / 62) * 61 / 2)),
    ]
    assert fuse([7], [7], limit=1) == [(7, pytest.approx(1.0))]
    assert [number for number, _ in fuse([9], [4], limit=2)] == [4, 9]


def test_a_passage_that_has_word_and_meaning_is_before_one_that_has_either(library, add):
    both = add("A doctor and a physician.")
    add("A surgeon came too late to help anybody.")

    found = library.search("doctor")

    assert (found[0].document_id, found[0].score) == (both, 1.0)
    assert found[1].score < 1.0


def test_each_hit_names_its_entry_in_the_vector_index(library, add, root):
    """STO-15: the chunk's record, and the hits."""
    document = add("The physician came by night. And then he went away again, as he had come, on foot.")

    (hit, *_) = library.search("doctor")

    assert hit.embedding_id in held(root)
    entries = library.search_index.embedding_ids(document)
    assert entries[hit.chunk_id] == hit.embedding_id
    assert set(entries.values()) == set(held(root))
    assert set(entries) == {chunk.chunk_id for chunk in library.document(document).result.chunk_manifest}


def test_no_entries_are_known_before_anything_is_indexed(library, add):
    assert library.search_index.embedding_ids(add("The physician came.")) == {}


def test_a_phrase_in_quotation_marks_is_looked_for_as_it_stands(library, add, fake):
    add("The physician came by night.")

    found = library.search('"a doctor"')

    assert (found, found.method) == ([], SearchMethod.FTS)
    assert "quotation marks" in found.reason
    assert fake.ASKED == []


def test_an_excluded_word_is_excluded_from_meanings_too(library, add):
    good = add("The physician came by night.")
    add("The surgeon came by boat.")

    assert ids(library.search("doctor -boat")) == [good]
    assert library.search("doctor -came") == []


def test_a_script_that_the_model_was_not_made_for_is_compared_by_words(library, add, root, fake):
    document = add("Погода хорошая сегодня")
    add("The physician came by night.")

    found = library.search("погода")

    assert (ids(found), found.method, found.without_vectors) == ([document], SearchMethod.FTS, 0)
    assert "script" in found.reason
    assert len(held(root)) == 1
    assert library.search("doctor", limit=5).method == SearchMethod.HYBRID


@pytest.mark.parametrize("query", ["", "  ", "-doctor", "?!"])
def test_a_query_without_a_word_finds_nothing(library, add, query):
    add("The physician came by night.")
    assert library.search(query) == []


# -- when it is used ------------------------------------------------------------------------------------------


def test_the_settings_may_turn_it_off(shared_runtime, root, fake):
    off = Settings(workers=1, chunking=CONFIG, search=SearchSettings(vectors=False))
    with Runtime(off) as runtime, Library.open(root, runtime=runtime) as library:
        library.ingest(b"The physician came.", name="note.txt", plugin="meaning")
        found = library.search("doctor")
        assert (found, found.method, fake.EMBEDDED) == ([], SearchMethod.FTS, [])
        assert library.search_index.update().no_vectors is not None
        assert library.search("doctor", vectors=True).method == SearchMethod.HYBRID


def test_without_plugins_words_are_compared_and_the_reason_is_said(root, make_plugin, good_plugin, monkeypatch):
    make_plugin("plain", good_plugin)
    monkeypatch.setenv("OCTAVO_PLUGINS", "plain")
    with Library.open(root, settings=Settings(workers=1)) as library:
        library.ingest(b"The physician came.", name="note.txt", plugin="plain")
        found = library.search("physician")
        assert (len(found), found.method) == (1, SearchMethod.FTS)
        assert "no installed plugin" in found.reason
        report = library.search_index.update()
        assert (report.embedded, "no installed plugin" in report.no_vectors) == (0, True)
        for call in (library.search, lambda _, vectors: library.search_index.update(vectors=vectors)):
            with pytest.raises(ToolUnavailable, match="no installed plugin") as caught:
                call("physician", vectors=True)
            assert "octavo-vectors" in caught.value.remedy


def test_vectors_are_made_in_batches_that_a_search_does_not_wait_for(library, add, monkeypatch, fake):
    """ENG-14: behind the words, resumed where they stopped, never twice."""
    monkeypatch.setattr(vectors, "BATCH", 2)
    monkeypatch.setattr(opened_index, "VECTOR_SECONDS", 0.0)
    document = add("The physician came by night. " * 20)
    chunks = len(library.document(document).result.chunk_manifest)

    found = library.search("physician")

    assert (found.method, len(found) > 0) == (SearchMethod.FTS, True)
    assert "yet" in found.reason
    assert fake.EMBEDDED == []
    report = library.search_index.update(seconds=0)
    assert (report.embedded, report.without_vectors) == (0, 1)
    with pytest.MonkeyPatch.context() as patch:
        clock = SimpleNamespace(monotonic=itertools.count(step=0.5).__next__, sleep=lambda _: None)
        patch.setattr(vectors, "time", clock)
        patch.setattr(chunk_index, "time", clock)
        partly = library.search_index.update(seconds=3)
    assert 0 < partly.embedded < chunks
    assert partly.without_vectors == 1
    assert library.search("doctor", seconds=0).without_vectors == 1
    rest = library.search_index.update()
    assert (rest.embedded, rest.without_vectors) == (chunks - partly.embedded, 0)
    assert library.search_index.update().embedded == 0


def test_a_search_is_let_in_while_vectors_are_made(library, add, fake, monkeypatch):
    """Making them takes minutes where words take seconds: another thread's search has not to wait for the end."""
    monkeypatch.setattr(vectors, "BATCH", 1)
    monkeypatch.setattr(chunk_index, "SLICE_SECONDS", 0.02)
    document = add("The physician came by night. " * 40)
    chunks = len(library.document(document).result.chunk_manifest)
    library.search_index.update(vectors=False)
    embed = fake.FakeEmbedder.embed

    def slowly(self, texts):
        time.sleep(0.02)
        return embed(self, texts)

    monkeypatch.setattr(fake.FakeEmbedder, "embed", slowly)
    with ThreadPoolExecutor(1) as other:
        making = other.submit(library.search_index.update)
        while not fake.EMBEDDED:
            time.sleep(0.001)
        found = library.search("physician", vectors=False)
        seen = len(fake.EMBEDDED)
        assert making.result(60).embedded == chunks

    assert len(found) > 0
    assert seen < chunks / 2


def test_a_large_document_is_embedded_piece_by_piece(library, add, monkeypatch, root):
    monkeypatch.setattr(vectors, "BATCH", 4)
    document = add("The physician came by night. " * 20)
    add("Nobody slept.")
    chunks = len(library.document(document).result.chunk_manifest)

    assert library.search_index.update().embedded == chunks + 1

    assert len(held(root)) == chunks + 1
    assert rows(root, "SELECT sum(done), sum(held), sum(chunks) FROM vectors") == [(chunks + 1,) * 3]


def test_vectors_of_another_model_are_made_anew(library, add, fake, root):
    document = add("The physician came by night.")
    library.search("doctor")
    fake.MODEL = "fake/2"
    add("Nobody slept.")

    found = library.search("doctor")

    assert (found[0].document_id, found.method, found.without_vectors) == (document, SearchMethod.HYBRID, 0)
    assert sorted(path.name for path in (root / "search" / "vectors").rglob("*.json")) == ["fake-1.json", "fake-2.json"]
    library.maintenance.purge(document, confirm=document)
    library.search("doctor")
    assert len(held(root)) == 1


# -- nothing that was removed stays ---------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [None, False])
def test_the_vectors_of_a_purged_document_are_gone(library, add, root, asked):
    """STO-12, also where meanings are not asked for just now."""
    secret, other = add("The physician came by night."), add("Nobody slept.")
    library.search("doctor")
    assert len(held(root)) == 2

    library.maintenance.purge(secret, confirm=secret)
    found = library.search("doctor", vectors=asked)

    assert secret not in ids(found)
    assert set(held(root)) == set(library.search_index.embedding_ids(other).values())


def test_the_vectors_of_a_superseded_version_are_gone(library, add, root):
    document = add("The physician came by night.")
    library.search("doctor")
    before = set(held(root))

    library.document(document).reconvert(plugin="meaning")
    found = library.search("doctor")

    assert (ids(found), found[0].version) == ([document], 2)
    assert before.isdisjoint(held(root))
    assert len(held(root)) == 1


def test_purged_vectors_go_also_where_their_plugin_is_gone(library, shared_runtime, add, root):
    """Without the plugin they cannot be taken out one by one; their folder can."""
    secret = add("The physician came by night.")
    add("Nobody slept.")
    library.search("doctor")
    library.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("octavo.plugins.vector_tools.VectorTools.open_index", unavailable)
        with Library.open(root, runtime=shared_runtime) as opened:
            opened.maintenance.purge(secret, confirm=secret)
            assert opened.search("slept").method == SearchMethod.FTS
    assert held(root) == {}
    with Library.open(root, runtime=shared_runtime) as opened:
        assert opened.search("slept").method == SearchMethod.HYBRID
    assert len(held(root)) == 1


def unavailable(*_: object) -> None:
    raise ToolUnavailable("it was uninstalled")


# -- who may see it -------------------------------------------------------------------------------------------


def test_only_what_is_in_scope_is_compared(library, add, fake):
    """STO-5: the restriction is given to the index, before it looks for neighbours."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    secret, open_ = add("The physician came by night.", corpus="sealed"), add("Nobody slept well.")
    assert ids(library.search("doctor", corpus="sealed")) == [secret]

    found = library.search("doctor")

    assert ids(found) == [open_]
    assert {len(among) for _, among in fake.ASKED} == {1}
    (_, sealed), (_, loose) = fake.ASKED
    assert set(library.search_index.embedding_ids(secret).values()) == set(sealed)
    assert set(library.search_index.embedding_ids(open_).values()) == set(loose)


def test_an_index_that_disregards_the_restriction_gives_nothing_away(library, add, fake):
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    add("The physician came by night.", corpus="sealed")
    open_ = add("Nobody slept well.")
    library.search_index.update()
    fake.LEAKS = True

    assert ids(library.search("doctor")) == [open_]
    assert ids(library.search("doctor", policy=PolicyContext())) == [open_]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["wind one", "gale two", "storm three", "breeze four"]),
            st.sampled_from([None, "a", "b", "c"]),
            st.sampled_from([None, "ambient", "firewalled"]),
        ),
        max_size=6,
    ),
    leaks=st.booleans(),
)
def test_no_hybrid_search_gives_a_document_known_elsewhere_only(library, add, fake, steps, leaks):
    """As the test of the words: by meaning every document is near, so every one in scope is found and no other."""
    fake.LEAKS = leaks
    members = library.__dict__.setdefault("_model", set())
    for text, corpus, visibility in steps:
        if corpus and visibility:
            if corpus not in {known.name for known in library.corpora.list()}:
                library.corpora.create(corpus)
            library.corpora.update(corpus, CorpusSettings(visibility=visibility))
        members.add((add(text, corpus=corpus), corpus))
    sealed = {corpus.name for corpus in library.corpora.list() if corpus.settings.visibility == "firewalled"}
    for corpus in library.corpora.list():
        expected = {document for document, name in members if name == corpus.name}
        found = library.search("wind", corpus=corpus.name)
        assert set(ids(found)) == expected
        assert found.method == (SearchMethod.HYBRID if expected else SearchMethod.FTS)
    assert set(ids(library.search("wind"))) == {document for document, name in members if name not in sealed}


# -- lost and damaged -----------------------------------------------------------------------------------------


def remove_folder(root: Path) -> None:
    shutil.rmtree(root / "search" / "vectors")


def remove_file(root: Path) -> None:
    (path,) = (root / "search" / "vectors").rglob("*.json")
    path.unlink()


def scribble(root: Path) -> None:
    (path,) = (root / "search" / "vectors").rglob("*.json")
    path.write_text("{ no vectors")


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("damage", [remove_folder, remove_file, scribble])
def test_lost_vectors_are_made_anew_and_no_search_fails(library, shared_runtime, add, root, caplog, damage, reopened):
    document = add("The physician came by night.")
    add("Nobody slept.")
    before = library.search("doctor")
    if reopened:
        library.close()
    damage(root)
    with (
        caplog.at_level(logging.WARNING, "octavo.search"),
        Library.open(root, runtime=shared_runtime) as opened,
    ):
        library = opened if reopened else library
        first = library.search("physician")
        assert (first[0].document_id, first.method) == (document, SearchMethod.FTS)
        second = library.search("doctor")
    assert [(hit.document_id, hit.score) for hit in second] == [(hit.document_id, hit.score) for hit in before]
    assert second.method == SearchMethod.HYBRID
    assert len(caplog.records) == 1
    assert len(list((root / "search" / "vectors").iterdir())) == 1


def test_what_another_process_has_made_anew_is_not_made_anew_again(library, shared_runtime, add, root):
    document = add("The physician came by night.")
    library.search("doctor")
    with Library.open(root, runtime=shared_runtime) as other:
        assert other.search("doctor").method == SearchMethod.HYBRID
        scribble(root)
        assert other.search("doctor").method == SearchMethod.FTS
        other.search_index.update()
        (folder,) = (root / "search" / "vectors").iterdir()

        found = library.search("doctor")

    assert (ids(found), found.method) == ([document], SearchMethod.HYBRID)
    assert list((root / "search" / "vectors").iterdir()) == [folder]


def test_vectors_that_another_process_makes_anew_under_a_search_are_left_alone(
    library, shared_runtime, add, root, fake, monkeypatch, caplog
):
    """The search sees what was; it fails, answers by words, and does not take the new ones for damaged."""
    add("The physician came by night.")
    library.search("doctor")
    found_before = fake.FakeVectorIndex.search
    with Library.open(root, runtime=shared_runtime) as other:

        def disturbed(self, *arguments, **named):
            monkeypatch.setattr(fake.FakeVectorIndex, "search", found_before)
            scribble(root)
            other.search("doctor")
            other.search_index.update()
            return found_before(self, *arguments, **named)

        monkeypatch.setattr(fake.FakeVectorIndex, "search", disturbed)
        first = library.search("physician")
        (folder,) = (root / "search" / "vectors").iterdir()
        second = library.search("doctor")

    assert (len(first), first.method, second.method) == (1, SearchMethod.FTS, SearchMethod.HYBRID)
    assert list((root / "search" / "vectors").iterdir()) == [folder]
    assert len(caplog.records) == 1


def test_one_fault_is_tried_again(library, add, fake, caplog):
    """Another process may have tidied up what this one had open."""
    add("The physician came by night.")
    library.search("doctor")
    fake.FAILS = 1
    assert library.search("doctor").method == SearchMethod.HYBRID
    assert caplog.records == []


def test_vectors_that_are_lost_again_and_again_are_given_up(library, shared_runtime, add, fake, root):
    add("The physician came by night.")
    fake.FAILS = 1_000
    for _ in range(4):
        found = library.search("physician")
        assert (len(found), found.method) == (1, SearchMethod.FTS)
    assert "lost 2 times" in found.reason
    assert library.search_index.update().embedded == 0
    fake.FAILS = 0
    assert library.search("physician").method == SearchMethod.FTS
    with Library.open(root, runtime=shared_runtime) as opened:
        assert opened.search("physician").method == SearchMethod.HYBRID


def test_a_chunk_index_that_is_made_anew_has_vectors_of_its_own(library, add, root):
    """Row ids begin again in a new file: an old vector must not pass for another chunk's."""
    document = add("The physician came by night.")
    library.search("doctor")
    library.context.chunk_index.close()
    (path,) = (root / "search").glob("chunks-*.sqlite")
    path.write_bytes(b"no database " * 1000)
    old = next((root / "search" / "vectors").iterdir())

    found = library.search("doctor")

    assert (ids(found), found.method) == ([document], SearchMethod.HYBRID)
    assert not old.exists()


def test_a_folder_that_can_not_be_made_leaves_the_words(library, add, root):
    add("The physician came by night.")
    library.search("physician", vectors=False)
    (root / "search" / "vectors").write_text("in the way")
    for _ in range(3):
        found = library.search("physician")
        assert (len(found), found.method) == (1, SearchMethod.FTS)


def test_making_vectors_that_is_killed_leaves_no_vector_untold_of(library, add, root, index_argument, shared_runtime):
    """SIGKILL at six moments; then a document is purged, and nothing of it is left, and the rest is complete."""
    documents = [add(f"The physician came by night {number}. " * 6) for number in range(8)]
    index = index_argument(library)
    library.search_index.update(vectors=False)
    library.close()
    delay = random.Random(3)
    for _ in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", CHILD, str(root), index], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            child.stdin.write("\n")
            child.stdin.flush()
            time.sleep(delay.uniform(0.1, 0.5))
            child.send_signal(signal.SIGKILL)
    told = {number for (number,) in rows(root, "SELECT number FROM vectors")}
    assert {int(entry) >> ROWS_PER_SET for entry in held(root)} <= told
    with Library.open(root, runtime=shared_runtime) as opened:
        opened.maintenance.purge(documents[0], confirm=documents[0])
        opened.search_index.update()
        kept = {entry for document in documents[1:] for entry in opened.search_index.embedding_ids(document).values()}
        found = opened.search("doctor", limit=100)
    assert set(held(root)) == kept
    assert (found.method, found.without_vectors) == (SearchMethod.HYBRID, 0)
    assert set(ids(found)) == set(documents[1:])


@pytest.mark.parametrize("error", [RuntimeError("boom"), SystemExit(3)])
def test_an_embedder_that_fails_leaves_search_by_words(library, add, fake, root, error):
    """Its vectors are kept: the index is not at fault. After three failures in a row the embedder is not called again."""
    document = add("The physician came by night.")
    assert library.search("doctor").method is SearchMethod.HYBRID
    fake.EMBEDDER_FAILS = error

    found = library.search("physician")

    assert (found[0].document_id, found.method) == (document, SearchMethod.FTS)
    assert f"raised {type(error).__name__}" in found.reason
    fake.EMBEDDER_FAILS = None
    assert library.search("doctor").method is SearchMethod.HYBRID
    fake.EMBEDDER_FAILS = error
    for _ in range(3):
        library.search("physician")
    assert "failed 3 times" in library.search("physician").reason
    assert len(list((root / "search" / "vectors").rglob("*.json"))) == 1
