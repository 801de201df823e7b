"""The chunk index on the server of the index (ENG-26): the results of the one in a file, for all machines at once."""

from __future__ import annotations

import importlib
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import SearchSettings, Settings
from octavo_contracts import ToolUnavailable, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.search import SearchMethod
from octavo_library.search.ranking import RANKED_AT_MOST
from octavo_library.search.server import ranking, server_index, vectors
from octavo_text.chunking import ChunkingConfig
from sqlalchemy import create_engine, text

on_server = pytest.mark.postgresql

CONFIG = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)
SHARED = Settings(workers=1, chunking=CONFIG, search=SearchSettings(shared=True))
IN_A_FILE = Settings(workers=1, chunking=CONFIG)
FAKE = Path(__file__).with_name("fake_vectors.py")
SERVICES = """
[plugin.services]
embedder = "octavo_meaning.plugin:make_embedder"
vector_index = "octavo_meaning.plugin:make_vector_index"
"""

QUERIES = (
    "wind",
    "wind comets",
    '"log of wind"',
    '"the tide" -comets',
    "-wind",
    "harbour harbour's don't",
    "Café CAFE café",
    "東京都 東 都",
    "ﬁnding 12.5 e-mail",
    "ʼn x² ½ İstanbul",
    "a b c wind the of",
    "nothing of it stands here",
    '" ""',
    "it's '' \\ : & | ! ( ) <-> *",
    "\u0301 alone",  # an accent without a letter: a word of no characters
    '"alone \u0301 stands" "alone stands"',
)
WORDS = re.findall(
    r"\S+",
    "wind comets log of the tide harbour harbour's don't café Café CAFÉ 東京都の天気 東京 京都 ﬁnding finding 12.5 12 "
    "e-mail email x² x2 ½ İstanbul istanbul naïve Straße STRASSE \\ it's ''quoted'' a:b c&d e|f !g (h) <-> * "
    "क्षेत्र ไทยแลนด์ שלום العَرَبِيَّة co\u00adoperate zero\u200bwidth emoji🌠star alone· \u0301 stands",
)
CHILD = """\
import sys
from octavo_library import Library
from octavo.settings.settings import SearchSettings, Settings
from octavo_library.search import chunk_batches
from octavo_text.chunking import ChunkingConfig
chunk_batches.BATCH_CHUNKS = 2
config = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)
settings = Settings(workers=1, chunking=config, search=SearchSettings(vectors=False, shared=True))
with Library.open(sys.argv[1], settings=settings, index=sys.argv[2]) as library:
    print("ready", flush=True)
    sys.stdin.readline()
    print(library.search_index.update().indexed, flush=True)
"""


@pytest.fixture(scope="module")
def shared_runtime(make_lasting_plugin):
    """One worker for all tests of the module, with the plugin that makes and keeps vectors."""
    make_lasting_plugin("meaning", FAKE.read_text(encoding="utf-8"), more=SERVICES)
    with Runtime(SHARED) as runtime:
        yield runtime


@pytest.fixture(scope="module")
def runtime_with_files(shared_runtime, make_lasting_plugin):
    with Runtime(IN_A_FILE) as runtime:
        yield runtime


@pytest.fixture
def fake(shared_runtime, monkeypatch):
    """The plugin's module, as the test finds it each time."""
    module = importlib.import_module("octavo_meaning.plugin")
    for name, value in {"MODEL": "fake/1", "EMBEDDER_FAILS": None, "EMBEDDED": []}.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(server_index, "VECTOR_SECONDS", 60.0)
    return module


@pytest.fixture
def library(shared_runtime, root, fake):
    with Library.open(root, runtime=shared_runtime) as opened:
        yield opened


@pytest.fixture
def add(library):
    def ingest(words: str, *, corpus: str | None = None) -> str:
        done = library.ingest(words.encode(), name="note.txt", corpus=corpus, plugin="meaning")
        assert done.document_id is not None
        return done.document_id

    return ingest


