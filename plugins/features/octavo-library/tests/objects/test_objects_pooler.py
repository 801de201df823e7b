"""An index behind pgbouncer, which gives each transaction another session of the server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_conformance.loopback import HOST
from octavo_library import Library
from octavo_library.storage import Index
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

COUNT = 12


@pytest.fixture
def pooled_url(index_url: str) -> Iterator[str]:
    """The URL of an empty index through pgbouncer with transaction pooling, whose sessions have one schema."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("needs pgbouncer: apt-get install pgbouncer")
    place = make_url(index_url)
    (schema,) = [str(value).partition("search_path=")[2] for value in [place.query["options"]]]
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    folder = Path("/tmp") / f"octavo-pgb-{uuid.uuid4().hex[:12]}"  # another user has to read it
    folder.mkdir(mode=0o755)
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npooled = host={place.host} port={place.port} dbname={place.database} user={place.username} "
        f"connect_query='SET search_path TO {schema}'\n"
        f"[pgbouncer]\nlisten_addr = {HOST}\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 3\nignore_startup_parameters = extra_float_digits\n"
    )
    command = [program, str(settings)]
    if os.geteuid() == 0:  # it does not run as root
        command[1:1] = ["-u", "nobody"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as pool:
        url = f"postgresql://{place.username}@{HOST}:{port}/pooled"
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        for _ in range(100):
            try:
                engine.connect().close()
                break
            except OperationalError:  # it is not listening yet, or says why it does not
                if pool.poll() is not None:
                    pytest.skip(f"pgbouncer does not start here: {pool.stderr and pool.stderr.read()[-200:]}")
                time.sleep(0.1)
        engine.dispose()
        yield url
        pool.terminate()
        pool.communicate(timeout=30)
    shutil.rmtree(folder)


def test_a_library_works_behind_a_pool_of_transactions(url: str, pooled_url: str, s3: Any, tmp_path: Path) -> None:
    papers = [tmp_path / f"paper-{number}.md" for number in range(2 * COUNT)]
    for number, paper in enumerate(papers):
        paper.write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    settings = Settings(workers=2, objects=ObjectStoreSettings(workspace=str(tmp_path / "one")))
    with Library.open(url, index=pooled_url, settings=settings) as library:
        for outcome in library.ingest_many(papers[:COUNT]):
            assert outcome.result is not None
        library.queue.submit(papers[COUNT:])
        assert library.queue.work(until_empty=True, slots=2).ended == COUNT
        assert {document.status for document in library.documents()} == {"complete"}
        assert len(library.documents()) == 2 * COUNT
        assert library.maintenance.verify().is_clean


def test_the_settings_of_a_pooled_connection_end_with_its_transaction(pooled_url: str) -> None:
    """Other programs use the same sessions (ENG-6)."""
    plain = create_engine(pooled_url.replace("postgresql:", "postgresql+psycopg:"))
    query = text("SELECT current_setting('jit'), current_setting('synchronous_commit')")
    with plain.connect() as connection:
        before = connection.execute(query).one()
    with Index(pooled_url.replace("postgresql:", "postgresql+psycopg:")) as index:
        with index.read() as connection:
            jit, commits = connection.execute(query).one()
        assert jit == "off"
        assert commits != "off"
        with plain.connect() as connection:
            assert connection.execute(query).one() == before
    plain.dispose()
