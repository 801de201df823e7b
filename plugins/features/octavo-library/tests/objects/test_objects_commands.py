"""The commands of the queue against a library in an object store with its index on PostgreSQL, as an operator types them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from octavo_contracts import ExitCode

CALL = "import sys; from octavo_cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def octavo(url: str, index_url: str, tmp_path: Path) -> Command:
    """Runs a command in a process of its own, with the library in the environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    library = {
        "OCTAVO_LIBRARY": url,
        "OCTAVO_INDEX": index_url,
        "OCTAVO_OBJECTS__WORKSPACE": str(tmp_path / "workspace"),
        "XDG_CONFIG_HOME": str(tmp_path / "nobody"),
    }

    def run(*arguments: str, **settings: str) -> Ended:
        command = [sys.executable, "-c", CALL, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=kept | library | settings, capture_output=True, text=True, check=False
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(2):
        (folder / f"paper-{number}.md").write_text(f"# Paper {number}\n\nWhat paper {number} says about seals.\n")
    return folder


def test_a_worker_without_the_folder_says_so_and_loses_nothing(octavo: Command, papers: Path, tmp_path: Path) -> None:
    submitted = octavo("submit", "papers")
    assert (submitted.code, submitted.out) == (ExitCode.OK, "2 queued, 0 known\n")
    assert "OCTAVO_OBJECTS__ORIGINALS=stored" in submitted.err
    papers.rename(tmp_path / "away")
    without = octavo("worker", "--until-empty")
    assert (without.code, without.out) == (
        ExitCode.HARD_FAILURES,
        "0 ended, 0 of them failed; 0 returned, 2 left, 0 taken over\n",
    )
    for number in range(2):
        assert f"papers/paper-{number}.md stays in the queue for another worker" in without.err
    (tmp_path / "away").rename(papers)
    assert octavo("worker", "--until-empty").code == ExitCode.OK
    assert octavo("submit", "papers").out == "0 queued, 2 known\n"


def test_the_exit_code_tells_of_failed_documents(octavo: Command, papers: Path) -> None:
    (papers / "empty.txt").touch()
    submitted = octavo("submit", "papers", OCTAVO_OBJECTS__ORIGINALS="stored")
    assert (submitted.code, submitted.err) == (ExitCode.OK, "")
    done = octavo("worker", "--until-empty")
    assert (done.code, done.out) == (
        ExitCode.HARD_FAILURES,
        "3 ended, 1 of them failed; 0 returned, 0 left, 0 taken over\n",
    )
