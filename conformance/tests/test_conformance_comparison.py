"""`octavo conformance run --against`: what got better and worse since the last release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from octavo_conformance.cli import command
from octavo_conformance.comparison import compare
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, install, reference_text
from octavo_conformance.report import Report

GOOD = reference_text("sheaf")
LOSSY = GOOD.code.replace("return list(range(1, count + 1))", "return [n for n in range(1, count + 1) if n != 2]")
PAGES = "OC-PAGE-001 on sheaf/record.sheaf"


def run(*arguments: str) -> Result:
    """Run `octavo conformance`."""
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sites of a good and of a lossy release of a plugin, and their saved reports at level 1."""
    folder = tmp_path_factory.mktemp("releases")
    install(folder / "good", "mine", GOOD)
    install(folder / "lossy", "mine", PluginText(code=LOSSY, manifest=GOOD.manifest))
    (folder / "conformance-reports").mkdir()
    for release, version in (("good", "1.0"), ("lossy", "1.1")):
        with importable(folder / release):
            run("run", "mine", "--level", "1", "--save", str(folder / "conformance-reports" / f"{version}.json"))
    return folder


@pytest.fixture
def here(reports: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, as the current one."""
    monkeypatch.chdir(reports)
    return reports


def test_a_release_that_loses_pages_is_worse(here: Path) -> None:
    with importable(here / "lossy"):
        told = run("run", "mine", "--level", "1", "--against", "1.0")
    assert told.exit_code == 3
    assert "compared with 1.0: 0 better" in told.stdout
    assert f"  worse   {PAGES}: passed before, failed now" in told.stdout
    assert "  worse   level 1 was reached before, level 0 now" in told.stdout


def test_known_failures_do_not_hide_what_got_worse(here: Path, tmp_path: Path) -> None:
    """A run in which all is as expected still ends with the exit code of worse figures."""
    failed = {entry["check"] for entry in _saved(here, "1.1")["outcomes"] if entry["status"] == "failed"}
    known = "".join(f'[[expected]]\ncheck = "{one}"\nreason = "lost since the new engine"\n' for one in sorted(failed))
    (tmp_path / "known.toml").write_text(f'plugin = "mine"\n{known}', encoding="utf-8")
    words = ("run", "mine", "--level", "1", "--expectations", str(tmp_path / "known.toml"), "--json")
    with importable(here / "lossy"):
        alone = run(*words)
        told = run(*words, "--against", "conformance-reports/1.0.json")
    assert alone.exit_code == 0
    assert told.exit_code == 3
    report = json.loads(told.stdout)
    assert report["ok"] is True
    assert any(text.startswith(f"{PAGES}: passed before, xfail now") for text in report["comparison"]["worse"])


def test_a_release_that_repairs_is_better(here: Path) -> None:
    with importable(here / "good"):
        told = run("run", "mine", "--level", "1", "--against", "1.1")
    assert told.exit_code == 0, told.output
    assert f"  better  {PAGES}: failed before, passed now" in told.stdout
    assert "0 worse" in told.stdout


def test_a_run_of_one_check_is_compared_by_that_check_alone(here: Path) -> None:
    with importable(here / "lossy"):
        told = run("run", "mine", "--check", "OC-LOAD-001", "--against", "1.0")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[-1] == "compared with 1.0: 0 better, 0 worse"


def test_a_support_matrix_has_the_figures_too(here: Path, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(json.dumps(_saved(here, "1.0")), encoding="utf-8")
    matrix = tmp_path / "matrix.json"
    matrix.write_text(run("matrix", str(tmp_path / "report.json"), "--json").stdout, encoding="utf-8")
    with importable(here / "lossy"):
        told = run("run", "mine", "--level", "1", "--against", str(matrix))
        other = run("run", "mine", "--level", "2", "--against", str(matrix))
    assert told.exit_code == 3
    assert "  worse   sheaf: " in told.stdout
    assert other.exit_code == 2
    assert "a whole run at level 1" in other.output


def test_a_vector_that_takes_much_longer_is_worse(here: Path) -> None:
    before = _saved(here, "1.0")
    now = json.loads(json.dumps(before))
    slow = next(entry for entry in now["outcomes"] if entry["vector"] == "sheaf/record.sheaf")
    slow["seconds"] += 100
    (text,) = compare(Report.read(before), Report.read(now)).worse
    assert text.startswith("sheaf/record.sheaf: ")
    assert compare(Report.read(now), Report.read(before)).better[0].startswith("sheaf/record.sheaf: ")
    slow["seconds"] = 0.0
    assert compare(Report.read(before), Report.read(now)).worse == ()


def test_a_check_that_is_no_longer_run_is_worse(here: Path) -> None:
    """Taking a media type out of the manifest silences its checks; the comparison does not."""
    before = _saved(here, "1.0")
    now = json.loads(json.dumps(before))
    gone = next(one for one in now["outcomes"] if one["check"] == "OC-PAGE-001" and one["status"] == "passed")
    now["outcomes"].remove(gone)
    (text,) = compare(Report.read(before), Report.read(now)).worse
    assert text == f"OC-PAGE-001 on {gone['vector']}: passed before, absent now"


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ("0.9", "neither 0.9 nor conformance-reports/0.9.json is a file"),
        ("other.json", "has figures of other, not of mine"),
        ("odd.json", "is neither a report nor a support matrix"),
        ("torn.json", "cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_the_run(here: Path, against: str, words: str) -> None:
    (here / "other.json").write_text(json.dumps({**_saved(here, "1.0"), "plugin": "other"}), encoding="utf-8")
    (here / "odd.json").write_text('{"supports": [{"plugin": "mine"}]}', encoding="utf-8")
    (here / "torn.json").write_text('{"plugin": ', encoding="utf-8")
    told = run("run", "mine", "--against", against)
    assert told.exit_code == 2
    assert words in told.output


def test_a_file_that_is_no_report_is_kept(here: Path) -> None:
    (here / "notes.json").write_text("{}", encoding="utf-8")
    told = run("run", "mine", "--save", "notes.json")
    assert told.exit_code == 2
    assert (here / "notes.json").read_text(encoding="utf-8") == "{}"


def _saved(folder: Path, version: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "conformance-reports" / f"{version}.json").read_text(encoding="utf-8"))
    return data
