"""A document that kills its worker while it is opened is taken out of the queue, and its neighbours are converted (ENG-7)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_library import Library

Opener = Callable[..., Library]

LEASE_SECONDS = 2.0
NEIGHBOURS = 5
WORKER = """
import os, signal, sys
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.ingestion import originals
real = originals._open
def deadly(ref, *args, **kwargs):
    if "deadly" in ref:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(ref, *args, **kwargs)
originals._open = deadly
settings = Settings(workers=1, objects=ObjectStoreSettings(workspace=sys.argv[3], lease_seconds=2.0))
with Library.open(sys.argv[1], index=sys.argv[2], settings=settings) as library:
    library.queue.work(until_empty=True, slots=2)
"""


@pytest.mark.slow
def test_a_document_that_kills_its_worker_when_it_is_opened_leaves_the_queue(
    machine: Opener, url: str, index_url: str, tmp_path: Path
) -> None:
    names = ["deadly", *(f"paper-{number}" for number in range(NEIGHBOURS))]
    papers = [tmp_path / f"{name}.md" for name in names]
    for paper in papers:
        paper.write_text(f"# {paper.stem}\n\nWhat {paper.stem} says about seals.\n")
    command = [sys.executable, "-c", WORKER, url, index_url, str(tmp_path / "other")]
    codes: list[int] = []
    with machine("submitter", lease_seconds=LEASE_SECONDS) as library:
        library.queue.submit(papers)
        while not codes or (codes[-1] and len(codes) < 6):
            codes.append(subprocess.run(command, check=False, timeout=180).returncode)
            time.sleep(LEASE_SECONDS + 0.5)
        assert codes == [-signal.SIGKILL] * 3 + [0]
        (stopped,) = library.queue.documents()
        assert (stopped.path, stopped.condition) == (str(papers[0]), "stopped")
        assert library.context.index.jobs.get(stopped.job_id).attempts == 3
        assert sorted(str(one.title) for one in library.documents()) == names[1:]
        assert {one.status for one in library.documents()} == {"complete"}
        assert library.queue.submit(papers[:1]).queued == 1