@pytest.fixture
def server(library):
    engine = create_engine(library.context.index.url)
    yield engine
    engine.dispose()


@pytest.fixture
def has_vectors(server):
    with server.begin() as connection:
        if connection.scalar(text("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'")) is None:
            pytest.skip("the server has no pgvector")


def url_of(library) -> str:
    return library.context.index.url.render_as_string(hide_password=False)


def in_a_file(library, runtime) -> Library:
    """The same library with its chunk index in a file."""
    return Library.open(library.context.path, runtime=runtime, index=url_of(library))


def told(found):
    """What a search says, but for the last bits of its scores."""
    hits = [(hit.document_id, hit.chunk_id, hit.locator, hit.snippet, round(hit.score, 9)) for hit in found]
    return hits, found.pending, found.method, found.without_vectors, found.reason


def some_texts(count: int) -> list[str]:
    dice = random.Random(7)
    return [" ".join(dice.choices(WORDS, k=dice.randint(1, 40))) + f" note{number}" for number in range(count)]


@on_server
def test_the_results_are_those_of_an_index_in_a_file(library, add, runtime_with_files):
    for words in [*some_texts(40), "wind alone · \u0301 stands", "wind alone stands"]:
        add(words)
    with in_a_file(library, runtime_with_files) as other:
        for query in QUERIES:
            there = library.search(query, vectors=False, limit=100)
            assert told(there) == told(other.search(query, vectors=False, limit=100)), query
            assert all(hit.score > 0 for hit in there)
        assert len(library.search("wind", vectors=False)) == 10


@on_server
def test_of_many_matches_the_same_ones_are_scored(library, add, runtime_with_files, monkeypatch):
    for words in some_texts(40):
        add(words)
    monkeypatch.setattr("octavo_library.search.ranking.RANKED_AT_MOST", 12)
    monkeypatch.setattr(ranking, "RANKED_AT_MOST", 12)
    with in_a_file(library, runtime_with_files) as other:
        for query in QUERIES:
            assert told(library.search(query, vectors=False, limit=5)) == told(
                other.search(query, vectors=False, limit=5)
            ), query
    assert RANKED_AT_MOST == 5_000


@on_server
def test_words_that_are_everywhere_are_not_counted(library, add, server, monkeypatch):
    """The server's statistics say that they are common; what they stand beside is found all the same."""
    for number in range(30):
        add(f"The wind of day {number}")
    rare = add("The comet beside the wind")
    assert len(library.search("wind", vectors=False, limit=100)) == 31
    with server.begin() as connection:
        connection.execute(text("ANALYZE search_chunks"))
    monkeypatch.setattr(ranking, "COMMON", 10)
    found = library.search("wind comet", vectors=False, limit=100)
    assert (found[0].document_id, len(found)) == (rare, 31)


@on_server
def test_another_machine_has_nothing_to_index(library, add, tmp_path, fake, monkeypatch):
    """What one machine has indexed, all search; the next one asks for what has changed since, and not for all."""
    add("One tells of the harbour")
    assert len(library.search("harbour", vectors=False)) == 1
    asked = []
    real = server_index.fill

    def noted(*args, among=None, **more):
        asked.append(among)
        return real(*args, among=among, **more)

    monkeypatch.setattr(server_index, "fill", noted)
    with Library.open(tmp_path / "library", settings=SHARED, index=url_of(library)) as other:
        assert len(other.search("harbour", vectors=False)) == 1
        assert None not in asked
        second = other.ingest(b"Two tells of the harbour", name="2.txt", plugin="meaning").document_id
        asked.clear()
        assert len(other.search("harbour", vectors=False)) == 2
        assert asked == [[second]]
    assert not list(tmp_path.rglob("chunks-*.sqlite"))


