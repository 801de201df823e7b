"""What the tests of the documentation share: its folder, and a place that looks like a checkout."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

# The modules beside this file are scripts of the repository, not of a package: `python tests/docs/reference.py`.
sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def docs() -> Path:
    """The folder of the documentation's sources."""
    return ROOT / "docs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """An empty folder that holds the samples where a checkout has them, and nothing else."""
    place = tmp_path / "octavo"
    shutil.copytree(ROOT / "docs" / "samples", place / "docs" / "samples")
    return place
