"""Whoever follows "Write a classifier or a scorer", and nothing else, has verdicts that are in force."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_runner import PageRun

PAGE = "how-to/write-a-classifier-or-scorer.md"
pytestmark = pytest.mark.slow


def test_the_page_shows_what_happens(environment: Path, docs: Path, tmp_path: Path) -> None:
    PageRun(
        docs / PAGE,
        tmp_path,
        programs=environment / "bin",
        environment={"OCTAVO_PLUGINS": "docket,plaintext,markitdown"},
    ).run()
