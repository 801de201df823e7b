"""Executors of `octavo ingest`: found by entry point, with options of their own, and harmless where they are broken."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import ExitCode

REVERSED = """
from contextlib import contextmanager
import click

class Reversed:
    options = (click.Option(["--reversed-times"], type=int, default=1),)

    @contextmanager
    def open(self, library, values):
        self.times = values["reversed_times"]
        yield self

    def ingest(self, library, sources, request):
        print(f"{self.times} times, {request.workers} workers, {request.paths[0]}")
        return library.ingest_many(sorted(sources, reverse=True), options=request.options, named=request.paths)

EXECUTOR = Reversed()
"""

Octavo = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def octavo(tmp_path: Path) -> Octavo:
    """Runs `octavo` as a process that has the distributions in the folder `site`."""
    (tmp_path / "note.md").write_text("# Tides\n\nHigh water at noon.\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "import sys; from octavo_cli import main; sys.exit(main())", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "COLUMNS": "200"}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)

    return run


def install(site: Path, name: str, code: str, *, executor: str = "reversed") -> None:
    """Install a distribution with an executor."""
    package = f"{name}_executor"
    (site / package).mkdir(parents=True)
    (site / package / "__init__.py").write_text(code)
    info = site / f"{package}-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-executor\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[octavo.executors]\n{executor} = {package}:EXECUTOR\n")


def test_an_executor_gets_its_own_options_and_converts(octavo: Octavo, tmp_path: Path) -> None:
    install(tmp_path / "site", "reversed", REVERSED)
    ended = octavo("ingest", "note.md", "--executor=reversed", "--reversed-times", "3", "--workers", "2")
    assert ended.returncode == ExitCode.OK, ended.stderr
    assert ended.stdout.startswith("3 times, 2 workers, note.md\n")
    assert "1 documents in" in ended.stdout or "1 document in" in ended.stdout
    refused = octavo("ingest", "note.md", "--reversed-times", "3")
    assert refused.returncode == ExitCode.USAGE
    assert refused.stderr.startswith("octavo: --reversed-times needs --executor reversed [usage]")


def test_a_broken_executor_is_reported_where_it_is_used_and_nowhere_else(octavo: Octavo, tmp_path: Path) -> None:
    install(tmp_path / "site", "reversed", REVERSED)
    install(tmp_path / "site", "broken", "raise RuntimeError('torn')", executor="broken")
    ended = octavo("ingest", "note.md", "--executor", "broken", "--broken-times", "3")
    assert ended.returncode == ExitCode.TOOL_UNAVAILABLE
    assert "the executor 'broken' cannot be imported: RuntimeError: torn [tool_unavailable]" in ended.stderr
    assert "Report it to the author of broken-executor, or uninstall it" in ended.stderr
    told = octavo("ingest", "--help")
    assert told.returncode == ExitCode.OK
    assert "--reversed-times" in told.stdout
    assert octavo("ingest", "note.md").returncode == ExitCode.OK


def test_a_name_that_two_distributions_claim_is_an_error(octavo: Octavo, tmp_path: Path) -> None:
    install(tmp_path / "site", "first", REVERSED)
    install(tmp_path / "site", "second", REVERSED)
    ended = octavo("ingest", "note.md", "--executor", "reversed")
    assert ended.returncode == ExitCode.TOOL_UNAVAILABLE
    assert "the executor 'reversed' is claimed by first-executor and second-executor" in ended.stderr
