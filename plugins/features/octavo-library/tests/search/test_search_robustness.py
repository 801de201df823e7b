"""The chunk index is derived: whatever happens to its file, the next search is right."""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from octavo_contracts import StorageError, ToolUnavailable
from octavo_library import Library
from octavo_library.search.frozen_storage import FrozenStorage
from octavo_library.search.library_tables import AttachedTables
from octavo_library.search.storage import SCHEMA, database_errors

CHILD = """\
import sys
from octavo_library import Library
from octavo.settings import SearchSettings, Settings
from octavo_text.chunking import ChunkingConfig
import octavo_library.search.chunk_batches as filling
filling.BATCH_CHUNKS = 2
config = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)
settings = Settings(workers=1, chunking=config, search=SearchSettings(vectors=False))
with Library.open(sys.argv[1], settings=settings, index=sys.argv[2] or None) as library:
    print("ready", flush=True)
    sys.stdin.readline()
    library.search_index.update()
    print(len(library.search("wind", limit=1000)), flush=True)
"""


def index_file(root):
    (path,) = (root / "search").glob("chunks-*.sqlite")
    return path


def query(root, statement):
    connection = sqlite3.connect(index_file(root))
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """A place for one library of twenty documents: converting them takes longer than most tests of their index."""
    return tmp_path_factory.mktemp("shelf") / "library"


def fill(root, runtime):
    with Library.open(root, runtime=runtime) as first:
        for number in range(20):
            text = f"Note{number} tells of wind|and of waves " + "and of the hours " * 40
            first.ingest(text.encode(), name="note.txt", plugin="parts")
        assert len(first.search("wind", limit=100)) == 20


@pytest.fixture
def indexed(shared_runtime, root, shelf):
    """A library of twenty documents, indexed; its file can be altered, as nobody has it open."""
    if "OCTAVO_TEST_INDEX_URL" in os.environ:  # an index on a server is not copied with its folder
        fill(root, shared_runtime)
    else:
        if not shelf.is_dir():
            fill(shelf, shared_runtime)
        shutil.copytree(shelf, root)
    with Library.open(root, runtime=shared_runtime) as opened:
        yield opened


def remove(root, _):
    shutil.rmtree(root / "search")


def remove_file(root, _):
    index_file(root).unlink()


def cut(root, _):
    os.truncate(index_file(root), index_file(root).stat().st_size // 2)


def empty(root, _):
    os.truncate(index_file(root), 0)


def overwrite(root, _):
    index_file(root).write_bytes(b"no database " * 1000)


def scribble(root, _):
    data = bytearray(index_file(root).read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    index_file(root).write_bytes(data)


def another_schema(root, _):
    connection = sqlite3.connect(index_file(root))
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()


def another_library(root, tmp_path):
    with Library.open(tmp_path / "other") as other:
        other.search("wind")
    name = index_file(root)
    shutil.copy(index_file(tmp_path / "other"), name)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (remove, False),
        (remove_file, False),
        (empty, False),
        (cut, True),
        (overwrite, True),
        (scribble, True),
        (another_schema, True),
        (another_library, True),
    ],
)
def test_a_file_that_is_no_use_is_made_anew(indexed, root, tmp_path, damage, said, caplog):
    """Deleted, cut short, altered, of another schema, of another library: the answer is the same, and it is said once."""
    before = [(hit.document_id, hit.locator, hit.score) for hit in indexed.search("wind", limit=100)]
    indexed.context.chunk_index.close()
    damage(root, tmp_path)
    with caplog.at_level(logging.WARNING, "octavo.search"):
        for _ in range(2):
            after = indexed.search("wind", limit=100)
            assert [(hit.document_id, hit.locator, hit.score) for hit in after] == before
            assert after.complete
    assert len(caplog.records) == said
    assert index_file(root).exists()


@pytest.mark.parametrize("damage", [remove, remove_file, overwrite, another_schema])
def test_a_file_that_is_lost_while_it_is_open_is_made_anew(indexed, root, tmp_path, damage):
    indexed.search("wind")
    damage(root, tmp_path)
    assert len(indexed.search("wind", limit=100)) == 20


def test_a_replaced_file_is_left_for_the_new_one(indexed, root):
    """Another process found the file damaged and replaced it while this one had it open."""
    indexed.search("wind")
    with Library.open(root, runtime=indexed.context.runtime) as other:
        index_file(root).unlink()
        assert len(other.search("wind", limit=100)) == 20
        assert len(indexed.search("wind", limit=100)) == 20
        assert index_file(root).exists()


@pytest.mark.sqlite_files  # damages the file of the index
def test_a_damaged_library_index_is_an_error_and_no_endless_repair(indexed, shared_runtime, root):
    indexed.close()
    with Library.open(root, runtime=shared_runtime) as opened:
        (root / "broken.sqlite").write_bytes(b"no database " * 1000)
        opened.context.chunk_index._library = AttachedTables(root / "broken.sqlite")
        with pytest.raises(StorageError, match="the library's index is damaged"):
            opened.search("wind")