@on_server
def test_who_may_see_it_is_decided_by_the_server(library, add):
    library.corpora.create("open")
    add("Sealed words of the harbour", corpus="open")
    assert len(library.search("harbour")) == 1
    library.corpora.update("open", CorpusSettings(visibility="firewalled"))
    assert list(library.search("harbour")) == []
    assert len(library.search("harbour", corpus="open")) == 1


@on_server
def test_a_purge_takes_words_and_vectors_in_its_own_transaction(library, add, server):
    first, second = add("One tells of the harbour"), add("Two tells of the harbour")
    assert len(library.search("harbour")) == 2
    library.maintenance.purge(library.document(first), confirm=first)
    with server.begin() as connection:
        left = connection.execute(text("SELECT document_id FROM search_sets")).scalars().all()
        chunks, words = connection.execute(text("SELECT count(*), sum(length) FROM search_chunks")).one()
        totals = connection.execute(text("SELECT sum(chunks), sum(length) FROM search_totals")).one()
    assert left == [second]
    assert (chunks, words) == tuple(totals) == (1, 5)
    assert [hit.document_id for hit in library.search("harbour")] == [second]


@on_server
def test_only_the_active_version_is_searched(library, add, server):
    document = add("Note of wind")
    assert len(library.search("wind", vectors=False)) == 1
    with server.begin() as connection:
        connection.execute(text("UPDATE documents SET active_conversion_version = NULL"))
    assert list(library.search("wind", vectors=False)) == []
    with server.begin() as connection:
        connection.execute(text("UPDATE documents SET active_conversion_version = 'v1'"))
    assert [hit.document_id for hit in library.search("wind", vectors=False)] == [document]


@on_server
def test_an_unreadable_chunk_set_is_pending_and_the_rest_is_found(library, add):
    broken, sound = add("Broken words of wind"), add("Sound words of wind")
    version = library.context.artifacts.path(library.document(broken).result.conversion_artifact_ref)
    (version / "canonical.txt").chmod(0o600)
    (version / "canonical.txt").write_text("something else")
    found = library.search("wind", vectors=False)
    assert ([hit.document_id for hit in found], found.pending) == ([sound], 1)
    again = library.search("wind", vectors=False)
    assert ([hit.document_id for hit in again], again.pending) == ([sound], 1)


