"""What tests across distributions share: the corpus, where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real documents; the test is skipped where it is not there."""
    for candidate in (os.environ.get("OCTAVO_CORPUS"), ROOT.parent / "shared" / "corpus" / "dev"):
        if candidate and (Path(candidate) / "manifest.json").is_file():
            return Path(candidate)
    pytest.skip("the corpus is not here: set OCTAVO_CORPUS, or lay it beside the checkout")
