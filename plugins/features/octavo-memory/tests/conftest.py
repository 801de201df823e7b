"""A library of a document with pages and one without, for the tests of this feature.

Its index is SQLite. With `OCTAVO_TEST_INDEX_URL` set to a PostgreSQL database that may be emptied, it is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_memory import MemoryStore
from sqlalchemy import create_engine

HARBOUR = (
    "# Harbour notes\n\n"
    "The gauge stood at 3.2 m at noon. The surge was caused by a storm from the north.\n\n"
    "Captain Ada Rowe did not leave the harbour. She signed the log on 4 May 2021.\n\n"
    "The same words. The same words.\n"
)
PAGED = "WEBVTT\n\n" + "\n".join(
    f"00:0{minute}:01.000 --> 00:0{minute}:50.000\nIn minute {minute} the pilot spoke of station {minute}.\n"
    for minute in range(6)
)


def emptied_server() -> str | None:
    """The URL of an empty PostgreSQL database, or None if the tests have none."""
    url = os.environ.get("OCTAVO_TEST_INDEX_URL")
    if url is None:
        return None
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url.replace("+psycopg", "")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The library; tests that change documents open one of their own."""
    folder = tmp_path_factory.mktemp("memory")
    (folder / "harbour.md").write_text(HARBOUR, encoding="utf-8")
    (folder / "talk.vtt").write_text(PAGED, encoding="utf-8")
    settings = Settings(sampling=False, workers=1)
    with Library.open(folder / "library", settings=settings, index=emptied_server()) as opened:
        for name in ("harbour.md", "talk.vtt"):
            opened.ingest(folder / name, plugin="plaintext")
        yield opened


@pytest.fixture
def library(shared: Library) -> Iterator[Library]:
    """The library without memories, before the test and after it."""
    yield shared
    store = MemoryStore(shared)
    for document in shared.documents():
        for memory in store.cluster(document.id, limit=10_000).memories:
            store.remove(memory.memory_id)


@pytest.fixture
def ids(library: Library) -> dict[str, str]:
    """Name of a file → id of its document."""
    return {one.paths[0].rpartition("/")[2]: one.id for one in library.documents()}


@pytest.fixture
def store(library: Library) -> MemoryStore:
    return MemoryStore(library)
