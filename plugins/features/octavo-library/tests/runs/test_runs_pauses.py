"""Why a run is paused, as another process sees it (ENG-30)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.engine import CareSettings, EngineSettings
from octavo.settings.settings import Settings
from octavo_library import Library
from sqlalchemy import URL

ALWAYS = CareSettings(memory_stop=0.02, memory_go=0.01, every=0.05, trickle=3600.0, disk_floor=0)
"""Every machine uses more of its memory than this, so that no document begins."""


def runs_of(root: Path, index: URL, *arguments: str) -> dict[str, Any]:
    """What `octavo runs` of another process says."""
    command = [sys.executable, "-m", "octavo", "runs", *arguments, "--json", "--library", str(root)]
    is_on_server = index.get_backend_name() == "postgresql"
    where = {"OCTAVO_INDEX": index.render_as_string(hide_password=False)} if is_on_server else {}
    found = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **where})
    said: dict[str, Any] = json.loads(found.stdout)
    return said


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, or fail."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it did not happen within 60 s"
        time.sleep(0.05)


def test_another_process_is_told_why_a_run_is_paused(tmp_path: Path) -> None:
    """ENG-30: the cause, the value at which work resumes, and the commit policy; nothing once the process has ended."""
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Note {number}")
    stop = threading.Event()
    settings = Settings(workers=1, sampling=False, engine=EngineSettings(care=ALWAYS))
    root = tmp_path / "library"
    with Library.open(root, settings=settings) as library:
        index = library.context.index.url
        files = [tmp_path / f"{number}.txt" for number in range(3)]
        work = threading.Thread(target=lambda: list(library.ingest_many(iter(files), cancel=stop)))
        work.start()
        try:
            until(lambda: bool(library.runs.pauses()))
            said = runs_of(root, index, "last")["run"]
            listed = runs_of(root, index)
        finally:
            stop.set()
            work.join()
        (pause,) = said["pauses"]
        assert said["condition"] == "running"
        assert (pause["cause"], pause["resumes_at"]) == ("memory", 0.01)
        assert pause["value"] > 0.02
        assert "memory usage is" in pause["message"]
        assert said["commit_policy"] == "each document separately"
        assert [one["cause"] for one in listed["pauses"]] == ["memory"]
        assert runs_of(root, index, "last")["run"]["pauses"] == []
    assert runs_of(root, index)["pauses"] == []


def test_a_long_run_of_unknown_length_shows_the_policy_in_force(tmp_path: Path) -> None:
    """ENG-30, ENG-14."""
    for number in range(120):
        (tmp_path / f"{number}.txt").write_text("")  # refused at once, so that the test takes no time
    with Library.open(tmp_path / "library", settings=Settings(workers=1, sampling=False)) as library:
        outcomes = library.ingest_many(path for path in sorted(tmp_path.glob("*.txt")))
        next(outcomes)
        until(lambda: library.runs.get("last").commit_policy == "50 documents or 5 s")
        assert len(list(outcomes)) == 119
        assert library.runs.get("last").commit_policy == "50 documents or 5 s"


@pytest.mark.parametrize("is_alive", [True, False])
def test_pauses_of_processes_that_died_are_not_shown(tmp_path: Path, *, is_alive: bool) -> None:
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        owner = library.context.artifacts.owner if is_alive else "0" * 32
        library.context.index.pauses.begin(owner, "disk", value=1e9, resumes_at=6e9, advice="Purge 3 versions")
        shown = [(str(one), one.advice) for one in library.runs.pauses()]
        told = ("the disk has 1.0 GB free; writing resumes at 6.0 GB", "Purge 3 versions")
        assert shown == ([told] if is_alive else [])
