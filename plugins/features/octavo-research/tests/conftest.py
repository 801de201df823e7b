"""What the tests of research share: a library with the samples, made once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo_library import Library

ROOT = Path(__file__).parents[4]
SAMPLES = ("annual-report.pdf", "field-notes.md", "harbour-seals.html", "storm-warning.eml", "visitors-book.txt")


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, sampling=False)) as made:
        yield made


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, runtime: Runtime) -> Path:
    """The folder of a library with samples."""
    root = tmp_path_factory.mktemp("research") / "library"
    with Library.open(root, runtime=runtime) as library:
        for name in SAMPLES:
            library.ingest(ROOT / "docs" / "samples" / name)
    return root


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(filled, tmp_path / "library")
    return tmp_path / "library"


@pytest.fixture
def library(folder: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(folder, create=False, runtime=runtime) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    """An empty library, on each kind of database."""
    url = None
    if request.param == "postgresql":
        url = request.getfixturevalue("empty_server")
    with Library.open(tmp_path / "fresh", runtime=runtime, index=url) as opened:
        yield opened
