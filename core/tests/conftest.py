"""Plugins written on the spot: real distributions in a folder of their own, found by their entry points.

With `OCTAVO_TEST_INDEX_URL` set to a PostgreSQL database that may be emptied, the libraries that tests open have
their indexes there, each in a schema of its own. Each worker of pytest-xdist has a database of its own beside it.
What is about SQLite's own files is marked `sqlite_files` and left out then.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from octavo import Library
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo.storage import ArtifactStore, Index, open_index
from octavo_contracts import StorageError
from sqlalchemy import create_engine, make_url

MANIFEST = """\
[plugin]
name = "{name}"
contract = "{contract}"
description = "A plugin of the tests."
hooks = {hooks}
media_types = {media_types}
priority = {priority}
{more}
[plugin.engine]
licence = "Apache-2.0"
"""


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

    monkeypatch.setattr("octavo.library.context.open_index", elsewhere)
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


MakePlugin = Callable[..., Path]


@pytest.fixture
def make_plugin(tmp_path: Path) -> Iterator[MakePlugin]:
    """Install a plugin for this test: a package, its manifest and the metadata of a distribution."""
    with installing(tmp_path / "site") as make:
        yield make


@pytest.fixture(scope="module")
def make_lasting_plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakePlugin]:
    """Install a plugin for all tests of a module, which can then share a runtime."""
    with installing(tmp_path_factory.mktemp("plugins") / "site") as make:
        yield make


@contextmanager
def installing(site: Path) -> Iterator[MakePlugin]:
    """Install plugins into a new folder, which can be imported from while the block runs."""
    site.mkdir()
    made: list[str] = []

    def make(
        name: str,
        code: str,
        *,
        media_types: list[str] | None = None,
        hooks: list[str] | None = None,
        contract: str = "1.0",
        priority: int = 99,
        entry_name: str | None = None,
        manifest: str | None = None,
        more: str = "",
    ) -> Path:
        package = f"octavo_{name.replace('-', '_')}"
        folder = site / package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "plugin.py").write_text(code)
        text = manifest
        if text is None:
            text = MANIFEST.format(
                name=name,
                contract=contract,
                hooks=hooks or ["convert"],
                media_types=media_types or ["text/plain"],
                priority=priority,
                more=more,
            )
        (folder / "octavo-plugin.toml").write_text(text)
        info = site / f"{package}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: octavo-{name}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[octavo]\n{entry_name or name} = {package}.plugin\n")
        importlib.invalidate_caches()
        made.append(package)
        return folder

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", str(site))
        yield make
    for package in made:
        sys.modules.pop(package, None)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real documents; the test is skipped where it is not there."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "dev"
    for candidate in (os.environ.get("OCTAVO_CORPUS"), beside):
        if candidate and (Path(candidate) / "manifest.json").is_file():
            return Path(candidate)
    pytest.skip("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    """A runtime with one worker and whatever the test installed."""
    with Runtime(Settings(workers=1)) as made:
        yield made


GOOD = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, kind="whole", markdown=source.read_bytes().decode()),), paginated=False)
"""
"""A converter that works."""


@pytest.fixture
def good_plugin() -> str:
    """The code of a converter that works."""
    return GOOD
