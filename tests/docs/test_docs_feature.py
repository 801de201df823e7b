"""Whoever follows "Write a feature", and nothing else, has a command of their own over a library."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from docs_runner import PageRun

PAGE = "how-to/write-a-feature.md"
pytestmark = pytest.mark.slow


def test_the_page_shows_what_happens(environment: Path, docs: Path, tmp_path: Path) -> None:
    """The project that `octavo plugin new` writes is installed, and its command works on a library."""
    shutil.copytree(docs / "samples", tmp_path / "docs" / "samples")
    run = PageRun(docs / PAGE, tmp_path, programs=environment / "bin", environment={"OCTAVO_PLUGINS": "plaintext"})
    run.run()

    assert "tally" in run.shell("octavo --help")
