"""Whoever follows "Add a format", and nothing else, has files of the format converted."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_runner import PageRun

PAGE = "how-to/add-a-format.md"
pytestmark = pytest.mark.slow


def test_the_page_shows_what_happens(environment: Path, docs: Path, tmp_path: Path) -> None:
    """CLS-8."""
    PageRun(docs / PAGE, tmp_path, programs=environment / "bin", environment={"OCTAVO_PLUGINS": "kml,plaintext"}).run()
