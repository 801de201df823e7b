"""Killed with SIGKILL at any instant, a library comes back whole: nothing lost, doubled or left lying about (ENG-6)."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from octavo import Library
from octavo.settings import Settings
from octavo.store import verify
from octavo_contracts import IngestionState, check_transition

KILLS = int(os.environ.get("OCTAVO_KILLS", "25"))
INGEST = """
import sys
from pathlib import Path
from octavo import Library
from octavo.settings import Settings
with Library.open(sys.argv[1], settings=Settings(workers=2)) as library:
    print("open", flush=True)
    for item in library.ingest_many(sorted(Path(sys.argv[2]).iterdir())):
        pass
"""


def test_a_directory_ingest_killed_at_random_points_loses_and_doubles_nothing(tmp_path):
    chance = random.Random(20261121)
    documents = tmp_path / "documents"
    documents.mkdir()
    library = tmp_path / "library"
    interrupted = 0
    for attempt in range(KILLS):
        _add_documents(documents, attempt, chance)
        interrupted += _run_and_kill(library, documents, after=chance.uniform(0.0, 0.8))
    _add_documents(documents, KILLS, chance)
    with Library.open(library, settings=Settings(workers=2)) as opened:
        results = list(opened.ingest_many(sorted(documents.iterdir())))
        _check(opened, results, documents)
    assert interrupted >= KILLS // 2, "the kills came too late to interrupt anything: the test shows nothing"


def _add_documents(folder: Path, batch: int, chance: random.Random) -> None:
    for number in range(12):
        words = " ".join(chance.choices(["tide", "harbour", "seal", "storm", "pebble", "gull"], k=200))
        (folder / f"{batch:03}-{number:02}.txt").write_text(f"Note {batch} {number}\n\n{words}\n")


def _run_and_kill(library: Path, documents: Path, *, after: float) -> bool:
    """Start an ingest, kill its process group's leader some time after the library is open; whether it was still at work."""
    process = subprocess.Popen([sys.executable, "-c", INGEST, str(library), str(documents)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        process.stdout.readline()
        time.sleep(after)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    return running


def _check(library: Library, results: list, documents: Path) -> None:
    files = sorted(documents.iterdir())
    assert sorted(item.source for item in results) == [str(path) for path in files]
    assert {item.result.ingestion_status for item in results} == {"complete"}
    stored = library.documents()
    assert len(stored) == len(files)
    paths = Counter(path for document in stored for path in document.paths)
    assert set(paths.values()) == {1}
    assert all(len(document.versions) == 1 for document in stored)
    assert verify(library.artifacts, library.index, read_contents=True).is_clean
    assert list((library.path / "tmp").glob("*/*")) == []
    assert library.index.open_jobs() == ()
    for document in stored:
        succeeded = 0
        for job in library.index.jobs_of(document.raw_hash):
            log = library.index.transitions(job.job_id)
            assert [entry.seq for entry in log] == list(range(len(log)))
            for before, after in itertools.pairwise(log):
                check_transition(before.after, after.after)
            succeeded += log[-1].after is IngestionState.COMPLETE
        assert succeeded == 1
