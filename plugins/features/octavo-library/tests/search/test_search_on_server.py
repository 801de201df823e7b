"""Search where the index is on a server: a copy of what decides who sees what, as true as the original (STO-5)."""

from __future__ import annotations

import os

import pytest
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.search.library_tables import CopiedTables
from sqlalchemy import create_engine, text

pytestmark = pytest.mark.skipif(
    os.environ.get("OCTAVO_TEST_INDEX_URL") is None,
    reason="needs a PostgreSQL server: set OCTAVO_TEST_INDEX_URL to a database that may be emptied",
)


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


def test_the_copy_is_made_anew_only_when_something_in_it_has_changed(library, monkeypatch):
    library.ingest(b"One tells of the harbour.", name="1.txt", plugin="plain")
    library.search("harbour")
    copies = []
    snapshots = type(library.context.index.snapshots)
    real = snapshots.for_search

    def counted(self, columns, /, *, unless):
        found = real(self, columns, unless=unless)
        copies.append(found[1] is not None)
        return found

    monkeypatch.setattr(snapshots, "for_search", counted)
    engine = create_engine(library.context.index.url)
    for _ in range(5):
        with engine.begin() as connection:  # someone else's work on the same server
            connection.execute(text("CREATE TABLE IF NOT EXISTS not_ours (number INTEGER)"))
            connection.execute(text("INSERT INTO not_ours VALUES (1)"))
        assert titles(library.search("harbour")) == ["One"]
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE not_ours"))
    engine.dispose()
    assert copies == [False] * 5
    library.ingest(b"Two tells of the harbour.", name="2.txt", plugin="plain")
    copies.clear()
    assert titles(library.search("harbour")) == ["One", "Two"]
    assert True in copies
    assert isinstance(library.context.chunk_index._library, CopiedTables)
