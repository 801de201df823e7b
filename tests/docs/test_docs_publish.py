"""Whoever follows "Publish your converter", from an empty folder with nothing but the suite installed, has a badge."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import wheelhouse
from docs_runner import PageRun, blocks_of
from octavo_conformance.report import report_schema
from octavo_conformance.schemas import first_violation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "publish-a-converter.md"
OURS = ("contracts", "sandbox", "text", "core", "cli", "conformance")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment to which `pip install octavo-conformance` brings the wheels of this checkout."""
    pytest.importorskip("hatchling", reason="the wheels are built with hatchling: it is in the extra `test`")
    place = tmp_path_factory.mktemp("publish")
    wheelhouse.build_wheels(OURS, into=place / "wheels")
    requires = [*wheelhouse.requirements_of("octavo-conformance"), "hatchling", "editables"]
    return wheelhouse.make_environment(place / "environment", wheels=place / "wheels", requires=requires)


@pytest.fixture(scope="module")
def followed(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> PageRun:
    """The page, followed from its first block to its last."""
    run = PageRun(PAGE, tmp_path_factory.mktemp("empty"), programs=programs)
    run.run()
    return run


def test_nothing_else_of_octavo_is_installed(followed: PageRun, programs: Path) -> None:
    """The core and the contracts came with the suite, from their wheels; no engine of this repository is there."""
    ask = (
        "import importlib.metadata as m, json, octavo; "
        "print(json.dumps([sorted({d.name for d in m.distributions() if d.name.startswith('octavo')}), octavo.__file__]))"
    )
    done = subprocess.run([programs / "python", "-c", ask], capture_output=True, text=True, check=True)

    names, origin = json.loads(done.stdout)

    assert names == [
        "octavo",
        "octavo-cli",
        "octavo-conformance",
        "octavo-contracts",
        "octavo-rows",
        "octavo-sandbox",
        "octavo-text",
    ]
    assert Path(origin).is_relative_to(programs.parent)


def test_the_report_fits_its_schema_and_the_badge_is_of_level_1(followed: PageRun) -> None:
    report = json.loads((followed.folder / "report" / "report.json").read_text(encoding="utf-8"))

    assert first_violation(report, report_schema()) is None
    assert (report["ok"], report["level"], report["totals"]["failed"]) == (True, 1, 0)
    passed = report["totals"]["passed"]
    assert report["badge"] == f"octavo 1.0 L1 csv {passed}/{passed}"


def test_the_plugin_has_thirty_lines() -> None:
    """As the page promises."""
    first, final = [block.body for block in blocks_of(PAGE) if (block.title or "").endswith("plugin.py")]

    assert len(first.splitlines()) < len(final.splitlines()) <= 30
