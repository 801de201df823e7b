"""`octavo watch`, as a process on a real folder."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines
from octavo_contracts import ExitCode
from octavo_library import Library
from octavo_sandbox.filesystem.file_walk import is_taken
from pypdf import PdfReader, PdfWriter

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as a POSIX signal")

PATIENCE = 60.0


class Watch:
    """A watching process and what it prints."""

    def __init__(self, folder: Path, *arguments: str, **settings: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
        quick = {"OCTAVO_WATCH__SETTLE_SECONDS": "0.4", "OCTAVO_WATCH__DEBOUNCE_SECONDS": "0.1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "octavo", "watch", "in", "--library", "lib", *arguments],
            cwd=folder,
            env={**kept, **quick, **settings, "XDG_CONFIG_HOME": str(folder / "nobody")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self.process.stderr is not None
        assert b"watching in" in self.process.stderr.readline()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self) -> str:
        """The next line, waited for."""
        return self._lines.get(timeout=PATIENCE).decode().rstrip("\n")

    def told(self) -> str:
        """The next line on stderr, waited for."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().decode().rstrip("\n")

    def silent(self, seconds: float) -> bool:
        """Whether nothing is printed for so long."""
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def end(self) -> tuple[int, str]:
        """Ctrl-C; exit code and what stood on stderr."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        return self.process.returncode, self.process.stderr.read().decode()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watch]]:
    (tmp_path / "in").mkdir()
    started: list[Watch] = []

    def start(*arguments: str, **settings: str) -> Watch:
        started.append(Watch(tmp_path, *arguments, **settings))
        return started[-1]

    yield start
    for one in started:
        with one.process as process:
            process.kill()


def test_files_are_taken_in_as_they_come_a_line_each(watch: Callable[..., Watch], tmp_path: Path):
    folder = tmp_path / "in"
    (folder / "before.md").write_text("# Before\n\nHere already.\n")
    watching = watch("--corpus", "shore")
    assert watching.line().split()[:2] == ["complete", str(folder / "before.md")]
    (folder / "new.md").write_text("# New\n\nJust came.\n")
    assert watching.line().split()[:3] == ["complete", str(folder / "new.md"), "plaintext"]
    (folder / "empty.txt").touch()
    assert watching.line().startswith(f"failed  {folder / 'empty.txt'}  source_empty: ")
    (folder / "copy.md").write_text("# New\n\nJust came.\n")
    assert "already in your system: shore, since 20" in watching.line()
    code, told = watching.end()
    assert code == ExitCode.INTERRUPTED
    assert told == "octavo: 3 complete, 0 degraded, 1 failed; 1 of them already known\n"
    with Library.open(tmp_path / "lib", create=False) as library:
        assert {record.surface for record, _, _ in library.runs.list()} == {"watched_folder"}
        assert {condition for _, condition, _ in library.runs.list()} <= {
            "finished",
            "stopped",
        }  # Ctrl-C came at its end
        assert len(library.documents(corpus="shore")) == 3


def test_a_file_that_is_being_written_is_taken_once_and_whole(watch: Callable[..., Watch], tmp_path: Path):
    path = tmp_path / "in" / "slow.md"
    watching = watch("--jsonl")
    with path.open("w") as stream:
        for number in range(10):
            stream.write(f"Part {number} of the log.\n\n")
            stream.flush()
            time.sleep(0.1)
    done: dict[str, Any] = json.loads(watching.line())
    assert done["result"]["ingestion_status"] == "complete"
    assert watching.silent(1.0)
    code, _ = watching.end()
    assert code == ExitCode.INTERRUPTED
    with Library.open(tmp_path / "lib", create=False) as library:
        (document,) = library.documents()
        assert "Part 9" in document.markdown


def test_downloads_hidden_files_and_left_out_names_wait_or_stay(watch: Callable[..., Watch], tmp_path: Path):
    folder = tmp_path / "in"
    watching = watch("--exclude", "draft*", "--include", "*.md", "--include", "*.part")
    (folder / "page.md.part").write_text("# Page\n\nHalf.\n")
    (folder / ".notes.md").write_text("hidden")
    (folder / "draft one.md").write_text("left out")
    (folder / "table.csv").write_text("a,b\n")
    assert watching.silent(1.5)
    (folder / "page.md.part").rename(folder / "page.md")
    assert watching.line().split()[1] == str(folder / "page.md")
    watching.end()


def test_a_folder_that_is_moved_in_is_taken_with_all_that_is_in_it(watch: Callable[..., Watch], tmp_path: Path):
    moved = tmp_path / "moved"
    (moved / "deep").mkdir(parents=True)
    (moved / "a.md").write_text("# A\n\nOne.\n")
    (moved / "deep" / "b.md").write_text("# B\n\nTwo.\n")
    watching = watch()
    moved.rename(tmp_path / "in" / "moved")
    taken = {watching.line().split()[1] for _ in range(2)}
    assert taken == {str(tmp_path / "in" / "moved" / "a.md"), str(tmp_path / "in" / "moved" / "deep" / "b.md")}
    watching.end()


def test_a_folder_that_goes_away_is_waited_for_and_read_when_it_is_back(watch: Callable[..., Watch], tmp_path: Path):
    """As a disk that is taken out and put in: what was taken in before is left alone, what is new is taken."""
    folder, away = tmp_path / "in", tmp_path / "away"
    (folder / "a.md").write_text("# A\n\nOne.\n")
    watching = watch()
    assert watching.line().split()[1] == str(folder / "a.md")
    folder.rename(away)
    assert watching.told() == "octavo: in is missing; waiting for it to return"
    (away / "b.md").write_text("# B\n\nTwo.\n")
    away.rename(folder)
    assert watching.told() == "octavo: in has returned"
    assert watching.line().split()[1] == str(folder / "b.md")
    (folder / "c.md").write_text("# C\n\nThree.\n")
    assert watching.line().split()[1] == str(folder / "c.md")
    assert watching.silent(1.0)
    watching.end()


@pytest.mark.parametrize("by_link", [False, True])
def test_a_folder_that_is_replaced_is_watched_anew(watch: Callable[..., Watch], tmp_path: Path, by_link: bool):
    """A folder removed and made again in one go, which may have the same inode; or a link that leads elsewhere now."""
    folder = tmp_path / "in"
    if by_link:
        folder.rename(tmp_path / "first")
        (tmp_path / "second").mkdir()
        folder.symlink_to("first")
    watching = watch()
    assert watching.silent(0.5)
    if by_link:
        (tmp_path / "next").symlink_to("second")
        (tmp_path / "next").rename(folder)
    else:
        folder.rmdir()
        folder.mkdir()
    (folder / "a.md").write_text("# A\n\nOne.\n")
    assert watching.line().split()[1] == os.path.realpath(folder / "a.md")
    (folder / "b.md").write_text("# B\n\nTwo.\n")
    assert watching.line().split()[1] == os.path.realpath(folder / "b.md")
    watching.end()


@pytest.mark.skipif(sys.platform != "linux", reason="fills the queue of inotify")
def test_what_is_lost_in_a_flood_of_notices_is_found_by_reading_the_folder(watch: Callable[..., Watch], tmp_path: Path):
    """The watching process is stopped until the system has dropped notices; none of the lost files is left out."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if limit > 200_000:
        pytest.skip("the system keeps too many notices to fill their queue here")
    folder = tmp_path / "in"
    flood = [tmp_path / "in" / f"flood{number}.tmp" for number in (1, 2)]
    for path in flood:
        path.touch()
    watching = watch(OCTAVO_WATCH__RESCAN_SECONDS="1.5")
    assert watching.silent(0.5)
    watching.process.send_signal(signal.SIGSTOP)
    for number in range(limit + 100):
        os.utime(flood[number % 2])
    (folder / "lost.md").write_text("# Lost\n\nAnd found.\n")
    watching.process.send_signal(signal.SIGCONT)
    assert watching.line().split()[:2] == ["complete", str(folder / "lost.md")]
    assert watching.silent(3.5), "what was taken in is not taken again by the next readings"
    watching.end()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["watch", str(tmp_path / "none"), "--library", str(tmp_path / "lib")]) == ExitCode.USAGE
    assert "there is no folder" in capsys.readouterr().err
    assert not (tmp_path / "lib").exists()


