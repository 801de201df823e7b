"""Commands that read a file by name end, whatever the name leads to (SECURITY.md, the promise)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from octavo_cli.toolkit import input_file

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "samples" / "field-notes.md"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has neither devices nor named pipes in folders")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize("command", [["verify", "/dev/zero"], ["extract", str(SAMPLE), "--schema", "/dev/zero"]])
def test_a_device_is_refused(octavo: Any, command: list[str]) -> None:
    """`octavo verify /dev/zero` read until the memory was full."""
    assert octavo("ingest", str(SAMPLE)).code == 0
    ended = octavo(*command)
    assert ended.code == 2
    assert "neither a file nor a pipe" in ended.stderr


def test_a_pipe_that_brings_nothing_ends(octavo: Any, pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_file, "_PATIENCE", 0.5)
    assert octavo("ingest", str(SAMPLE)).code == 0
    for command in (["verify", str(pipe)], ["extract", str(SAMPLE), "--schema", str(pipe)]):
        ended = octavo(*command)
        assert ended.code != 0
        assert "the pipe brought no data" in ended.stderr


def test_a_pipe_that_brings_something_late_is_read(octavo: Any, pipe: Path) -> None:
    """As of `octavo verify <(…)`."""

    def write() -> None:
        with pipe.open("w") as stream:
            json.dump({"no": "digest"}, stream)

    writer = threading.Timer(0.5, write)
    writer.start()
    ended = octavo("verify", str(pipe))
    writer.join()
    assert ended.code == 2
    assert "the file is neither a digest nor a research report" in ended.stderr


def test_what_is_too_large_is_refused_without_being_read_whole(octavo: Any, tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    huge.touch()
    os.truncate(huge, input_file.MAX_BYTES + 1)
    assert "is larger than" in octavo("verify", str(huge)).stderr
    command = [sys.executable, "-m", "octavo", "verify", "-"]
    with open("/dev/zero", "rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "is larger than" in done.stderr
