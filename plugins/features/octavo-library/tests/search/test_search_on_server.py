"""Search where the index is on a server: a copy of what decides who sees what, as true as the original (STO-5)."""

from __future__ import annotations

import pytest
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.search.library_tables import CopiedTables
from sqlalchemy import create_engine, text

pytestmark = pytest.mark.postgresql


@pytest.fixture
def library(make_plugin, good_plugin, tmp_path):
    make_plugin("plain", good_plugin)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        yield opened


def titles(hits):
    return sorted(hit.snippet.split()[0] for hit in hits)


def test_what_another_process_does_is_seen_by_the_next_search(library, tmp_path):
    url = library.context.index.url.render_as_string(hide_password=False)
    with Library.open(tmp_path / "library", settings=Settings(workers=1), index=url) as other:
        other.ingest(b"One tells of the harbour.", name="1.txt", plugin="plain")
        assert titles(library.search("harbour")) == ["One"]
        second = other.ingest(b"Two tells of the harbour.", name="2.txt", plugin="plain")
        assert titles(library.search("harbour")) == ["One", "Two"]
        other.maintenance.purge(other.document(second.document_id), confirm=second.document_id)
        assert titles(library.search("harbour")) == ["One"]


def test_a_policy_that_was_tightened_hides_from_the_next_search(library):
    library.corpora.create("open")
    library.ingest(b"Sealed words of the harbour.", name="1.txt", corpus="open", plugin="plain")
    assert titles(library.search("harbour")) == ["Sealed"]
    library.corpora.update("open", CorpusSettings(visibility="firewalled"))
    assert titles(library.search("harbour")) == []
    assert titles(library.search("harbour", corpus="open")) == ["Sealed"]


@pytest.fixture
def copies(library, monkeypatch):
    """What each copy replaced, in order: ids of documents, or None for all of them."""
    made = []
    snapshots = type(library.context.index.snapshots)
    real = snapshots.for_search

    def noted(self, columns, receive, /, *, since):
        def receive_noted(copied):
            made.append(copied.changed)
            receive(copied)

        return real(self, columns, receive_noted, since=since)

    monkeypatch.setattr(snapshots, "for_search", noted)
    return made


@pytest.fixture
def server(library):
    """Another program's way to the database."""
    engine = create_engine(library.context.index.url)
    yield engine
    engine.dispose()


def test_a_search_copies_what_has_changed_and_nothing_else(library, copies, server):
    first = library.ingest(b"One tells of the harbour.", name="1.txt", plugin="plain").document_id
    assert titles(library.search("harbour")) == ["One"]
    assert copies[0] is None
    copies.clear()
    for _ in range(5):
        with server.begin() as connection:  # someone else's work on the same server
            connection.execute(text("CREATE TABLE IF NOT EXISTS not_ours (number INTEGER)"))
            connection.execute(text("INSERT INTO not_ours VALUES (1)"))
        assert titles(library.search("harbour")) == ["One"]
    with server.begin() as connection:
        connection.execute(text("DROP TABLE not_ours"))
    assert copies == []
    second = library.ingest(b"Two tells of the harbour.", name="2.txt", plugin="plain").document_id
    assert titles(library.search("harbour")) == ["One", "Two"]
    assert {document_id for copied in copies for document_id in copied} == {second}
    copies.clear()
    library.maintenance.purge(library.document(first), confirm=first)
    assert titles(library.search("harbour")) == ["Two"]
    assert {document_id for copied in copies for document_id in copied} == {first}
    assert isinstance(library.context.chunk_index._library, CopiedTables)


def test_a_change_that_was_begun_early_and_committed_late_is_seen(library, copies, server):
    """Ids of transactions do not follow the order of commits: the log must not be read by a highest number (STO-5)."""
    early, late = (
        library.ingest(name.encode(), name=name, plugin="plain").document_id for name in ("tide 1", "tide 2")
    )
    assert len(library.search("tide")) == 2
    hide = text("UPDATE documents SET active_conversion_version = NULL WHERE document_id = :id")
    with server.connect() as slow:
        slow.execute(hide, {"id": early})
        with server.begin() as connection:
            connection.execute(hide, {"id": late})
        copies.clear()
        assert [hit.document_id for hit in library.search("tide")] == [early]
        assert copies == [(late,)]
        slow.commit()
    assert list(library.search("tide")) == []
    assert copies[1] == (early,)


def test_a_copy_that_missed_more_than_the_log_has_is_made_anew(library, copies, server, monkeypatch):
    library.ingest(b"tide", name="1.txt", plugin="plain")
    library.ingest(b"tide again", name="2.txt", plugin="plain")
    assert len(library.search("tide")) == 2
    copies.clear()
    monkeypatch.setattr("octavo_library.storage.index.snapshots.MOST_COPIED", 1)
    with server.begin() as connection:
        connection.execute(text("UPDATE documents SET title = 'A new title'"))
    assert {hit.title for hit in library.search("tide")} == {"A new title"}
    assert copies == [None]
    monkeypatch.undo()


def test_old_changes_leave_the_log_and_a_copy_knows_it(library, copies, server):
    """The triggers keep the log short; who has an older copy replaces all of it."""
    document_id = library.ingest(b"tide", name="1.txt", plugin="plain").document_id
    assert len(library.search("tide")) == 1
    copies.clear()
    with server.begin() as connection:
        for number in range(100_000):
            connection.execute(text("SELECT setseed(:seed)"), {"seed": number / 100_000})
            if connection.scalar(text("SELECT random()")) < 0.001:
                break
        now = connection.scalar(text("SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)"))
        many = "INSERT INTO document_change_log SELECT 1, 'gone ' || n FROM generate_series(1, 60000) n"
        connection.execute(text(many))
        connection.execute(
            text("INSERT INTO document_change_log VALUES (:later, 'of another server')"), {"later": now + 1000}
        )
        connection.execute(text("DELETE FROM meta WHERE key = 'changes_since'"))
        connection.execute(text("SELECT setseed(:seed)"), {"seed": number / 100_000})
        connection.execute(text("UPDATE documents SET title = 'A new title'"))
    with server.begin() as connection:
        since = int(connection.scalar(text("SELECT value FROM meta WHERE key = 'changes_since'")))
        left = connection.execute(text("SELECT transaction_id, document_id FROM document_change_log")).all()
    assert 1 <= since <= now
    assert (now, document_id) in left
    assert (now + 1000, "of another server") not in left
    assert {hit.title for hit in library.search("tide")} == {"A new title"}
    with server.begin() as connection:  # as if the log had been shortened further
        connection.execute(text("UPDATE meta SET value = :now WHERE key = 'changes_since'"), {"now": str(now + 1000)})
    copies.clear()
    with server.begin() as connection:
        connection.execute(text("UPDATE documents SET title = 'The newest title'"))
        connection.execute(text("DELETE FROM document_change_log"))
    assert {hit.title for hit in library.search("tide")} == {"The newest title"}
    assert copies == [None]
