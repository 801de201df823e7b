"""Two processes create a library in one folder at the same time (STO-1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from octavo_library.storage import ArtifactStore
from octavo_library.storage.files import library_folder


def test_a_library_that_another_process_creates_meanwhile_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one makes the marker and the folders after the marker was looked for, and before the folders are."""
    root = tmp_path / "library"
    real, others = os.path.lexists, []

    def lexists(path: Path) -> bool:
        if not others:
            others.append(None)
            others.append(ArtifactStore(root))
        return real(path)

    monkeypatch.setattr(library_folder.os.path, "lexists", lexists)
    mine = ArtifactStore(root)
    assert {mine.owner, others[1].owner} == {path.name for path in (root / "tmp").iterdir()}
    mine.close()
    others[1].close()
