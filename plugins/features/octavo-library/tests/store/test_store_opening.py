"""Opening an index: made, migrated, reopened, refused (STO-3)."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from octavo_contracts import StorageError, UsageError
from octavo_library.storage import ArtifactStore, Index, library_url
from octavo_library.storage.index import migrations
from octavo_library.storage.index.schema import REVISION, metadata
from sqlalchemy import URL, create_engine

sqlite_files = pytest.mark.usefixtures("sqlite_only")


EXPRESSIONS = ("uq_document_original_paths_document_id_path", "ix_content_hashes_hash")
"""On PostgreSQL indexes of expressions; on SQLite a unique constraint and an index of a column."""


def test_the_migrations_make_exactly_the_tables_of_the_schema(index_url: str | URL) -> None:
    """The schema module is what the code uses, the migrations are what libraries have run: they must agree."""
    Index(index_url).close()
    engine = create_engine(index_url)
    with engine.connect() as connection:
        on_server = engine.dialect.name == "postgresql"
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_object": partial(is_described, expressions=EXPRESSIONS if on_server else ()),
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def is_described(
    item: Any, name: str | None, kind: str, _is_reflected: bool, _other: object, *, expressions: Sequence[str]
) -> bool:
    """Whether the schema can describe an item: full-text tables of SQLite and indexes of expressions it cannot."""
    is_full_text = kind == "table" and str(name).startswith("document_names_text")
    is_expression = kind == "index" and (str(name).endswith("_trigrams") or name in expressions)
    is_made_otherwise = (
        bool(expressions) and kind == "unique_constraint" and item.table.name == "document_original_paths"
    )
    return not (is_full_text or is_expression or is_made_otherwise)


def test_the_schema_names_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", os.path.dirname(migrations.__file__))
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


def test_an_index_is_found_again_as_it_was_left(index_url: str | URL) -> None:
    with Index(index_url) as first:
        created = first.corpora.create("reports")
        library = first.library_id()
    with Index(index_url) as again:
        assert again.corpora.all() == (created,)
        assert again.library_id() == library


@sqlite_files
def test_opening_an_up_to_date_library_imports_no_alembic(index_url: str | URL, store: ArtifactStore) -> None:
    """Alembic takes ten times longer to import than a library to open."""
    Index(index_url).close()
    script = (
        "import sys; from octavo_library.storage import Index, library_url; Index(library_url(sys.argv[1])).close();"
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script, store.root], check=False).returncode == 0


def test_importing_octavo_imports_no_database() -> None:
    script = "import sys, octavo; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@sqlite_files
def test_two_processes_may_make_one_library_at_once(store: ArtifactStore) -> None:
    script = "import sys; from octavo_library.storage import Index, library_url; print(Index(library_url(sys.argv[1])).library_id())"
    command = [sys.executable, "-c", script, store.root]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len(set(outputs)) == 1


@sqlite_files
def test_a_library_of_a_newer_octavo_is_refused_and_left_alone(index_url: str | URL, store: ArtifactStore) -> None:
    Index(index_url).close()
    with sqlite3.connect(store.root / "index.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StorageError, match="has schema 9999; this version of Octavo supports"):
        Index(index_url)


@sqlite_files
def test_a_file_that_is_no_database_is_refused(store: ArtifactStore) -> None:
    (store.root / "index.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StorageError, match="is damaged"):
        Index(library_url(store.root))


@sqlite_files
def test_an_index_in_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be created"):
        Index(library_url(tmp_path / "nowhere"))


@sqlite_files
@pytest.mark.parametrize("name", ["a ? b # c % d", "ünï", os.fsdecode(b"\xff\xfe")])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    """A URL is built from parts: a name with '?', '#' or bytes that are not UTF-8 is still one name."""
    with ArtifactStore(tmp_path / name) as store, Index(library_url(store.root)) as index:
        index.corpora.create("reports")
        assert (store.root / "index.sqlite").stat().st_size > 0


@sqlite_files
@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")
def test_nobody_but_the_owner_can_read_the_index(index: Index, store: ArtifactStore) -> None:
    index.corpora.create("reports")
    for path in store.root.glob("index.sqlite*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


@sqlite_files
def test_a_commit_survives_a_power_cut(index: Index) -> None:
    """Write-ahead log, flushed at each commit (2 = FULL), references checked."""
    with index.read() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert settings == ["wal", 2, 1]


@sqlite_files
def test_an_index_held_by_another_process_is_reported(index: Index, store: ArtifactStore) -> None:
    holder = sqlite3.connect(store.root / "index.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with index.read() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    try:
        with pytest.raises(StorageError, match="another process has locked the index"):
            index.corpora.create("reports")
    finally:
        holder.close()
    assert index.corpora.create("reports").name == "reports"


@sqlite_files
def test_an_index_that_may_not_be_written_is_reported(index: Index) -> None:
    with index.read() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match="cannot be written"):
        index.corpora.create("reports")


def test_what_a_batch_does_is_one_transaction(index: Index) -> None:
    """ENG-14: an operation that fails is undone alone, the rest is committed together."""
    with index.batch():
        index.corpora.create("a")
        with pytest.raises(UsageError):
            index.corpora.create("a")
        with index.batch():
            index.corpora.create("b")
        assert [corpus.name for corpus in index.corpora.all()] == ["a", "b"]
    assert [corpus.name for corpus in index.corpora.all()] == ["a", "b"]


def test_a_batch_that_breaks_off_leaves_nothing(index: Index) -> None:
    def break_off() -> None:
        with index.batch():
            index.corpora.create("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert index.corpora.all() == ()
    index.corpora.create("a")


def test_other_threads_do_not_see_an_unfinished_batch(index: Index) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool, index.batch():
        index.corpora.create("a")
        assert pool.submit(index.corpora.all).result(timeout=30) == ()
    assert len(index.corpora.all()) == 1


def test_a_mistake_of_ours_is_not_taken_for_a_storage_failure(index: Index) -> None:
    from sqlalchemy.exc import DBAPIError

    with pytest.raises(DBAPIError), index.read() as connection:
        connection.exec_driver_sql("SELECT nonsense FROM nowhere")
