"""Documents found by a part of their title or file name: index, updates, policy contexts, purges, rebuilds (UI-1, STO-3)."""

from __future__ import annotations

import os
import sqlite3
import unicodedata
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import DocumentFilter, PolicyContext
from octavo_library.storage.index.name_search import is_called
from octavo_library.storage.index.rebuild import rebuild_index
from octavo_library.storage.index.schema import documents
from sqlalchemy import Engine, event, select, text


def open_library(root: Path) -> Library:
    return Library.open(root, settings=Settings(sampling=False, workers=1))


def named(library: Library, part: str, *, corpus: str | None = None) -> set[str]:
    """The names in the list of documents, filtered by a part."""
    page = library.catalogue.page(DocumentFilter(text=part), corpus=corpus, limit=200)
    assert library.catalogue.count(DocumentFilter(text=part), corpus=corpus) == len(page.entries)
    return {entry.name for entry in page.entries}


def ingest(library: Library, folder: Path, names: Iterable[str], *, corpus: str | None = None) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"The tide gauge, as {name} says.")
        library.ingest(folder / name, corpus=corpus)


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("reading", {"Reading 50% of {it}.txt"}),
        ("READING 50% OF {", {"Reading 50% of {it}.txt"}),
        ("50%", {"Reading 50% of {it}.txt"}),
        ("%20", set()),  # the escape of a space in a reference is not part of the name
        ("übung", {"Übung Größe.txt"}),
        ("ÜBUNG GRÖ", {"Übung Größe.txt"}),
        ("Üb", {"Übung Größe.txt"}),
        ("üB", {"Übung Größe.txt"}),
        ("潮位", {"潮位の記録.txt"}),
        ("記録.t", {"潮位の記録.txt"}),
        ("é", {"café.txt", unicodedata.normalize("NFD", "éclair.txt")}),
        ("éclair", {unicodedata.normalize("NFD", "éclair.txt")}),
        ("ka", {"Kay.txt"}),
        ("k", {"Kay.txt"}),
        ("letters", set()),  # a folder
        ('a"b', {'a"b.txt'}),
        ("a_b", set()),
        ("ca*", set()),
        ("\0", set()),
        ("", {"Reading 50% of {it}.txt", "Übung Größe.txt", "潮位の記録.txt", "Kay.txt", 'a"b.txt', "café.txt"}),
    ],
)
def test_a_part_of_a_file_name_is_found_as_people_write_it(names: Library, part: str, found: set[str]) -> None:
    """Without regard to case and to how accents are composed; escapes of a reference are no part of the name (UI-1)."""
    assert named(names, part) >= found if part == "" else named(names, part) == found


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Library]:
    folder = tmp_path_factory.mktemp("names")
    with open_library(folder / "library") as library:
        plain = ("Reading 50% of {it}.txt", "Übung Größe.txt", "潮位の記録.txt", "Kay.txt", 'a"b.txt', "café.txt")
        ingest(library, folder / "letters", (*plain, unicodedata.normalize("NFD", "éclair.txt")))
        yield library


def test_a_title_is_found_and_a_moved_file_by_both_names(tmp_path: Path) -> None:
    """A new path is a new row, and the old one stays, marked as stale (STO-11)."""
    with open_library(tmp_path / "library") as library:
        page = tmp_path / "first.html"
        page.write_text("<html><head><title>ÉTUDE des marées</title></head><body><p>The tide turned.</p></body></html>")
        (made,) = [library.ingest(page).document_id]
        assert library.document(made).title == "ÉTUDE des marées"
        page.rename(tmp_path / "renamed.html")
        library.ingest(tmp_path / "renamed.html")
        for part in ("étude", "DES MAR", "first.h", "renamed"):
            assert named(library, part) == {"ÉTUDE des marées"}, part


def test_a_corpus_finds_by_the_paths_that_it_has_seen_alone(tmp_path: Path) -> None:
    """The same bytes under two names: neither context finds the document by the name of the other (STO-5)."""
    with open_library(tmp_path / "library") as library:
        library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        library.corpora.create("open")
        for name, corpus in (("canary-of-sealed.txt", "sealed"), ("plain-of-open.txt", "open")):
            (tmp_path / name).write_text("The tide turned at noon.")
            library.ingest(tmp_path / name, corpus=corpus)
        assert named(library, "canary", corpus="sealed") == {"canary-of-sealed.txt"}
        assert named(library, "plain-of", corpus="open") == {"plain-of-open.txt"}
        for part in ("canary", "ca", "sealed"):
            assert named(library, part, corpus="open") == set(), part
        assert named(library, "plain-of", corpus="sealed") == set()
        assert len(named(library, "canary")) == 1


