"""Commands that are printed for the user to run next work as printed, with the library and its index (UI-4)."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from octavo_cli import main
from sqlalchemy import make_url

SAMPLE = Path(__file__).resolve().parents[5] / "docs" / "samples" / "field-notes.md"


@pytest.fixture
def place(url: str, index_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLE, tmp_path / "paper.md")
    return ["--library", url, "--index", index_url]


def printed(out: str) -> str:
    return next(line for line in out.splitlines() if line.startswith("Next: ")).removeprefix("Next: ")


def test_an_index_of_an_option_is_part_of_the_printed_command(
    place: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ingest", "paper.md", *place]) == 0
    words = shlex.split(printed(capsys.readouterr().out))
    assert words[-4:] == place
    assert main(words[1:]) == 0


def test_a_password_of_the_index_is_not_printed(place: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The command names the variable that keeps it out of the list of processes."""
    secret = make_url(place[3]).set(password="hush").render_as_string(hide_password=False)
    assert main(["ingest", "paper.md", *place[:3], secret]) == 0
    told = capsys.readouterr()
    assert printed(told.out).endswith(f'--library {place[1]} --index "$OCTAVO_INDEX"')
    assert "hush" not in told.out + told.err


def test_an_index_of_the_environment_needs_no_option(
    place: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_INDEX", place[3])
    assert main(["ingest", "paper.md", *place[:2]]) == 0
    assert "--index" not in printed(capsys.readouterr().out)
