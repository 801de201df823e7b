"""Language-neutral vectors: results, digests, locators and page separators as JSON, each with its verdict.

A host in any language reads the files in `v1` and compares its own verdicts. `check.mjs` does so in JavaScript. The files are:

- `locators.json`: `text` and `locator` → `valid`, `codes`, and the `slice` of a valid one
- `pages.json`: `text` → the spans of its `pages`, and their `hashes`
- `results.json`: `document`, its texts `canonical` and `markdown` or null → `valid`, `codes`
- `digests.json`: `document`, its text `archive` or null, `searched` → `valid`, `codes`

Codes are the ids of the checks that fail, in ascending order; `codes` of the file has each of them with its rule. A check is
not run if one that it requires has failed, see `requires`. Offsets count code points.
"""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

from octavo_contracts import UsageError
from octavo_contracts.schema import SCHEMA_MODELS, render_schema

VERSION = "v1"
"""Version of the form of the files: a change of the form is a new folder."""

CHECKER = "check.mjs"
"""The example checker in JavaScript."""


def vector_texts() -> dict[str, str]:
    """Return the committed files: name → text."""
    folder = resources.files(__package__).joinpath(VERSION)
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), key=lambda one: one.name)}


def write_verdicts(folder: Path) -> list[Path]:
    """Write the vectors, the schemas that they are judged by, and the example checker into a new folder.

    Raises:
        UsageError: the folder is not empty, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder", remedy="Name a new folder")
    files = {f"{VERSION}/{name}": text for name, text in vector_texts().items()}
    files |= {f"schema/{name}.json": render_schema(name) for name in SCHEMA_MODELS}
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        with resources.as_file(resources.files(__package__).joinpath(CHECKER)) as checker:
            shutil.copyfile(checker, folder / CHECKER)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error}", remedy="Name another folder") from error
    return [folder / name for name in (*files, CHECKER)]
