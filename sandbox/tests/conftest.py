"""Pools of real workers that can import `sandbox_tasks`, and documents for them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from octavo_sandbox import SourceHandle, WorkerPool

TASKS = Path(__file__).parent


@pytest.fixture(scope="session")
def shared_pool() -> Iterator[WorkerPool]:
    """One pool for every test that leaves it as it was."""
    with WorkerPool(size=2, import_paths=[TASKS]) as pool:
        yield pool


@pytest.fixture
def make_pool(tmp_path: Path) -> Iterator[Callable[..., WorkerPool]]:
    """Makes pools of the test's own, with their temporary folders below `tmp_path / "pools"`."""
    folder = tmp_path / "pools"
    folder.mkdir()
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(WorkerPool(import_paths=[TASKS], temp=folder, **options))


@pytest.fixture
def open_source(tmp_path: Path) -> Iterator[Callable[..., SourceHandle]]:
    """Makes documents and opens them as the host does."""
    descriptors: list[int] = []

    def open_(content: bytes, *, name: str = "document.txt") -> SourceHandle:
        path = tmp_path / name
        path.write_bytes(content)
        descriptors.append(os.open(path, os.O_RDONLY))
        return SourceHandle(
            fd=descriptors[-1],
            name=name,
            media_type="text/plain",
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )

    yield open_
    for fd in descriptors:
        os.close(fd)
