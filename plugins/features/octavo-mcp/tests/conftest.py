"""A library of sample documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_memory import EntityRef, MemoryStore

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
NAMES = ("annual-report.pdf", "instruments.xlsx", "field-notes.md", "lecture.vtt", "staff-handbook.docx")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("mcp")
    with Library.open(folder / "library", settings=Settings(sampling=False)) as opened:
        for _ in opened.ingest_many([SAMPLES / name for name in NAMES]):
            pass
        notes = next(one for one in opened.documents() if one.title and one.title.startswith("Field notes"))
        store = MemoryStore(opened)
        store.add(
            "The berm stands 1.3 m higher.",
            anchor=store.anchor(notes.id, quote="it stands 1.3 m higher than on the 9th"),
            entities=[EntityRef(name="Berm", label="place")],
        )
        yield opened


@pytest.fixture(scope="session")
def ids(library: Library) -> dict[str, str]:
    return {one.paths[0].rpartition("/")[2]: one.id for one in library.documents()}
