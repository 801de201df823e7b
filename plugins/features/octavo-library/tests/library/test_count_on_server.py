"""Counts of filtered listings where the index is on a server and has many documents: as exact, and from few pages (UI-1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from octavo import Settings
from octavo_contracts import IngestionState
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import DocumentFilter, PolicyContext
from sqlalchemy import Engine, create_engine, event, text

pytestmark = pytest.mark.skipif(
    os.environ.get("OCTAVO_TEST_INDEX_URL") is None,
    reason="needs a PostgreSQL server: set OCTAVO_TEST_INDEX_URL to a database that may be emptied",
)

MANY = 30_000
COUNTED = 10_000
"""Documents that are counted; more are told as more (UI-1)."""

COPY = """
INSERT INTO documents(document_id, content_hash, title, mime_type, ingestion_status, first_ingested_at)
SELECT md5('id ' || n), md5('hash ' || n), CASE WHEN n % 10 < 5 THEN 'Gauge ' || n END, CASE WHEN n % 10 = 0 THEN 'text/csv'
    ELSE 'text/plain' END, CASE WHEN n % 10 IN (0, 9) THEN 'degraded_complete' ELSE 'complete' END, {at}
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

PATH = "'file:///papers/' || CASE WHEN n <= 15000 THEN 'old' ELSE 'new' END || '%20sheet%20' || n || '.txt'"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
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


@pytest.mark.parametrize(
    ("wanted", "corpus"),
    [
        (DocumentFilter(text="gauge"), None),  # by title
        (DocumentFilter(text="gauge"), "large"),
        (DocumentFilter(text="SHEET"), None),  # by file name
        (DocumentFilter(text="Sheet"), "large"),
        (DocumentFilter(statuses=(IngestionState.COMPLETE,)), "large"),
        (DocumentFilter(text="sheet", media_types=("text/plain",), statuses=(IngestionState.COMPLETE,)), "large"),
    ],
)
def test_more_documents_than_are_counted_are_told_without_looking_up_each(
    library: Library, wanted: DocumentFilter, corpus: str | None
) -> None:
    """Each look-up by an id reads a page of its own in a large library: reading fewer than are counted needs another way (UI-1)."""
    with pages_read(library) as pages:
        assert library.catalogue.count(wanted, corpus=corpus) is None
    assert 0 < sum(pages) < COUNTED / 2


@pytest.mark.parametrize(
    ("wanted", "corpus", "found"),
    [
        (DocumentFilter(text="gauge"), "sealed", 2),  # a common word, by the statistics of all documents
        (DocumentFilter(text="sheet"), "sealed", 2),
        (DocumentFilter(text="gauge", media_types=("text/csv",)), "large", 3000),
        (DocumentFilter(text="gauge 1234"), "large", 5 + 1),  # 1234, and 12340 to 12344
        (DocumentFilter(text="gauge", since="2026-01-01T08:00:00.000000Z"), "large", 600),
        (DocumentFilter(statuses=(IngestionState.DEGRADED_COMPLETE,)), "large", 6000),
        (DocumentFilter(text="old"), "large", None),  # more, but none among the newest
        (DocumentFilter(text="\0"), "large", 0),
    ],
)
def test_up_to_ten_thousand_documents_are_counted_exactly(
    library: Library, wanted: DocumentFilter, corpus: str, found: int | None
) -> None:
    """Whatever the statistics say: they are about all documents, and a corpus sees its own alone (UI-1, STO-5)."""
    assert library.catalogue.count(wanted, corpus=corpus) == found


def test_a_document_that_came_twice_is_counted_once(library: Library) -> None:
    """Ways in are counted by document: 6,000 documents with two each are not more than 10,000 (UI-1)."""
    policy = library.context.index.corpora.get("large").policy
    server = create_engine(library.context.index.url)
    with server.begin() as connection:
        connection.execute(text("DELETE FROM document_source_instances WHERE ingested_at < '2026-01-01T06:40:00.5'"))
        again = (
            "INSERT INTO document_source_instances SELECT source_instance_id || 'b', document_id, corpus_id, "
            "policy_context_json, ingested_at, ingestion_surface FROM document_source_instances WHERE corpus_id IS NOT NULL"
        )
        connection.execute(text(again))
    server.dispose()
    assert isinstance(policy, PolicyContext)
    counted = library.catalogue.count(DocumentFilter(media_types=("text/plain", "text/csv")), policy=policy)
    assert counted == MANY - 6 * 3600 - 40 * 60
