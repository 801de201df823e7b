"""Files of JSON lines: whole lines from many writers, put aside by size."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from octavo_library.observability import JsonLines


def rows(folder: Path) -> list[dict]:
    """Every row of a log, the oldest first: `log.2.jsonl`, `log.1.jsonl`, `log.jsonl`."""
    files = sorted(
        folder.glob("log.*jsonl"),
        key=lambda path: -int((path.suffixes[0].strip(".").isdecimal() and path.suffixes[0].strip(".")) or 0),
    )
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines()]


def test_a_file_is_made_at_the_first_line_and_is_private(tmp_path: Path):
    lines = JsonLines(tmp_path / "logs" / "log.jsonl", max_bytes=4096, keep=1)
    assert not (tmp_path / "logs").exists()
    lines.append({"what": "tide", "name": "Flut 潮"})
    lines.close()
    path = tmp_path / "logs" / "log.jsonl"
    assert path.read_bytes() == b'{"what":"tide","name":"Flut \\u6f6e"}\n'
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(0, 300), max_size=30), keep=st.integers(0, 3))
def test_files_stay_below_the_limit_and_the_newest_lines_are_kept_in_order(tmp_path_factory, sizes, keep):
    folder = tmp_path_factory.mktemp("logs")
    lines = JsonLines(folder / "log.jsonl", max_bytes=400, keep=keep)
    for number, size in enumerate(sizes):
        lines.append({"n": number, "fill": "x" * size})
    lines.close()
    files = list(folder.glob("log*.jsonl"))
    assert len(files) <= keep + 1
    assert all(path.stat().st_size <= 400 for path in files)
    kept = [row["n"] for row in rows(folder)]
    assert kept == list(range(len(sizes)))[len(sizes) - len(kept) :]
    assert not sizes or kept


def test_a_line_larger_than_the_limit_is_still_written(tmp_path: Path):
    lines = JsonLines(tmp_path / "log.jsonl", max_bytes=100, keep=2)
    lines.append({"n": 0})
    lines.append({"n": 1, "fill": "x" * 200})
    lines.append({"n": 2})
    lines.close()
    assert [row["n"] for row in rows(tmp_path)] == [0, 1, 2]


def test_lines_of_many_threads_are_whole(tmp_path: Path):
    lines = JsonLines(tmp_path / "log.jsonl", max_bytes=10_000, keep=50)
    threads = [
        threading.Thread(target=lambda who=who: [lines.append({"who": who, "n": n}) for n in range(200)])
        for who in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines.close()
    found = rows(tmp_path)
    for who in range(4):
        assert [row["n"] for row in found if row["who"] == who] == list(range(200))


def _write(path: str, who: int) -> None:
    lines = JsonLines(Path(path), max_bytes=3000, keep=100)
    for number in range(300):
        lines.append({"who": who, "n": number})
    lines.close()


def test_lines_of_two_processes_are_whole_and_none_is_lost_when_files_are_put_aside(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(str(tmp_path / "log.jsonl"), who)) for who in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    found = rows(tmp_path)
    for who in range(2):
        assert sorted(row["n"] for row in found if row["who"] == who) == list(range(300))


def test_a_file_that_somebody_moved_away_is_begun_anew(tmp_path: Path):
    lines = JsonLines(tmp_path / "log.jsonl", max_bytes=4096, keep=1)
    lines.append({"n": 0})
    (tmp_path / "log.jsonl").rename(tmp_path / "taken.jsonl")
    lines.append({"n": 1})
    lines.close()
    assert [row["n"] for row in rows(tmp_path)] == [1]


def test_a_folder_that_can_not_be_made_is_an_error_of_the_system(tmp_path: Path):
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(OSError, match="logs"):
        JsonLines(tmp_path / "logs" / "log.jsonl", max_bytes=4096, keep=1).append({})


@pytest.mark.parametrize("name", ["log.1.jsonl", "log.2.jsonl"])
@pytest.mark.parametrize("content", [b"words of somebody", b"", b"[1]\n"])
def test_a_file_of_somebodys_with_such_a_name_is_neither_moved_nor_replaced(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    lines = JsonLines(tmp_path / "log.jsonl", max_bytes=100, keep=2)
    for number in range(20):
        lines.append({"n": number, "fill": "x" * 40})
    lines.close()
    assert (tmp_path / name).read_bytes() == content
    written = [json.loads(line)["n"] for line in (tmp_path / "log.jsonl").read_bytes().splitlines()]
    assert written == list(range(20))


@pytest.mark.skipif(
    sys.platform == "win32", reason="links want rights of their own there, and pipes have no such names"
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_no_line_is_written_through_a_link_or_into_a_pipe(tmp_path: Path, kind: str):
    (tmp_path / "diary").write_text("mine")
    if kind == "link":
        (tmp_path / "log.jsonl").symlink_to(tmp_path / "diary")
    else:
        os.mkfifo(tmp_path / "log.jsonl")
    with pytest.raises(OSError, match=r"log\.jsonl"):
        JsonLines(tmp_path / "log.jsonl", max_bytes=100, keep=2).append({"n": 0})
    assert (tmp_path / "diary").read_text() == "mine"