def test_a_purged_document_is_gone_from_answers_and_from_the_file(library, add, root):
    document = add("Secret note on xylophones and wind")
    add("Note of wind")
    assert len(library.search("xylophones")) == 1
    library.maintenance.purge(document, confirm=document)
    assert library.search("xylophones") == []
    assert len(library.search("wind")) == 1
    library.context.chunk_index.close()
    left = b"".join(path.read_bytes() for path in (root / "search").iterdir())
    assert b"xylophone" not in left


def test_an_altered_text_is_not_quoted(library, add, caplog):
    """A quotation that cannot be verified is no answer; the document is counted instead."""
    document, good = add("Note of wind"), add("Another note of wind")
    text = library.context.artifacts.path(library.document(document).result.canonical_text_ref)
    text.chmod(0o600)
    text.write_text("Note of rain")
    found = library.search("wind")
    assert ([hit.document_id for hit in found], found.pending) == ([good], 1)
    assert "canonical.txt was altered" in caplog.text
    assert "canonical.txt was altered" in library.search_index.update().unreadable[document]


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_no_chunk_set_is_made_from_a_text_that_is_lost_or_altered(library, add, content):
    document = add("Note of wind")
    version = library.context.artifacts.path(library.document(document).result.conversion_artifact_ref)
    shutil.rmtree(version / "chunks")
    (version / "canonical.txt").unlink()
    if content is not None:
        (version / "canonical.txt").write_bytes(content)
    assert document in library.search_index.update().unreadable
    assert not (version / "chunks").exists()


@pytest.mark.parametrize("content", ["{", "{}", '{"chunks": [{"span": {"start": 9, "end": 1}}]}'])
def test_an_altered_chunk_set_is_not_used(library, add, content):
    document = add("Note of wind")
    version = library.context.artifacts.path(library.document(document).result.conversion_artifact_ref)
    manifest = version / "chunks" / "fixed-40-60-5" / "manifest.json"
    manifest.chmod(0o600)
    manifest.write_text(content)
    assert library.search("wind").pending == 1
    assert document in library.search_index.update().unreadable


def test_a_missing_chunk_set_is_made_when_somebody_asks(library, add):
    document = add("Note of wind")
    version = library.context.artifacts.path(library.document(document).result.conversion_artifact_ref)
    shutil.rmtree(version / "chunks")
    assert library.search("wind").pending == 1
    assert library.search_index.update().unreadable == {}
    assert len(library.search("wind")) == 1


def start(root, index):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root), index], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_two_processes_index_at_once(indexed, root, index_argument):
    remove(root, None)
    index = index_argument(indexed)
    indexed.close()
    children = [start(root, index) for _ in range(2)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    answers = [child.communicate("\n", timeout=120)[0] for child in children]
    assert answers == ["20\n", "20\n"]
    assert query(root, "SELECT count(*), count(DISTINCT document_id) FROM sets") == [(20, 20)]


def test_indexing_that_is_killed_leaves_the_next_search_right(indexed, root, index_argument):
    """SIGKILL at five moments of one rebuild; no set is there in part or twice."""
    remove(root, None)
    delay = random.Random(7)
    for _ in range(5):
        with start(root, index_argument(indexed)) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            child.stdin.write("\n")
            child.stdin.flush()
            time.sleep(delay.uniform(0, 0.1))
            child.send_signal(signal.SIGKILL)
    found = indexed.search("wind", limit=100)
    assert (len(found), len({hit.document_id for hit in found}), found.pending) == (20, 20, 0)
    indexed.context.chunk_index.close()
    assert query(root, "PRAGMA integrity_check") == [("ok",)]
    words = query(root, "SELECT count(*) FROM words_docsize")
    assert words == query(root, "SELECT count(*) FROM chunks")


def test_a_folder_that_can_not_be_made_is_a_storage_error(library, root):
    (root / "search").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be written"):
        library.search("wind")


def test_a_full_disk_is_searched_in_memory_and_nothing_is_there_in_part(indexed, add):
    """SQLite's own bound on the file's size answers as a full disk does; ENG-12: reading goes on."""
    indexed.search("wind")
    connection = indexed.context.chunk_index._open().storage.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    document = add("Storm of wind " + " ".join(f"gust{number}" for number in range(20_000)))
    found = {hit.document_id for hit in indexed.search("wind", limit=100)}
    assert document in found
    assert isinstance(indexed.context.chunk_index._opened.storage, FrozenStorage)
    assert document in {hit.document_id for hit in indexed.search("wind", limit=100)}


def test_a_sqlite_without_full_text_search_is_named():
    connection = sqlite3.connect(":memory:")
    with pytest.raises(ToolUnavailable, match="FTS5"), database_errors(Path("chunks.sqlite")):
        connection.execute("CREATE VIRTUAL TABLE words USING no_such_module(text)")
    connection.close()


def test_another_mistake_is_not_hidden():
    connection = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError), database_errors(Path("chunks.sqlite")):
        connection.execute("SELECT nothing")
    connection.close()
