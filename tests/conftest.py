"""What tests across distributions share: where the corpus is, and the order in which files of tests are begun."""

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


def pytest_configure(config: pytest.Config) -> None:
    """Have files sent out in their order: pytest-xdist would begin with those of the most tests, not the slowest."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files keep their order otherwise, and tests theirs within a file."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
