"""Killed with SIGKILL at any instant, a library comes back whole: nothing lost, doubled or left lying about (ENG-6).

The campaign of `tests/benchmarks/engine/faults.py`, with few kills; `.ci/run` has 50, and `OCTAVO_KILLS` asks for more.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from octavo_library import Library

CAMPAIGN = Path(__file__).parent / "benchmarks" / "engine" / "faults.py"
KILLS = int(os.environ.get("OCTAVO_KILLS", "4"))

IDLE_HOST = """
import sys, time
from octavo_library import Library
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


MANY = """
import pathlib, sys
from octavo_library import Library
with Library.open(sys.argv[1]) as library:
    list(library.ingest_many(pathlib.Path(sys.argv[2]).iterdir()))
    assert library.search("tide")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's notes of what is made in a folder are asked")
def test_the_index_has_no_files_among_the_system_s_temporary_ones(tmp_path: Path) -> None:
    """SQLite's would have a name for a moment, and stay where the process is killed in it."""
    documents, temp = tmp_path / "documents", tmp_path / "temp"
    documents.mkdir()
    temp.mkdir()
    for number in range(150):
        (documents / f"{number}.txt").write_text(f"On day {number} the tide came in at noon.")
    made = created_in(temp)
    command = [sys.executable, "-c", MANY, str(tmp_path / "library"), str(documents)]
    environment = {**os.environ, "TMPDIR": str(temp), "SQLITE_TMPDIR": str(temp)}
    subprocess.run(command, env=environment, check=True, timeout=120)
    names = made()
    assert any(name.startswith("octavo-") for name in names), "nothing was seen at all"
    assert [name for name in names if name.startswith("etilqs_")] == []


def created_in(folder: Path) -> Callable[[], list[str]]:
    """Watch a folder; the function it gives says which names were made in it since, those long gone too."""
    system, in_create, header = ctypes.CDLL(None, use_errno=True), 0x100, struct.Struct("iIII")
    descriptor = system.inotify_init1(os.O_NONBLOCK)
    assert system.inotify_add_watch(descriptor, os.fsencode(folder), in_create) >= 0

    def names() -> list[str]:
        notes = os.read(descriptor, 1 << 20)
        os.close(descriptor)
        found, at = [], 0
        while at < len(notes):
            length = header.unpack_from(notes, at)[3]
            at += header.size + length
            found.append(os.fsdecode(notes[at - length : at].rstrip(b"\0")))
        return found

    return names


@pytest.mark.slow
def test_kills_of_host_and_workers_lose_and_double_nothing():
    command = [sys.executable, str(CAMPAIGN), "--kills", str(KILLS), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60 + 30 * KILLS, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    found = json.loads(ended.stdout)
    wanted = {"kills": KILLS, "lost": 0, "duplicated": 0, "temp_files": 0, "illegal_transitions": 0, "integrity": "ok"}
    assert {name: found[name] for name in wanted} == wanted
    assert found["interrupted"] >= KILLS // 2, "the kills came too late to interrupt anything: this shows nothing"
