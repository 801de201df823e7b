"""Where the corpus of real documents is, and which of its documents a benchmark wants."""

from __future__ import annotations

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def corpus_folder() -> Path | None:
    """The corpus, by OCTAVO_CORPUS or beside the checkout; None where it is not there."""
    for candidate in (os.environ.get("OCTAVO_CORPUS"), ROOT.parent / "shared" / "corpus" / "dev"):
        if candidate and (Path(candidate) / "manifest.json").is_file():
            return Path(candidate)
    return None


def documents(*, kinds: set[str] | None = None, formats: set[str] | None = None) -> list[Path]:
    """Paths of the corpus's documents, by kind or format; empty where there is no corpus."""
    folder = corpus_folder()
    if folder is None:
        return []
    rows = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["documents"]
    return sorted(
        folder / row["path"]
        for row in rows
        if (kinds is None or row["kind"] in kinds) and (formats is None or row["format"] in formats)
    )
