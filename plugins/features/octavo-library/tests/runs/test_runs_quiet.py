"""`octavo ingest -q` says only what failed, and what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a text, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "tides.md").write_text("# Tides\n\nHigh at noon.\n", encoding="utf-8")
    return papers


def test_nothing_is_said_of_what_went_well(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", "papers", "-q", "--library", "library"]) == 0
    assert tuple(capfd.readouterr()) == ("", "")


def test_what_failed_is_said_with_its_remedy(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 cut")
    assert main(["ingest", "papers", "-q", "--library", "library"]) == 3
    out, _ = capfd.readouterr()
    first, *names = out.splitlines()
    assert first.startswith("1 failed [source_corrupt]: ")
    assert names == ["  papers/broken.pdf"]
