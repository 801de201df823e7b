"""What is done with one document reads the rows of that document, not those of the whole library (ENG-14)."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from octavo.runtime import Runtime
from octavo_library import Library
from octavo_library.storage.index.instance_ids import PolicyContext

pytestmark = pytest.mark.sqlite_files

GROWING = frozenset(
    {
        *("documents", "conversions", "activations", "ingest_events", "jobs", "job_events"),
        *("document_source_instances", "document_corpus_memberships", "document_original_paths", "document_names"),
    }
)
"""Tables with a row, or several, for each document."""
_SCAN = re.compile(r"\bSCAN (\w+)")


def scans(database: Path, noted: list[tuple[str, Any]]) -> set[str]:
    """The statements for which SQLite reads a growing table from its beginning to its end."""
    found = set()
    with closing(sqlite3.connect(database)) as connection:
        for statement, parameters in noted:
            if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
                continue
            plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters))
            # An alias stands for its table: it is declared as `table AS alias`.
            aliases = {alias: table for table, alias in re.findall(r"(\w+) AS (\w+)", statement)}
            if GROWING & {aliases.get(name, name) for name in _SCAN.findall(plan)}:
                found.add(statement)
    return found


def test_ingesting_a_document_new_or_known_and_reading_it_scans_no_table(
    tmp_path: Path, runtime: Runtime, statements: Any
) -> None:
    folder = tmp_path / "library"
    with Library.open(folder, runtime=runtime) as library:
        library.ingest(b"The tide came in at noon.", name="first.txt")
        with statements() as noted:
            library.ingest(b"The gauge was read at six.", name="second.txt")
            again = library.ingest(b"The gauge was read at six.", name="third.txt")
            assert again.result.ingestion_status == "complete"
            assert library.context.index.documents.get(again.document_id or "", policy=PolicyContext()).raw_hash
    assert len(noted) > 50
    assert scans(folder / "index.sqlite", noted) == set()
