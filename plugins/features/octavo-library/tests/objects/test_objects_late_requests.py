"""Requests that an object store carries out late, or a process sends late, reach nothing that was stored since (STO-6, STO-12)."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from octavo_conformance.loopback import HOST, Asked
from octavo_library import Library
from octavo_library.facade.shared_library import CachePurge
from sqlalchemy import create_engine

Opener = Callable[..., Library]
PURGER = """
import os, signal, sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.storage.index.purges import PurgeRepository
from octavo_library.storage.objects.object_client import ObjectClient
url, index, workspace, document_id, moment = sys.argv[1:6]
settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=workspace, originals="stored", lease_seconds=3.0))
begin, delete = PurgeRepository.begin_document, ObjectClient.delete
def begins(*args, **kwargs):
    noted = begin(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGSTOP)
    return noted
def deletes(self, keys):
    ObjectClient.delete = delete
    os.kill(os.getpid(), signal.SIGSTOP)
    return delete(self, keys)
with Library.open(url, index=index, settings=settings) as library:
    if moment == "noted":
        PurgeRepository.begin_document = begins
    else:
        ObjectClient.delete = deletes
    library.maintenance.purge(document_id, confirm=document_id)
"""


def wait_until(holds: Callable[[], bool], *, seconds: float = 120) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.1)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.md"
    path.write_text("# Paper\n\nWhat the paper says about seals.\n")
    return path


def test_a_removal_that_is_carried_out_late_reaches_no_later_version(
    machine: Opener, paper: Path, index_url: str, s3: Any, s3_port: int
) -> None:
    """The number of a version that was stored in vain is not used again: its removal may be repeated (ENG-6)."""
    removals: list[Asked] = []

    def noted(asked: Asked) -> None:
        if asked.method == "DELETE" or "delete" in asked.path.partition("?")[2]:
            removals.append(asked)

    with machine(originals="stored") as library:
        library.queue.submit([paper])
        library.queue.work(until_empty=True, slots=1)
        (document,) = library.documents()
        artifacts, index = library.context.artifacts, library.context.index
        (job,) = index.jobs.of_hash(document.raw_hash)
        artifacts.put_version(document.raw_hash, {"converted.md": b"# Late"}, job_id=job.job_id)
        engine = create_engine(index_url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE jobs SET claims = 3")
        engine.dispose()
        s3.before = noted
        library.queue.work(until_empty=True, slots=1)
        assert artifacts.versions(document.raw_hash) == (1,)
        document.reconvert()
        for asked in removals:
            connection = http.client.HTTPConnection(HOST, s3_port, timeout=60)
            connection.request(asked.method, asked.path, body=asked.body or None, headers=dict(asked.headers))
            assert connection.getresponse().status < 300
            connection.close()
        assert removals
        with machine("two") as other:
            (found,) = other.documents()
            assert [version.version for version in found.versions] == [1, 3]
            assert "seals" in found.markdown
            assert other.maintenance.verify().is_clean


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["noted", "asked"])
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="suspends a process as POSIX systems do")
def test_a_purge_that_was_suspended_past_its_lease_removes_nothing_that_was_ingested_since(
    moment: str, machine: Opener, paper: Path, url: str, index_url: str, tmp_path: Path
) -> None:
    """Another machine completes the purge, and the same bytes are ingested again before the first one wakes up."""
    with machine("submitter", originals="stored", lease_seconds=3.0) as library:
        document_id = library.ingest(paper).document_id
    command = [sys.executable, "-c", PURGER, url, index_url, str(tmp_path / "purger"), str(document_id), moment]
    purger = subprocess.Popen(command)
    try:
        wait_until(lambda: psutil.Process(purger.pid).status() == psutil.STATUS_STOPPED)

        def is_completed() -> bool:
            with machine("heir", originals="stored", lease_seconds=3.0) as heir:
                return not heir.context.index.purges.pending() and not heir.documents()

        wait_until(is_completed)
        with machine("heir", originals="stored", lease_seconds=3.0) as heir:
            assert heir.ingest(paper).document_id == document_id
            paper.unlink()
            purger.send_signal(signal.SIGCONT)
            assert purger.wait(timeout=120) == 0
            assert heir.maintenance.verify().is_clean
            (document,) = heir.documents()
            document.reconvert()
            assert "seals" in heir.document(document.id).markdown
    finally:
        if purger.poll() is None:
            purger.kill()
            purger.wait()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="suspends a process as POSIX systems do")
def test_a_purge_that_lost_its_hold_before_it_began_removes_nothing(
    machine: Opener, paper: Path, url: str, index_url: str, tmp_path: Path
) -> None:
    """The document was converted again meanwhile: what was confirmed is not what would be removed."""
    script = PURGER.replace("    noted = begin(*args, **kwargs)\n    os.kill", "    os.kill").replace(
        "    return noted", "    return begin(*args, **kwargs)"
    )
    with machine("submitter", originals="stored", lease_seconds=3.0) as library:
        document_id = library.ingest(paper).document_id
    command = [sys.executable, "-c", script, url, index_url, str(tmp_path / "purger"), str(document_id), "noted"]
    purger = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: psutil.Process(purger.pid).status() == psutil.STATUS_STOPPED)

        def is_free() -> bool:
            with machine("heir", originals="stored", lease_seconds=3.0) as heir:
                return not heir.context.index.jobs.open_jobs()

        wait_until(is_free)
        with machine("heir", originals="stored", lease_seconds=3.0) as heir:
            heir.document(document_id).reconvert()
            purger.send_signal(signal.SIGCONT)
            said = purger.communicate(timeout=120)[1]
            assert "another process took the document over before anything was removed" in said
            assert [version.version for version in heir.document(document_id).versions] == [1, 2]
            assert heir.maintenance.verify().is_clean
    finally:
        if purger.poll() is None:
            purger.kill()
            purger.wait()


def test_another_library_at_the_same_url_gets_no_copy_of_the_first(
    machine: Opener,
    paper: Path,
    index_url: str,
    postgres_url: str,
    url: str,
    bucket: Any,
    objects: Callable[[], list[str]],
) -> None:
    """The workspace is named by the URL. If another library is created at that URL, it has a cache of its own (STO-5)."""
    import obstore

    with machine() as library:
        document_id = library.ingest(paper).document_id
        assert document_id is not None
        assert "seals" in library.document(document_id).markdown
    prefix = url.rpartition("/")[2]
    obstore.delete(bucket, [f"{prefix}/{name}" for name in objects()])
    engine = create_engine(index_url.replace("postgresql:", "postgresql+psycopg:"))
    schema = index_url.rpartition("%3D")[2]
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    engine.dispose()
    with machine() as library:
        result = library.ingest(paper)
        assert result.document_id == document_id
        artifacts = library.context.artifacts
        stored = artifacts.manifest(result.document.raw_hash, 1)
        assert stored.job_id in {job.job_id for job in library.context.index.jobs.of_hash(result.document.raw_hash)}


def test_a_purge_whose_transaction_took_long_reaches_the_copies_of_other_machines(machine: Opener, paper: Path) -> None:
    """Its time is that before its transaction waited; another machine has asked for purges since (STO-12)."""
    with machine() as library, machine("two") as other:
        document_id = library.ingest(paper).document_id
        assert document_id is not None
        assert "seals" in other.document(document_id).markdown
        forget = CachePurge(other.context.artifacts, other.context.index)
        forget()
        assert list(other.context.artifacts.store.cached_documents())
        clock = library.context.index._clock
        library.context.index._clock = lambda: clock() - timedelta(seconds=30)
        library.maintenance.purge(document_id, confirm=document_id)
        forget()
        assert list(other.context.artifacts.store.cached_documents()) == []
