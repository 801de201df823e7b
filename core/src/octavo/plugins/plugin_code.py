"""The hash of a plugin's code: it tells which files converted a document, beside their version."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

LARGE = 1 << 20
"""Bytes. Of larger files, such as model weights, only the size counts."""


def code_hash(package: str) -> str | None:
    """Return the SHA-256 of the files of a top-level package, by relative path; None if there is no such folder.

    Compiled bytecode is left out: it depends on who ran the package. The package is found, not imported.
    """
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        return None
    total = hashlib.sha256()
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*")):
            if "__pycache__" in path.parts or path.suffix == ".pyc" or not path.is_file():
                continue
            size = path.stat().st_size
            content = hashlib.sha256(path.read_bytes()).hexdigest() if size <= LARGE else ""
            total.update(f"{path.relative_to(folder).as_posix()}\0{size}\0{content}\n".encode())
    return total.hexdigest()
