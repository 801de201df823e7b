"""A new project works as it is written: installed, it loads, passes its own tests and the suite, and mypy finds nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_conformance.project.kinds import KINDS
from octavo_conformance.project.new_project import NewProject, write_project
from octavo_contracts import UsageError


def installed(root: Path, site: Path) -> Path:
    """Install a project into a folder, as pip does with a wheel of it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(root / "src", site)
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")
    return site


def run(*command: str, site: Path, root: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "MYPYPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_project_passes_its_tests(kind: str, tmp_path: Path) -> None:
    write_project(NewProject(name="my-first", kind=kind), tmp_path)
    root = tmp_path / "octavo-my-first"
    site = installed(root, tmp_path / "site")

    tested = run("pytest", "-q", "-p", "no:cacheprovider", site=site, root=root)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert " passed" in tested.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_mypy_finds_nothing_in_a_new_project(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: it is in the extra `dev`")
    write_project(NewProject(name="my-first", kind=kind), tmp_path)
    root = tmp_path / "octavo-my-first"
    typed = run("mypy", "--no-incremental", site=installed(root, tmp_path / "site"), root=root)
    assert typed.returncode == 0, typed.stdout + typed.stderr


def test_a_converter_reads_the_files_that_it_was_made_for(tmp_path: Path) -> None:
    write_project(NewProject(name="gauges", kind="convert", media_type="text/x-gauge", extension=".GAUGE"), tmp_path)
    root = tmp_path / "octavo-gauges"
    site = installed(root, tmp_path / "site")
    (tmp_path / "levels.gauge").write_text("Spring *tide*\fNeap tide", encoding="utf-8")

    done = run("octavo", "convert", "--json", "levels.gauge", site=site, root=tmp_path)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["result"]["quality_report"]["selected_tool"] == "gauges"
    assert "Spring \\*tide\\*" in told["markdown"]
    assert len(told["result"]["page_anchor_map"]) == 2


@pytest.mark.parametrize(
    ("project", "problem"),
    [
        (NewProject(name="My Format", kind="convert"), "not a plugin name"),
        (NewProject(name="mine", kind="translate"), "unknown kind"),
        (NewProject(name="mine", kind="ocr", media_type="image/png"), "reads no files"),
        (NewProject(name="mine", kind="convert", media_type='text/"x'), "is not a media type"),
        (NewProject(name="mine", kind="convert", extension=".a\nb"), "is not an extension"),
    ],
)
def test_what_makes_no_project_is_refused(project: NewProject, problem: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=problem):
        write_project(project, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_it_wrote_and_never_writes_over_a_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plugin", "new", "mine", "--hook", "convert", "--folder", str(tmp_path), "--json"]
    assert main(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(tmp_path / "octavo-mine")
    written = [path for path in (tmp_path / "octavo-mine").rglob("*") if path.is_file()]
    assert sorted(told["files"]) == sorted(path.relative_to(tmp_path / "octavo-mine").as_posix() for path in written)

    assert main(arguments) == 2
    assert "exists" in capsys.readouterr().err
