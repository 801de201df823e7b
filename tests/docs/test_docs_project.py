"""Whoever follows "Begin a plugin", and nothing else, has a plugin that is installed, converts and is tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from docs_runner import PageRun

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "begin-a-plugin.md"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def followed(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> PageRun:
    """The page, followed from its first block to its last."""
    run = PageRun(
        PAGE,
        tmp_path_factory.mktemp("octavo"),
        programs=environment / "bin",
        # Loading the heavy engines would take most of the time and show nothing about this one.
        environment={"OCTAVO_PLUGINS": "gauges,plaintext"},
    )
    run.run()
    return run


def test_the_page_shows_what_happens(followed: PageRun) -> None:
    (gauges,) = [
        plugin
        for plugin in json.loads(followed.shell("octavo plugins --json"))["plugins"]
        if plugin["name"] == "gauges"
    ]
    assert (gauges["distribution"], gauges["loads"], gauges["hooks"]) == ("octavo-gauges", True, ["convert"])


def test_its_table_has_every_kind_of_project() -> None:
    from octavo_conformance.project.kinds import KINDS

    rows = [
        line.split("|")[1].strip(" `") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"
    ]
    assert tuple(rows[1:]) == KINDS
