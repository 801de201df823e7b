"""Workers of several machines share the documents of a queue; the documents of one that dies go to the others (ENG-6)."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from octavo_contracts import UsageError
from octavo_library import IngestOptions, Library
from octavo_library.storage import Index
from octavo_library.storage.index.dialect import lock_for_migration
from octavo_library.storage.index.server import IndexMigrated, IndexUnreachable
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError

Opener = Callable[..., Library]
COUNT = 12
WORKER = """
import sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
url, index, workspace = sys.argv[1:4]
settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=workspace, originals="stored", lease_seconds=3.0))
with Library.open(url, index=index, settings=settings) as library:
    print("open", flush=True)
    print(library.queue.work(until_empty=True).ended, flush=True)
"""
DYING = """
import os, signal
from octavo_library.storage import ArtifactStore
from octavo_library.ingestion.job_completion import JobCompleter
if sys.argv[4] == "before":
    ArtifactStore.put_version = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
else:
    JobCompleter.submit = JobCompleter.complete = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "papers"
    folder.mkdir()
    made = [folder / f"paper-{number}.md" for number in range(COUNT)]
    for number, path in enumerate(made):
        path.write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return made


@pytest.fixture
def start(url: str, index_url: str, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a worker as a process of its own, with a workspace of its own."""
    running: list[subprocess.Popen[str]] = []

    def started(name: str, *, dies: str = "", first: str = "") -> subprocess.Popen[str]:
        script = "import sys\n" + (DYING if dies and not first else first) + WORKER
        command = [sys.executable, "-c", script, url, index_url, str(tmp_path / name), dies]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return running[-1]

    yield started
    for process in running:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


SUSPENDED = """
import os, signal
from octavo_library.storage import ArtifactStore
real = ArtifactStore.put_version
def put_version(*args, **kwargs):
    ArtifactStore.put_version = real
    if sys.argv[4] == "before":
        os.kill(os.getpid(), signal.SIGSTOP)
        return real(*args, **kwargs)
    made = real(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGSTOP)
    return made
ArtifactStore.put_version = put_version
"""
DIES_LATE = """
import os, signal
from octavo_library.storage import ArtifactStore
real = ArtifactStore.put_version
def put_version(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGSTOP)
    real(*args, **kwargs)
    os.kill(os.getpid(), signal.SIGKILL)
ArtifactStore.put_version = put_version
"""
SKEWED = """
from datetime import timedelta
from octavo_library.storage.index import database, index
real = database.utc_now
def skewed():
    return real() + timedelta(hours=float(sys.argv[4]))
database.utc_now = skewed
for kind in (database.Database, index.Index):
    kind.__init__.__kwdefaults__["clock"] = skewed
"""


def open_submitter(machine: Opener) -> Library:
    return machine("submitter", originals="stored", lease_seconds=3.0)


def wait_until(holds: Callable[[], bool], *, seconds: float = 120) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.1)


def check_whole(library: Library, papers: list[Path]) -> None:
    """Each paper was converted exactly once and is complete, and the store has nothing else."""
    documents = library.documents()
    assert sorted(document.title or "" for document in documents) == sorted(f"Paper {n}" for n in range(len(papers)))
    assert {document.status for document in documents} == {"complete"}
    assert {len(document.versions) for document in documents} == {1}
    assert library.queue.counts().queued == library.queue.counts().taken == 0
    assert library.maintenance.verify().is_clean


@pytest.mark.slow
def test_two_machines_convert_what_a_third_one_submitted(
    machine: Opener, papers: list[Path], start: Callable[..., subprocess.Popen[str]]
) -> None:
    with open_submitter(machine) as library:
        done = library.queue.submit(papers)
        assert (done.queued, done.known, done.unreadable) == (COUNT, 0, {})
        assert library.queue.submit(papers[:2]).known == 2
        for paper in papers:
            paper.unlink()  # the workers have the stored bytes only
        workers = [start(name) for name in ("one", "two")]
        ended = [int(worker.communicate(timeout=180)[0].split()[-1]) for worker in workers]
        assert sum(ended) == COUNT
        check_whole(library, papers)


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["before", "after"])
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process as POSIX systems do")
def test_the_documents_of_a_killed_worker_go_to_another(
    dies: str, machine: Opener, papers: list[Path], start: Callable[..., subprocess.Popen[str]]
) -> None:
    """Killed before the version was stored, it is converted again; killed after it, the stored version is adopted."""
    papers = papers[:3]
    with open_submitter(machine) as library:
        library.queue.submit(papers)
        assert start("dying", dies=dies).wait(timeout=120) == -signal.SIGKILL
        assert library.queue.counts().taken > 0
        assert start("heir").wait(timeout=180) == 0
        check_whole(library, papers)


@pytest.mark.slow
@pytest.mark.parametrize("stops", ["before", "after"])
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="suspends a process as POSIX systems do")
def test_a_worker_that_was_suspended_past_its_lease_completes_nothing_twice(
    stops: str, machine: Opener, papers: list[Path], start: Callable[..., subprocess.Popen[str]]
) -> None:
    """It wakes up and commits: its claim is refused, and the version that it stored in vain is removed (ENG-6)."""
    papers = papers[:3]
    with open_submitter(machine) as library:
        library.queue.submit(papers)
        suspended = start("suspended", dies=stops, first=SUSPENDED)
        wait_until(lambda: psutil.Process(suspended.pid).status() == psutil.STATUS_STOPPED)
        heir = start("heir")
        assert int(heir.communicate(timeout=240)[0].split()[-1]) + (stops == "after") >= 1
        assert {document.status for document in library.documents()} == {"complete"}
        suspended.send_signal(signal.SIGCONT)
        ended = int(suspended.communicate(timeout=120)[0].split()[-1])
        assert suspended.returncode == 0
        assert ended < len(papers), "what the other completed does not count"
        check_whole(library, papers)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="suspends a process as POSIX systems do")
def test_a_version_that_a_worker_stored_too_late_and_did_not_live_to_remove_is_removed_by_another(
    machine: Opener, papers: list[Path], start: Callable[..., subprocess.Popen[str]]
) -> None:
    """It is suspended past its lease, stores its version when it wakes up, and dies before it learns that it may not (ENG-6)."""
    papers = papers[:2]
    with open_submitter(machine) as library:
        library.queue.submit(papers)
        suspended = start("suspended", first=DIES_LATE)
        wait_until(lambda: psutil.Process(suspended.pid).status() == psutil.STATUS_STOPPED)
        assert start("heir").wait(timeout=240) == 0
        assert {document.status for document in library.documents()} == {"complete"}
        suspended.send_signal(signal.SIGCONT)
        assert suspended.wait(timeout=120) == -signal.SIGKILL
        left = library.maintenance.verify()
        assert len([*left.orphans, *left.unindexed]) == 1, "nothing names the version"
        assert start("later").wait(timeout=120) == 0
        check_whole(library, papers)


def test_a_sweep_leaves_versions_that_another_job_may_still_complete(
    machine: Opener, papers: list[Path], index_url: str
) -> None:
    """Only versions of the ended job that changed hands are removed (ENG-6)."""
    with open_submitter(machine) as library:
        library.queue.submit(papers[:2])
        library.queue.work(until_empty=True, slots=1)
        artifacts, index = library.context.artifacts, library.context.index
        ours, calm = (document.raw_hash for document in library.documents())
        files = {"converted.md": b"# Late", "canonical.txt": b"Late"}
        for raw_hash in (ours, calm):
            (job,) = index.jobs.of_hash(raw_hash)
            artifacts.put_version(raw_hash, files, job_id=job.job_id)
            artifacts.put_version(raw_hash, files, job_id="a job of another process")
        assert library.queue.work(until_empty=True, slots=1).ended == 0
        assert artifacts.versions(ours) == artifacts.versions(calm) == (1, 2, 3), "no job changed hands"
        engine = create_engine(index_url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE jobs SET claims = 3 WHERE raw_hash = %(hash)s", {"hash": ours})
        engine.dispose()
        library.queue.work(until_empty=True, slots=1)
        assert (artifacts.versions(ours), artifacts.versions(calm)) == ((1, 3), (1, 2, 3))


@pytest.mark.slow
def test_clocks_that_differ_by_hours_take_nobody_for_dead(
    machine: Opener, papers: list[Path], start: Callable[..., subprocess.Popen[str]]
) -> None:
    """One machine is five hours ahead and one seven hours behind: each document is converted once (ENG-6)."""
    with open_submitter(machine) as library:
        library.queue.submit(papers)
        workers = [start(name, dies=hours, first=SKEWED) for name, hours in (("ahead", "5"), ("behind", "-7"))]
        ended = [int(worker.communicate(timeout=240)[0].split()[-1]) for worker in workers]
        assert sum(ended) == COUNT
        check_whole(library, papers)
        hashes = [document.raw_hash for document in library.documents()]
        jobs = [job for raw_hash in hashes for job in library.context.index.jobs.of_hash(raw_hash)]
        assert {job.attempts for job in jobs} == {1}
        assert {job.claims for job in jobs} == {2}, "started, and taken once"


def test_a_job_that_an_error_left_with_a_live_worker_returns_to_the_queue(
    machine: Opener, papers: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database has taken a document for the worker, and the answer is lost: the worker finds it itself (ENG-6)."""
    with open_submitter(machine) as library:
        library.queue.submit(papers[:2])
        queue = type(library.context.index.queue)
        real = queue.take

        def take(self: object, **fields: object) -> object:
            monkeypatch.setattr(queue, "take", real)
            real(self, **fields)  # type: ignore[arg-type]  # the arguments of the caller
            raise IndexUnreachable("the connection was lost")

        monkeypatch.setattr(queue, "take", take)
        counts = library.queue.work(until_empty=True, slots=1)
        assert (counts.ended, counts.returned) == (2, 1)
        check_whole(library, papers[:2])


def test_a_worker_of_an_older_version_ends_when_the_index_is_migrated(machine: Opener, index_url: str) -> None:
    """A host with a newer version migrates the index: the older one writes nothing any more, and ends (ENG-6)."""
    with open_submitter(machine) as library:
        engine = create_engine(index_url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(IndexMigrated, match="was migrated to schema 9999"):
            library.queue.work(until_empty=True, slots=1)
        assert library.documents() == [], "it can still read"
        engine.dispose()


def test_a_migration_waits_for_the_writes_that_have_begun(index_url: str) -> None:
    """No transaction of an older version ends after the migration (ENG-6)."""
    url = index_url.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    with Index(url) as index:
        with index.batch():
            index.corpora.create("reports")
            with engine.begin() as connection:
                connection.exec_driver_sql("SET LOCAL lock_timeout = '200ms'")
                with pytest.raises(DBAPIError, match="lock timeout"):
                    lock_for_migration(connection)
        with engine.begin() as connection:
            connection.exec_driver_sql("SET LOCAL lock_timeout = '200ms'")
            lock_for_migration(connection)
    engine.dispose()


def test_a_stopped_worker_returns_its_documents(machine: Opener, papers: list[Path]) -> None:
    with open_submitter(machine) as library:
        library.queue.submit(papers[:2])
        stop = threading.Event()
        stop.set()
        assert library.queue.work(stop=stop).ended == 0
        assert library.queue.counts().queued == 2
        library.queue.work(until_empty=True, slots=1)
        check_whole(library, papers[:2])


def test_what_cannot_be_queued_is_said(machine: Opener, papers: list[Path]) -> None:
    with open_submitter(machine) as library:
        done = library.queue.submit([papers[0], papers[0].with_name("missing.md")])
        assert done.queued == 1
        assert [why.endswith("[source_missing]") for why in done.unreadable.values()] == [True]
        with pytest.raises(UsageError, match="a password is not stored"):
            library.queue.submit(papers[:1], options=IngestOptions(password="x"))


def test_leases_are_compared_by_the_clock_of_the_database(index_url: str) -> None:
    """A machine whose clock is an hour behind is alive for the others, and takes nobody for dead."""
    from datetime import timedelta

    with (
        Index(index_url.replace("postgresql:", "postgresql+psycopg:")) as right,
        Index(index_url.replace("postgresql:", "postgresql+psycopg:")) as late,
    ):
        clock = late._clock
        late._clock = lambda: clock() - timedelta(hours=1)
        late.read_clock()
        late.hosts.register("late", host="b", pid=1, seconds=30.0)
        right.hosts.register("right", host="a", pid=1, seconds=30.0)
        assert right.hosts.is_alive("late")
        assert late.hosts.is_alive("right")
        assert [one.is_alive for one in right.hosts.all()] == [True, True]
        right.hosts.register("gone", host="c", pid=1, seconds=-1.0)
        assert not late.hosts.is_alive("gone")
        assert right.hosts.remove_expired(seconds=0.0) == 1
