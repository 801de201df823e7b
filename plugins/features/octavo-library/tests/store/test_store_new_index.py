"""The recorded schema of a new index is the one that the migrations make (STO-3).

After a new migration, record it again: `OCTAVO_UPDATE=1` with this file, and `OCTAVO_TEST_INDEX_URL` naming a PostgreSQL server.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo_library.storage.index import migrations
from octavo_library.storage.index.schema import REVISION
from sqlalchemy import Connection, Engine, create_engine, event, make_url

SCRIPTS = Path(migrations.__file__).parent
REVISION_ROW = f"INSERT INTO alembic_version (version_num) VALUES ('{REVISION}')"

CATALOGUE = (
    "SELECT table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default "
    "FROM information_schema.columns WHERE table_schema = current_schema()",
    "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace",
    "SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid "
    "WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal",
    "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace",
    "SELECT relname, attname, attstattarget FROM pg_attribute JOIN pg_class c ON c.oid = attrelid "
    "WHERE relnamespace = current_schema()::regnamespace AND attnum > 0 AND attstattarget > 0",
    "SELECT version_num FROM alembic_version",
)


def in_one_line(statement: str) -> str:
    return " ".join(statement.split())


def check(script: str, statements: list[str]) -> None:
    """Compare a recorded script with what it has to be; with OCTAVO_UPDATE=1, write it."""
    text = migrations.SEPARATOR.join(re.sub(r"\s*\n\s*\n", "\n", statement.strip()) for statement in statements)
    if os.environ.get("OCTAVO_UPDATE"):
        (SCRIPTS / script).write_text(text + ";\n", encoding="utf-8")
    assert (SCRIPTS / script).read_text(encoding="utf-8") == text + ";\n", "record it again, as this module says"


@pytest.fixture
def schema_of(request: pytest.FixtureRequest, server_url: str) -> Callable[[str], Engine]:
    """Engines whose connections use an own, empty schema of the server."""
    place = make_url(server_url)

    def engine_of(name: str) -> Engine:
        server = create_engine(place)
        with server.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {name} CASCADE")
            connection.exec_driver_sql(f"CREATE SCHEMA {name}")

        def remove() -> None:
            with server.begin() as connection:
                connection.exec_driver_sql(f"DROP SCHEMA {name} CASCADE")
            server.dispose()

        request.addfinalizer(remove)
        engine = create_engine(place.update_query_dict({"options": f"-csearch_path={name}"}))
        request.addfinalizer(engine.dispose)
        return engine

    return engine_of


def sqlite_schema(connection: Connection) -> list[str]:
    """The statements of all items of a database, in the order in which they were made; those of a full-text table are its own."""
    rows = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'sqlite_sequence' "
        "AND name NOT LIKE 'document_names_text!_%' ESCAPE '!' ORDER BY rowid"
    )
    return [statement for (statement,) in rows]


@pytest.mark.sqlite_files
def test_the_recorded_schema_of_a_file_is_what_the_migrations_make() -> None:
    with create_engine("sqlite://").begin() as connection:
        migrations.upgrade(connection)
        migrated = sqlite_schema(connection)
    check("sqlite.sql", [*migrated, REVISION_ROW])
    with create_engine("sqlite://").begin() as connection:
        migrations.create(connection)
        assert sorted(map(in_one_line, sqlite_schema(connection))) == sorted(map(in_one_line, migrated))
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").all() == [(REVISION,)]


def test_the_recorded_schema_of_a_server_is_what_the_migrations_make(schema_of: Callable[[str], Engine]) -> None:
    made = schema_of("migrated_index")
    with made.begin() as connection:
        statements: list[str] = []
        event.listen(made, "before_cursor_execute", lambda *call: statements.append(call[2]))
        migrations.upgrade(connection)
        migrated = list(catalogue(connection))
    structure = [text for text in map(str.strip, statements) if text.startswith(("CREATE", "ALTER", "DROP"))]
    # Those about the extension depend on the server: they are written by hand, in a block that asks for it.
    check("postgresql.sql", [*(text for text in structure if not re.search("trgm|trigrams", text)), REVISION_ROW])
    with schema_of("new_index").begin() as connection:
        migrations.create(connection)
        assert list(catalogue(connection)) == migrated


def catalogue(connection: Connection) -> Iterator[list[Any]]:
    """What the server's catalogue tells of the current schema, without the schema's name."""
    schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
    for query in CATALOGUE:
        yield sorted(repr(tuple(row)).replace(schema, "SCHEMA") for row in connection.exec_driver_sql(query))
