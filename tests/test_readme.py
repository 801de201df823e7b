"""The README: its code runs, its links lead somewhere, its first two commands are one line each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from octavo_contracts import IngestionResult

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.+?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder is one that holds the samples where a checkout has them."""
    shutil.copytree(ROOT / "docs" / "samples", tmp_path / "docs" / "samples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_first_python_block_converts_a_sample(checkout: Path) -> None:
    names: dict[str, object] = {}

    exec(compile(blocks("python")[0], "README.md", "exec"), names)

    result: IngestionResult = names["result"]  # type: ignore[assignment]  # the block made it
    assert result.ingestion_status == "complete"
    assert "tables_lost" not in {finding.flag for finding in result.quality_report.findings}


def test_the_library_block_ingests_samples_and_converts_one_again(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {}

    exec(compile(blocks("python")[1], "README.md", "exec"), names)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3, lines
    assert [line.split()[-1] for line in lines[:2]] == ["complete", "complete"], lines
    assert lines[2].startswith("Brannoch Head")
    assert (checkout / "octavo-library" / "index.sqlite").is_file()


def test_the_first_commands_run(checkout: Path) -> None:
    """A newcomer types them first."""
    (block,) = blocks("console")
    commands = [line.removeprefix("$ ") for line in block.splitlines()]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = [
        subprocess.run(
            ["bash", "-c", command], cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        for command in commands
    ]

    assert [one.returncode for one in done] == [0, 0, 0], [one.stderr for one in done]
    assert (checkout / "report.md").read_text(encoding="utf-8").startswith("# Brannoch Head")
    assert (checkout / "out" / "field-notes.txt").is_file()
    assert done[2].stdout.startswith('{"source": "docs/samples/field-notes.md"')


def test_every_python_block_is_run_by_a_test() -> None:
    assert len(blocks("python")) == 2


def test_the_first_two_shell_blocks_are_one_line_each() -> None:
    """The gate takes the main job and the tests from here."""
    run, test = blocks("sh")[:2]

    assert run.count("\n") == test.count("\n") == 1
    assert "octavo ingest docs/samples" in run
    assert "install -q" not in run, "minutes of silence look like a fault"
    assert "pytest" in test


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", TEXT)

    for link in links:
        assert "://" in link or (ROOT / link.partition("#")[0]).exists(), link
    assert len(links) >= 5
