"""Writes the vectors into a folder, so that an author can open the one that a failure names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from octavo_contracts import UsageError

from .fresh import make_fresh
from .hostile import HOSTILE_FAMILIES, load_hostile
from .model import GoldenVector
from .stored import load_golden


def write_folder(folder: Path, *, seed: int, sought: Sequence[GoldenVector] = ()) -> int:
    """Write every vector; existing files are not touched.

    Args:
        folder: the folder to create.
        seed: seed of the fresh documents.
        sought: documents with what a plugin's code names, to write too.

    Returns:
        The number of documents written.

    Raises:
        UsageError: the folder is not empty or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", remedy="Name a new folder")
        known = [*load_golden(), *make_fresh(seed), *sought]
        hostile = [vector for family in HOSTILE_FAMILIES for vector in load_hostile(family)]
        documents = {vector.path: vector.data for vector in known} | {vector.path: vector.data for vector in hostile}
        for name, data in documents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        for vector in known:
            words = "\n".join(vector.expected.pages) + "\n"
            (folder / f"{vector.path}.words").write_text(words, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error}") from error
    return len(documents)
