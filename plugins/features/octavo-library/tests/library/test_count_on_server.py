"""Filtered listings where the index is on a server and has many documents: counted exactly, and from few pages (UI-1)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_contracts import IngestionState
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import DocumentFilter
from sqlalchemy import Engine, create_engine, event, text

pytestmark = pytest.mark.postgresql

MANY = 5_000
COUNTED = 1_000
"""Up to so many documents are counted here, instead of ten thousand: the tests need more than that."""

COPY = """
INSERT INTO documents(document_id, content_hash, title, mime_type, ingestion_status, first_ingested_at)
SELECT md5('id ' || n), md5('hash ' || n), CASE WHEN n % 10 < 5 THEN 'Gauge ' || n END, CASE n % 10 WHEN 0 THEN 'text/csv'
    WHEN 1 THEN 'text/html' ELSE 'text/plain' END, CASE WHEN n % 10 IN (0, 9) THEN 'degraded_complete' ELSE 'complete' END, {at}
FROM generate_series(1, {many}) n;
INSERT INTO document_source_instances(source_instance_id, document_id, policy_context_json, ingested_at, ingestion_surface, corpus_id)
SELECT md5('way ' || n), md5('id ' || n), '{policy}', {at}, 'cli', '{corpus}' FROM generate_series(1, {many}) n;
INSERT INTO document_corpus_memberships(document_id, corpus_id, added_at, added_by)
SELECT md5('id ' || n), '{corpus}', {at}, 'test' FROM generate_series(1, {many}) n;
INSERT INTO document_original_paths(document_id, path, location_type, added_at)
SELECT md5('id ' || n), {path}, 'local', {at} FROM generate_series(1, {many}) n;
INSERT INTO ingest_events(document_id, source_instance_id, path, surface, outcome, at)
SELECT md5('id ' || n), md5('way ' || n), {path}, 'cli', 'complete', {at} FROM generate_series(1, {many}) n;
"""
"""Documents beside those that were ingested, as their rows would be: half of them have a title, all have a file name."""

PATH = "'file:///papers/' || CASE WHEN n <= 2500 THEN 'old' ELSE 'new' END || '%20sheet%20' || n || '.txt'"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    for module in ("facade.catalogue", "storage.index.document_listing"):
        monkeypatch.setattr(f"octavo_library.{module}.MOST_COUNTED", COUNTED)
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.corpora.create("large")
        opened.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        for name in ("Gauge sheet 1.txt", "Gauge sheet 2.txt"):
            opened.ingest(f"The tide in {name}.".encode(), name=name, corpus="sealed")
        corpus = opened.context.index.corpora.get("large")
        server = create_engine(opened.context.index.url)
        with server.begin() as connection:
            at = "to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
            policy = corpus.policy.canonical()
            copied = COPY.format(many=MANY, at=at, path=PATH, policy=policy, corpus=corpus.corpus_id)
            connection.exec_driver_sql(copied.replace("%", "%%"))
        with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(
                "VACUUM ANALYZE documents, document_source_instances, document_original_paths, ingest_events"
            )
        server.dispose()
        yield opened


@contextmanager
def pages_read(library: Library) -> Iterator[list[int]]:
    """The pages of tables and indexes that the queries within read, by the server's own count."""
    asked: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, parameters: Any, *more: object) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, parameters))

    found: list[int] = []
    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    server = create_engine(library.context.index.url)
    for statement, parameters in asked:
        with server.connect() as connection:
            ((((plan,),),)) = (
                connection.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters).all(),
            )
            found.append(plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"])
    server.dispose()


def test_more_documents_than_are_counted_are_told_without_looking_up_each(library: Library) -> None:
    """Each look-up by an id reads pages of its own in a large library: fewer pages than documents need another way (UI-1)."""
    complete = (IngestionState.COMPLETE,)
    for wanted, corpus in (
        (DocumentFilter(text="gauge"), None),  # by title
        (DocumentFilter(text="gauge"), "large"),
        (DocumentFilter(text="SHEET"), None),  # by file name
        (DocumentFilter(text="Sheet"), "large"),
        (DocumentFilter(statuses=complete), "large"),
        (DocumentFilter(text="sheet", media_types=("text/plain",), statuses=complete), "large"),
    ):
        with pages_read(library) as pages:
            assert library.catalogue.count(wanted, corpus=corpus) is None, wanted
        assert 0 < sum(pages) < COUNTED, (wanted, corpus)


def test_no_more_documents_than_are_counted_are_counted_exactly(library: Library) -> None:
    """Whatever the statistics say: they are about all documents, and a corpus sees its own alone (UI-1, STO-5)."""
    for wanted, corpus, found in (
        (DocumentFilter(text="gauge"), "sealed", 2),  # common among all documents
        (DocumentFilter(text="sheet"), "sealed", 2),
        (DocumentFilter(text="gauge", media_types=("text/csv",)), "large", 500),
        (DocumentFilter(text="gauge 123"), "large", 6),  # 123 and 1230 to 1234
        (DocumentFilter(text="gauge", since="2026-01-01T01:20:00.000000Z"), "large", 101),
        (DocumentFilter(statuses=(IngestionState.DEGRADED_COMPLETE,)), "large", 1000),
        (DocumentFilter(text="old"), "large", None),  # more, of which the newest documents show too few
        (DocumentFilter(text="\0"), "large", 0),
    ):
        assert library.catalogue.count(wanted, corpus=corpus) == found, wanted


def test_a_document_that_came_in_twice_is_counted_once(library: Library) -> None:
    """600 documents with 1,200 ways in are 600 documents, also where up to 1,000 are counted (UI-1)."""
    policy = library.context.index.corpora.get("large").policy
    server = create_engine(library.context.index.url)
    with server.begin() as connection:
        connection.execute(text("DELETE FROM document_source_instances WHERE ingested_at < '2026-01-01T01:13:20.5'"))
        columns = "document_id, corpus_id, policy_context_json, ingested_at, ingestion_surface"
        again = (
            f"INSERT INTO document_source_instances(source_instance_id, {columns}) SELECT source_instance_id || 'b', "
            f"{columns} FROM document_source_instances WHERE ingested_at < '2026-02-01'"
        )
        connection.execute(text(again))
    server.dispose()
    assert library.catalogue.count(DocumentFilter(text="sheet"), policy=policy) == 600


def test_a_page_of_a_status_and_a_type_reads_no_other_documents(library: Library) -> None:
    """1,000 documents have the status and 500 the type, none has both: reading either would take more pages (UI-1)."""
    wanted = DocumentFilter(media_types=("text/html",), statuses=(IngestionState.DEGRADED_COMPLETE,))
    with pages_read(library) as pages:
        assert library.catalogue.page(wanted).entries == ()
    assert 0 < sum(pages) < 20