def test_a_library_is_not_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    Library.open(tmp_path / "lib").close()
    assert main(["watch", str(tmp_path / "lib"), "--library", str(tmp_path / "other")]) == ExitCode.USAGE
    assert "is an Octavo library" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_what_a_walk_leaves_out_is_left_out_when_it_changes(tmp_path: Path):
    root = tmp_path / "in"
    for name in ("a.md", "lib/index.sqlite", ".git/config", "out/b.md", "sub/c.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "far.md").touch()
    (root / "far.md").symlink_to(tmp_path / "far.md")
    (root / "near.md").symlink_to(root / "a.md")
    (root / "linked").symlink_to(root / "sub")
    (root / "odd").symlink_to(tmp_path)

    def taken(name: str) -> bool:
        library = str(root / "lib")
        return is_taken(str(root / name), str(root), include=["*.md", "*.sqlite"], exclude=["out"], library=library)

    names = ("a.md", "lib", "lib/index.sqlite", ".git/config", "out/b.md", "sub", "sub/c.md", "far.md", "near.md")
    assert {name for name in names if taken(name)} == {"a.md", "sub", "sub/c.md", "near.md"}
    assert not taken("linked")
    assert not taken("linked/c.md")
    assert not taken("../far.md")
    assert is_taken(str(root), str(root))


REPORT = [
    "The storm of November raised the highest surge since",
    "the gauge was first read, and one gauge stood still.",
]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workers", "1"), "complete"),
        (("--with", "pypdf"), "pypdf"),
        (("--profile", "other.toml"), "pypdf"),
        (("--timeout", "0.001"), "conversion_timeout"),
    ],
)
def test_options_of_the_conversion_hold_for_each_file(
    watch: Callable[..., Watch], tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    (tmp_path / "other.toml").write_text('name = "other"\n[routes]\ntext_native_pdf = ["pypdf"]\n')
    (tmp_path / "in" / "report.pdf").write_bytes(PdfFile([PdfPage(show_lines(REPORT))]).to_bytes())

    assert said in watch(*options).line()


def test_a_password_opens_encrypted_files(watch: Callable[..., Watch], tmp_path: Path) -> None:
    plain = tmp_path / "plain.pdf"
    plain.write_bytes(PdfFile([PdfPage(show_lines(REPORT))]).to_bytes())
    writer = PdfWriter(clone_from=PdfReader(plain))
    writer.encrypt("tide", algorithm="RC4-128")
    writer.write(tmp_path / "in" / "locked.pdf")

    assert watch("--password", "tide").line().split()[0] == "complete"
