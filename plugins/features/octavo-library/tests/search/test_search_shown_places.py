"""A hit of the command line is opened by its locator (QRY-3, R-2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from octavo_cli import main


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.md").write_text("# Log\n\nThe keeper lit the lamp at dusk.\n\nThe tide was late.\n")
    assert main(["ingest", "log.md", "-q", "--library", "library"]) == 0
    capsys.readouterr()
    return ["--library", "library"]


def test_a_place_that_was_found_is_shown(where: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "lamp", "--json", *where]) == 0
    (hit,) = json.loads(capsys.readouterr().out)["hits"]
    assert main(["show", "log.md", "--at", hit["locator"], *where]) == 0
    assert capsys.readouterr().out.strip() == hit["snippet"].strip()
    assert main(["show", "log.md", "--at", hit["locator"], "--json", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["at"]["text"] == hit["snippet"]
    assert told["at"]["locator"] == hit["locator"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--at", "somewhere"], "somewhere"),
        (["--at", "char:0-9999"], "ends past"),
        (["--at", "char:0-3", "--page", "1"], "one place alone"),
    ],
)
def test_what_is_no_place_of_the_text_is_refused(
    given: list[str], says: str, where: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "log.md", *given, *where]) == 2
    assert says in capsys.readouterr().err
