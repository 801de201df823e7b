"""Pages of documents: filters, order, cursors, and nothing of other corpora (UI-1, STO-5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_contracts import IngestionState, OctavoError, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import DocumentFilter
from pypdf import PdfWriter
from sqlalchemy import Engine, event

COUNT = 5
SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("catalogue")
    with Library.open(folder / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        (folder / "Gezeiten").mkdir()
        for number in range(COUNT):
            path = folder / "Gezeiten" / f"Übung ({number}).txt"
            path.write_text(f"Reading number {number} of the tide gauge.")
            opened.ingest(path)
        opened.ingest(b"", name="empty.txt")
        secret = folder / "sealed.txt"
        secret.write_text("# Sealed heading\n\nA text of the sealed corpus.")
        opened.ingest(secret, corpus="sealed")
        yield opened


def test_pages_follow_one_another_without_gap_or_repetition(library: Library) -> None:
    for newest_first in (True, False):
        found: list[str] = []
        cursor = None
        while True:
            page = library.catalogue.page(limit=2, cursor=cursor, newest_first=newest_first)
            found += [entry.id for entry in page.entries]
            cursor = page.next_cursor
            if cursor is None:
                break
        everything = [one.id for one in library.documents()]
        assert found == (everything[::-1] if newest_first else everything)


def test_a_filter_finds_by_file_name_title_status_and_type(library: Library) -> None:
    def names(**wanted: object) -> list[str]:
        return [one.name for one in library.catalogue.page(DocumentFilter(**wanted), newest_first=False).entries]  # type: ignore[arg-type]  # by keyword

    assert names(text="bung (3)") == ["Übung (3).txt"]
    assert names(text=".TXT", statuses=(IngestionState.HARD_FAILED,)) == ["empty.txt"]
    assert names(text="gezeiten") == []
    assert names(text="%") == []
    assert names(text="..") == []
    assert len(names(statuses=(IngestionState.HARD_FAILED,))) == 1
    assert len(names(media_types=("text/plain",))) >= COUNT
    assert names(since="2999-01-01T00:00:00.000000Z") == []


@contextmanager
def plans(condition: str) -> Iterator[list[str]]:
    """How SQLite runs the statements with a condition in their text."""
    found: list[str] = []

    def note(_: object, cursor: sqlite3.Cursor, statement: str, parameters: tuple[object, ...], *___: object) -> None:
        if condition in statement:
            plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            found.extend(row[3] for row in plan)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.sqlite_files
def test_accepted_documents_are_found_by_their_marks(library: Library) -> None:
    """Not by a look at every document (ENG-25)."""
    with plans("FROM document_acceptances") as found:
        assert library.catalogue.accepted() == frozenset()
    assert found
    assert not [one for one in found if one.startswith("SCAN documents")]


@pytest.mark.sqlite_files
def test_a_filter_by_status_and_type_reads_the_documents_that_have_both(library: Library, statements: Any) -> None:
    """Neither all documents of the status nor all of the type are read, and none are sorted (UI-1)."""
    wanted = DocumentFilter(statuses=(IngestionState.HARD_FAILED,), media_types=("text/plain",))
    with statements() as asked:
        assert library.catalogue.page(wanted).entries == ()
    (statement, parameters) = next(one for one in asked if one[0].startswith("SELECT"))
    with sqlite3.connect(library.path / "index.sqlite") as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    connection.close()
    assert plan == [
        "SEARCH documents USING COVERING INDEX ix_documents_status_type_listing (ingestion_status=? AND mime_type=?)"
    ]


def test_counts_agree_with_the_listing(library: Library) -> None:
    counts = library.catalogue.counts()
    assert counts.total == len(library.documents())
    assert library.catalogue.count(DocumentFilter(text="bung")) == COUNT
    assert sum(counts.media_types.values()) <= counts.total


def test_a_corpus_sees_its_own_documents_alone(library: Library) -> None:
    sealed = library.catalogue.page(corpus="sealed")
    assert [one.name for one in sealed.entries] == [library.catalogue.name_of(library.documents(corpus="sealed")[0])]
    assert library.catalogue.counts(corpus="sealed").total == 1
    other = library.documents()[0]
    with pytest.raises(UsageError):
        library.catalogue.find(other.id, corpus="sealed")
    assert library.catalogue.find(other.id).id == other.id
    assert library.catalogue.page(DocumentFilter(text="bung"), corpus="sealed").entries == ()


@pytest.mark.parametrize("cursor", ["", "x", "W10=", "bnVsbA==", "é", "WyJhIiwgIlx1MDAwMCJd"])
def test_an_invalid_cursor_is_refused(library: Library, cursor: str) -> None:
    with pytest.raises(UsageError, match="cursor"):
        library.catalogue.page(cursor=cursor)


def test_a_page_of_an_encrypted_pdf_is_rendered_with_the_password_of_the_settings(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=SAMPLES / "annual-report.pdf")
    writer.encrypt("Old Pier 9", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    with Library.open(tmp_path / "library", settings=Settings(workers=1, password="Old Pier 9")) as library:
        document = library.ingest(tmp_path / "locked.pdf").document
        assert document.original.page_image(1, dpi=50).png.startswith(b"\x89PNG")
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library, pytest.raises(OctavoError):
        library.document(document.id).original.page_image(1, dpi=50)


def test_a_page_of_a_pdf_is_rendered_and_a_page_of_text_is_not(library: Library) -> None:
    document = library.ingest(SAMPLES / "annual-report.pdf").document
    image = document.original.page_image(1, dpi=50)
    assert document.original.has_page_images
    assert image.png.startswith(b"\x89PNG")
    assert image.width < image.height
    with pytest.raises(UsageError, match="does not exist"):
        document.original.page_image(99)
    text = library.documents()[0]
    assert not text.original.has_page_images
    with pytest.raises(UsageError, match="cannot be rendered"):
        text.original.page_image(1)