def test_many_and_few_matches_are_found_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of matches the search walks the listing; the answer is the same (UI-1)."""
    with open_library(tmp_path / "library") as library:
        ingest(library, tmp_path / "a", ("Übung one.txt", "two.txt", "three.txt"), corpus="tides")
        parts = ("übung", "t", "tw", "two.txt", ".txt", "none")
        few = [(named(library, part), named(library, part, corpus="tides")) for part in parts]
        for module in ("name_search", "server_name_search"):
            monkeypatch.setattr(f"octavo_library.storage.index.{module}._FEW", 0)
        assert [(named(library, part), named(library, part, corpus="tides")) for part in parts] == few
        assert few[4][0] == few[4][1] == {"Übung one.txt", "two.txt", "three.txt"}


@pytest.mark.postgresql
def test_a_server_is_asked_for_the_rarer_words_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that many names share is compared, not looked up: the trigram index reads all rows that have it (UI-1)."""
    monkeypatch.setattr("octavo_library.storage.index.server_name_search.COMMON", 0.5)
    asked: list[object] = []

    def note(_: object, __: object, statement: str, parameters: object, *___: object) -> None:
        asked.append("looked up" if "UNION ALL" in statement else "other")
        asked.extend(parameters.values() if isinstance(parameters, dict) else ())

    with open_library(tmp_path / "library") as library:
        ingest(library, tmp_path / "a", ("report alpha.txt", "report beta.txt", "report gamma.txt"), corpus="tides")
        with library.context.index.write() as connection:
            connection.exec_driver_sql("ANALYZE documents, document_original_paths")
        event.listen(Engine, "before_cursor_execute", note)
        try:
            for corpus in (None, "tides"):
                asked.clear()
                assert named(library, "report beta", corpus=corpus) == {"report beta.txt"}
                assert {"looked up", "beta"} <= set(asked)
                assert "report" not in asked
                assert named(library, "beta report", corpus=corpus) == set()
                asked.clear()
                assert len(named(library, "report", corpus=corpus)) == 3
                assert "looked up" not in asked
        finally:
            event.remove(Engine, "before_cursor_execute", note)


def test_a_purged_name_is_neither_found_nor_left_in_the_index(tmp_path: Path) -> None:
    """Letters of a deleted name stay in no segment of the trigram index (STO-12)."""
    root = tmp_path / "library"
    with open_library(root) as library:
        ingest(library, tmp_path / "a", ("kept.txt", "zqxjvwk-canary.txt"))
        (gone,) = [one.id for one in library.documents() if "canary" in str(one.paths)]
        library.maintenance.purge(gone, confirm=gone)
        assert named(library, "zqxjvwk") == named(library, "zq") == set()
        assert named(library, "kept") == {"kept.txt"}
    if (root / "index.sqlite").exists():
        with closing(sqlite3.connect(root / "index.sqlite")) as connection:
            rows = connection.execute("SELECT block FROM document_names_text_data").fetchall()
            assert not [one for (one,) in rows if b"qxj" in one or b"xjv" in one]
            assert connection.execute("SELECT count(*) FROM document_names WHERE name LIKE '%zqx%'").fetchall() == [
                (0,)
            ]
        assert b"zqxjvwk" not in (root / "index.sqlite").read_bytes()


@pytest.mark.sqlite_files
def test_a_rebuilt_index_finds_the_names_again(tmp_path: Path) -> None:
    """The names are derived: a repair makes them from the titles and paths that it restores (STO-14)."""
    root = tmp_path / "library"
    with open_library(root) as library:
        ingest(library, tmp_path / "a", ("Übung one.txt", "two.txt"))
    rebuild_index(root)
    with open_library(root) as library:
        assert named(library, "übung") == {"Übung one.txt"}
        os.remove(tmp_path / "a" / "two.txt")
        ingest(library, tmp_path / "b", ("after.txt",))
        assert named(library, "after") == {"after.txt"}
    with closing(sqlite3.connect(root / "index.sqlite")) as connection:
        # Compares the trigram index with the names, and raises where they differ.
        connection.execute("INSERT INTO document_names_text(document_names_text, rank) VALUES ('integrity-check', 1)")


def test_a_path_that_any_program_writes_is_found(tmp_path: Path) -> None:
    """Triggers, and the indexes of a server, follow each change of a row, also of bytes that are no UTF-8 (STO-3)."""
    with open_library(tmp_path / "library") as library:
        ingest(library, tmp_path / "a", ("one.txt",))
        index = library.context.index
        with index.write() as connection:
            connection.execute(text("UPDATE document_original_paths SET path = 'file:///x/odd%FFname%ED%A0%80.txt'"))
        with index.read() as connection:
            for part, expected in (("odd", 1), ("one", 0), ("NAME", 1), ("dd", 1)):
                found = select(documents.c.document_id).where(
                    is_called(connection, documents.c.document_id, part, policy=None)
                )
                assert len(connection.execute(found).all()) == expected, part
        index.check_undamaged()
        with index.write() as connection:
            connection.execute(text("DELETE FROM document_original_paths"))
            own = is_called(connection, documents.c.document_id, "odd", policy=PolicyContext(scope_basis="corpus"))
            assert connection.execute(select(documents.c.document_id).where(own)).all() == []
