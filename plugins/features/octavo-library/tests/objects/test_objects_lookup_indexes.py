"""Paths of any length and hashes that many documents share are stored on PostgreSQL, and found by their indexes."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from octavo_library import Library
from sqlalchemy import create_engine

Opener = Callable[..., Library]

LEVELS, NAME = 14, 240
"""Folders and letters of each: 3,388 bytes, which do not compress well."""


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A file at a path of 3.4 kB."""
    here = tmp_path
    for level in range(LEVELS):
        digits = "".join(sha256(f"{level}-{part}".encode()).hexdigest() for part in range(4))
        here = here / digits[:NAME]
    here.mkdir(parents=True)
    path = here / "deep.md"
    path.write_text("# Deep\n\nThe deep file says something about seals.\n")
    return path


def plans(library: Library, noted: list[tuple[str, Any]], table: str) -> list[str]:
    """The indexes by which PostgreSQL finds the rows of a table, where it need not read all of it."""
    found: list[str] = []

    def walk(node: dict[str, Any]) -> None:
        if table in node.get("Index Name", "") or (node["Node Type"], node.get("Relation Name")) == ("Seq Scan", table):
            found.append(node.get("Index Name", "Seq Scan"))
        for inner in node.get("Plans", ()):
            walk(inner)

    server = create_engine(library.context.index.url)
    with server.begin() as connection:
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        for statement, parameters in noted:
            if table in statement and statement.lstrip().startswith(("SELECT", "UPDATE")):
                ((plan,),) = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).all()
                walk((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"])
    server.dispose()
    return found


@pytest.mark.parametrize("way", ["worker", "run"])
def test_a_document_at_a_long_path_is_ingested(machine: Opener, deep: Path, statements: Any, way: str) -> None:
    beside = deep.with_name("beside.md")
    beside.write_text("# Beside\n\nWhat lies beside it.\n")
    with machine("one") as library:
        if way == "worker":
            library.queue.submit([deep, beside])
            assert library.queue.work(until_empty=True, slots=1).failed == 0
        else:
            assert [str(one.result and one.result.ingestion_status) for one in library.ingest_many([deep, beside])] == [
                "complete"
            ] * 2
        assert sorted(str(one.title) for one in library.documents()) == ["Beside", "Deep"]
        with statements() as noted:
            assert library.document(str(deep)).title == "Deep"
            assert [Path(path).name for path in library.document(str(deep)).paths] == ["deep.md"]
            library.ingest(deep)
        indexes = plans(library, noted, "document_original_paths")
        assert "ix_document_original_paths_path" in indexes
        assert "Seq Scan" not in indexes, "no statement reads all paths"
        assert len(library.documents()) == 2


def test_a_path_of_a_document_is_stored_once(machine: Opener, deep: Path, index_url: str) -> None:
    with machine("one") as library:
        library.ingest(deep)
        library.ingest(deep)
        (document,) = library.documents()
        index = library.context.index
        for _ in range(2):
            index.paths.add(document.id, deep.as_uri(), location_type="local")
        assert len(index.paths.all(document_id=document.id)) == 1
        with index.write() as connection:
            made = connection.exec_driver_sql(
                "INSERT INTO document_original_paths (document_id, path, location_type, added_at) "
                "SELECT document_id, path, location_type, added_at FROM document_original_paths ON CONFLICT DO NOTHING"
            )
            assert made.rowcount == 0


def test_documents_that_share_pages_and_chunks_are_found_by_the_index_of_hashes(
    machine: Opener, statements: Any
) -> None:
    """STO-16: two copies that differ in the ends of their lines."""
    with machine("one") as library:
        made = [
            library.ingest(f"The tide turned.{end}It rose.{end}".encode(), name="tide.txt") for end in ("\n", "\r\n")
        ]
        both = sorted(one.document_id or "" for one in made)
        hashes = made[0].result.content_hashes
        with statements() as noted:
            page, chunk = (library.documents_with_hash(one[0]) for one in (hashes.page_hashes, hashes.chunk_hashes))
            assert library.documents_with_hash("page") == {}, "no hash, and no error of the server"
        assert sorted(one.id for one in page["page"]) == sorted(one.id for one in chunk["chunk"]) == both
        assert set(plans(library, noted, "content_hashes")) == {"ix_content_hashes_hash"}
