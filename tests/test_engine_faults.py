"""Killed with SIGKILL at any instant, a library comes back whole: nothing lost, doubled or left lying about (ENG-6).

The campaign of `tests/benchmarks/engine/faults.py`, with few kills; `OCTAVO_KILLS` asks for more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest
from octavo import Library

CAMPAIGN = Path(__file__).parent / "benchmarks" / "engine" / "faults.py"
KILLS = int(os.environ.get("OCTAVO_KILLS", "12"))

IDLE_HOST = """
import sys, time
from octavo import Library
with Library.open(sys.argv[1]) as library:
    library.ingest(sys.argv[2])
    print("done", flush=True)
    time.sleep(600)
"""


def test_an_opening_that_has_nothing_to_convert_removes_the_folders_of_a_dead_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It needs no workers, so it would make no folder in whose place it might look."""
    note, temp = tmp_path / "note.txt", tmp_path / "temp"
    note.write_text("The tide came in at noon.")
    temp.mkdir()
    command = [sys.executable, "-c", IDLE_HOST, str(tmp_path / "library"), str(note)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(temp)}) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"done\n"
        workers = psutil.Process(host.pid).children(recursive=True)
        host.kill()
    assert psutil.wait_procs(workers, timeout=30)[1] == []
    assert list(temp.glob("octavo-*/worker-*"))
    monkeypatch.setattr(tempfile, "tempdir", str(temp))
    with Library.open(tmp_path / "library") as library:
        assert list(temp.iterdir()) == []
        assert library.documents()[0].status == "complete"


@pytest.mark.slow
def test_kills_of_host_and_workers_lose_and_double_nothing():
    command = [sys.executable, str(CAMPAIGN), "--kills", str(KILLS), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60 + 30 * KILLS, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    found = json.loads(ended.stdout)
    wanted = {"kills": KILLS, "lost": 0, "duplicated": 0, "temp_files": 0, "illegal_transitions": 0, "integrity": "ok"}
    assert {name: found[name] for name in wanted} == wanted
    assert found["interrupted"] >= KILLS // 2, "the kills came too late to interrupt anything: this shows nothing"
