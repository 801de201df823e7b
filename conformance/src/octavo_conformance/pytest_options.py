"""The options of `pytest --pyargs octavo_conformance.suite`. Every pytest run loads it, so it imports nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("octavo conformance")
    group.addoption("--octavo-plugin", metavar="NAME", help="the plugin to test with octavo_conformance.suite")
    group.addoption("--octavo-level", type=int, default=2, metavar="N", help="run checks up to this level, 0 to 3")
    group.addoption("--octavo-seed", type=int, metavar="N", help="seed of the fresh documents, as a report names it")
    group.addoption(
        "--octavo-vectors", default="", metavar="FAMILIES", help="use vectors of these families only: pdf,docx"
    )
