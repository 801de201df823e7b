"""What the tests of the library share: where libraries have their index.

With `OCTAVO_TEST_INDEX_URL` set to a PostgreSQL database that may be emptied, the libraries that tests open have
their indexes there, each in a schema of its own. Each worker of pytest-xdist has a database of its own beside it.
What is about SQLite's own files is marked `sqlite_files` and left out then.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from octavo_contracts import StorageError
from octavo_library import Library
from octavo_library.storage import ArtifactStore, Index, open_index
from sqlalchemy import create_engine, event, make_url
from sqlalchemy.engine import Engine

Statements = Callable[[], AbstractContextManager[list[tuple[str, Any]]]]


def server_of_this_process() -> str | None:
    """The URL of the database that the tests of this process may empty; made anew for a worker of pytest-xdist."""
    url, worker = os.environ.get("OCTAVO_TEST_INDEX_URL"), os.environ.get("PYTEST_XDIST_WORKER")
    if url is None or worker is None:
        return url
    given = make_url(url)
    own = given.set(database=f"{given.database}_{worker}")
    server = create_engine(given, isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.exec_driver_sql(f'DROP DATABASE IF EXISTS "{own.database}" WITH (FORCE)')
        connection.exec_driver_sql(f'CREATE DATABASE "{own.database}"')
    server.dispose()
    return own.render_as_string(hide_password=False)


SERVER = server_of_this_process()
if SERVER is not None:
    # What else reads it, here and in the processes that tests start, means the same database.
    os.environ["OCTAVO_TEST_INDEX_URL"] = SERVER


@pytest.fixture(autouse=SERVER is not None)
def index_on_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Libraries that are opened without a URL have their index on the server."""
    if request.node.get_closest_marker("sqlite_files"):
        pytest.skip("is about an index in SQLite")
    assert SERVER is not None  # else nobody asks for this
    server = create_engine(SERVER)
    schemas: set[str] = set()

    def elsewhere(store: ArtifactStore, *, url: str | None = None, read_only: StorageError | None = None) -> Index:
        if url is None:
            schema = "t" + hashlib.sha256(os.fsencode(store.root)).hexdigest()[:20]
            with server.begin() as connection:
                connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            schemas.add(schema)
            place = make_url(str(SERVER)).update_query_dict({"options": f"-csearch_path={schema}"})
            url = place.render_as_string(hide_password=False)
        return open_index(store, url=url, read_only=read_only)

    monkeypatch.setattr("octavo_library.facade.library_opener.open_index", elsewhere)
    yield
    with server.begin() as connection:
        for schema in schemas:
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    server.dispose()


@pytest.fixture
def index_argument() -> Callable[[Library], str]:
    """What a process that a test starts needs to open a library: its URL on the server, or nothing for a file."""

    def of(library: Library) -> str:
        return library.context.index.url.render_as_string(hide_password=False) if SERVER is not None else ""

    return of


@contextmanager
def _statements() -> Iterator[list[tuple[str, Any]]]:
    found: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, parameters: Any, ___: object, is_many: bool) -> None:
        found.append((statement, parameters[0] if is_many else parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture
def statements() -> Statements:
    """Opens a list of the statements that run meanwhile, each with its parameters; of those of a batch, with the first."""
    return _statements