def started(library, script: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(library.context.path), url_of(library)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@on_server
def test_machines_that_index_at_once_add_each_document_once(library, add, server):
    for number in range(12):
        add(f"Note {number} tells of wind")
    processes = [started(library, CHILD) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    indexed = [int(process.communicate()[0]) for process in processes]
    assert sum(indexed) == 12
    assert [process.returncode for process in processes] == [0, 0, 0]
    found = library.search("wind", vectors=False, limit=100)
    assert (len(found), len({hit.document_id for hit in found}), found.pending) == (12, 12, 0)


@on_server
def test_a_machine_that_is_killed_leaves_whole_sets(library, add, server):
    for number in range(12):
        add(f"Note {number} tells of wind, and of the harbour in the long nights of that winter, and of nothing else")
    slow = CHILD.replace(
        "chunk_batches.BATCH_CHUNKS = 2",
        "chunk_batches.BATCH_CHUNKS = 1\nimport octavo_library.search.server.indexer as indexer\nreal = indexer._chunk\nindexer._chunk = lambda *given: (__import__('time').sleep(0.05), real(*given))[1]",
    )
    process = started(library, slow)
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    with server.connect() as connection:
        while connection.scalar(text("SELECT to_regclass('search_sets')")) is None or not connection.scalar(
            text("SELECT count(*) FROM search_sets")
        ):
            connection.rollback()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    found = library.search("harbour", vectors=False, limit=100)
    assert (len({hit.document_id for hit in found}), found.pending) == (12, 0)
    with server.begin() as connection:
        chunks, words = connection.execute(text("SELECT count(*), sum(length) FROM search_chunks")).one()
        assert connection.execute(text("SELECT sum(chunks), sum(length) FROM search_totals")).one() == (chunks, words)


@on_server
def test_tables_of_another_schema_are_made_again(library, add, server):
    add("Note of wind")
    assert len(library.search("wind", vectors=False)) == 1
    library.context.chunk_index.close()
    with server.begin() as connection:
        connection.execute(text("UPDATE search_facts SET value = '0' WHERE key = 'schema'"))
        connection.execute(text("ALTER TABLE search_chunks RENAME COLUMN words TO tokens"))
    assert len(library.search("wind", vectors=False)) == 1


@on_server
def test_tables_that_somebody_drops_are_filled_again(library, add, server):
    """They are derived data; the program that has the library open need not be started again."""
    add("Note of wind")
    assert len(library.search("wind")) == 1
    with server.begin() as connection:
        names = connection.scalars(
            text("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'search%'")
        ).all()
        assert len(names) >= 4
        connection.execute(text(f"DROP TABLE {', '.join(names)} CASCADE"))
    assert len(library.search("wind")) == 1


@on_server
def test_meaning_is_compared_as_in_a_file(library, add, runtime_with_files, has_vectors):
    for number in range(12):
        # Each of another length, in one chunk: equal distances have no order.
        add(f"Note{number} of {('gale', 'doctor', 'harbour')[number % 3]}" + " x" * number)
    add("Врач пришёл в порт")
    with in_a_file(library, runtime_with_files) as other:
        other.search_index.update()
        for query in ("wind", "surgeon x", "wind -x", '"tells of"', "врач"):
            assert told(library.search(query)) == told(other.search(query)), query
    found = library.search("wind")
    assert found.method == SearchMethod.HYBRID
    document = found[0].document_id
    assert library.search_index.embedding_ids(document) == {found[0].chunk_id: found[0].embedding_id}


@on_server
def test_vectors_can_be_asked_for_at_the_first_search(library, add, has_vectors):
    add("Note of wind")
    assert library.search("gale", vectors=True).method == SearchMethod.HYBRID


@on_server
def test_an_embedder_that_fails_leaves_the_words(library, add, fake, has_vectors):
    first = add("Note of wind")
    assert library.search("wind").method == SearchMethod.HYBRID
    second = add("Another note of wind")
    fake.EMBEDDER_FAILS = ToolUnavailable("the model is gone")
    found = library.search("wind")
    assert ({hit.document_id for hit in found}, found.method) == ({first, second}, SearchMethod.FTS)
    assert found.reason is not None
    fake.EMBEDDER_FAILS = None
    assert library.search("wind").method == SearchMethod.HYBRID


@on_server
def test_the_purge_of_a_document_takes_its_vectors(library, add, server, has_vectors):
    first, _ = add("Note of gale"), add("Note of harbour")
    assert library.search("wind").method == SearchMethod.HYBRID
    library.maintenance.purge(library.document(first), confirm=first)
    with server.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM search_vectors")) == 1
        assert connection.scalar(text("SELECT count(*) FROM search_embedded")) == 1
    assert first not in [hit.document_id for hit in library.search("wind")]


@on_server
def test_a_server_without_the_extension_says_so(library, add, monkeypatch):
    add("Note of wind")
    monkeypatch.setattr(vectors, "_SCHEMA_OF", "SELECT CAST(NULL AS text)")
    monkeypatch.setattr(vectors, "_AVAILABLE", "SELECT NULL")
    found = library.search("wind")
    assert (len(found), found.method, found.reason) == (1, SearchMethod.FTS, vectors.NO_EXTENSION)
    with pytest.raises(ToolUnavailable, match="pgvector"):
        library.search("wind", vectors=True)


@pytest.mark.sqlite_files
def test_an_index_in_a_file_has_no_shared_chunk_index(tmp_path):
    with pytest.raises(UsageError, match=r"search\.shared needs an index on PostgreSQL"):
        Library.open(tmp_path / "library", settings=SHARED)
