"""Two executors on one index, one of them killed for good: the other finishes everything, each step once (ENG-6, ENG-22).

On SQLite always; on PostgreSQL where `OCTAVO_TEST_INDEX_URL` names a database that may be emptied.
"""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections import Counter

import pytest
from octavo_contracts import TERMINAL_STATES, IngestionState, check_transition
from octavo_library.storage import ArtifactStore, Index, library_url, verify

DOCUMENTS = 60
EXECUTOR = """
import sys, threading
from pathlib import Path
from octavo_library.ingestion.engine import Engine
from octavo_library.ingestion.requests import IngestRequest
from octavo_library.ingestion.ingest_run import IngestRun
from octavo.runtime import Runtime
from octavo.settings import Settings
from octavo_library.storage import ArtifactStore, Index, recover

root, url, documents = sys.argv[1:]
with Runtime(Settings(workers=1)) as runtime, ArtifactStore(root) as artifacts, Index(url) as index:
    engine = Engine(runtime, artifacts, index)
    engine.resume(recover(artifacts, index))
    print("open", flush=True)
    sys.stdin.readline()
    sources = sorted(Path(documents).iterdir())
    run = IngestRun(engine, IngestRequest(), workers=1, total=len(sources), stop=threading.Event())
    for given, processed in run.answers(iter(sources)):
        print(given.name, "reused" if processed.reused else processed.result.ingestion_status, flush=True)
    engine.close()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def index_url(request, tmp_path):
    if request.param == "sqlite":
        with ArtifactStore(tmp_path / "library"):
            return library_url(tmp_path / "library").render_as_string(hide_password=False)
    return request.getfixturevalue("empty_server")


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number:03}.txt").write_text(f"Note {number}\n\n" + "the tide came in at noon " * 20)
    return folder


@pytest.fixture
def start(tmp_path, index_url, documents):
    running = []

    def begin():
        command = [sys.executable, "-c", EXECUTOR, str(tmp_path / "library"), index_url, str(documents)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout.readline() == "open\n"
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def go(process):
    process.stdin.write("\n")
    process.stdin.flush()


def look(tmp_path, index_url):
    """Every document once, every job ended once, every version visible once; how many jobs were executed again."""
    with ArtifactStore(tmp_path / "library") as artifacts, Index(index_url) as index:
        artifacts.sweep()
        assert index.jobs.open_jobs() == ()
        stored = index.documents.page(limit=1000)
        assert len(stored) == DOCUMENTS
        again = 0
        for document in stored:
            [version] = index.versions.of_document(document.document_id)
            assert artifacts.versions(document.raw_hash) == (version.version,)
            ends = Counter()
            for job in index.jobs.of_hash(document.raw_hash):
                log = index.jobs.transitions(job.job_id)
                assert [entry.seq for entry in log] == list(range(len(log)))
                for before, after in itertools.pairwise(log):
                    check_transition(before.after, after.after)
                ends.update(entry.after for entry in log if entry.after in TERMINAL_STATES)
                again += job.claims - 1
            assert ends == {IngestionState.COMPLETE: 1}
        assert verify(artifacts, index, read_contents=True).is_clean
    return again


def test_two_executors_share_the_work(start, tmp_path, index_url):
    first, second = start(), start()
    go(first)
    go(second)
    said = [process.communicate(timeout=300)[0].split() for process in (first, second)]
    assert [process.returncode for process in (first, second)] == [0, 0]
    assert [len(words) // 2 for words in said] == [DOCUMENTS, DOCUMENTS]
    assert sum(words.count("complete") for words in said) == DOCUMENTS
    assert look(tmp_path, index_url) == 0


def test_the_one_that_is_left_finishes_what_the_killed_one_had(start, tmp_path, index_url, record_property):
    first, second = start(), start()
    go(first)
    go(second)
    for _ in range(3):
        first.stdout.readline()
    first.send_signal(signal.SIGKILL)
    said = second.communicate(timeout=300)[0].split()
    assert second.returncode == 0
    assert len(said) // 2 == DOCUMENTS
    assert set(said[1::2]) <= {"complete", "reused"}
    again = look(tmp_path, index_url)
    record_property("re_executed", again)
    print(f"{again} jobs were executed again")  # noqa: T201 - the number is part of what is shown
    assert again <= DOCUMENTS
