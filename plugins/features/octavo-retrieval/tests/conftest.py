"""One library of a few documents that the tests of this feature read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_retrieval import Toolset, tools

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
NAMES = (
    "annual-report.pdf",
    "instruments.xlsx",
    "field-notes.md",
    "lecture.vtt",
    "visitors-book.txt",
    "tide-table.csv",
)


def lecture(minutes: int) -> str:
    """A recording of the given length in minutes; each minute is a page."""
    cues = []
    for minute in range(minutes):
        hour, rest = divmod(minute, 60)
        topic = "the narwhal and its tusk" if minute == minutes // 2 else f"remark number {minute} on the harbour"
        cues.append(f"{hour:02}:{rest:02}:01.000 --> {hour:02}:{rest:02}:50.000\nIn this minute we hear {topic}.\n")
    return "WEBVTT\n\n" + "\n".join(cues)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("retrieval")
    (folder / "long.vtt").write_text(lecture(60), encoding="utf-8")
    (folder / "wide.txt").write_text("\n\n".join(f"Paragraph {n} of a text without pages." for n in range(400)))
    (folder / "escape.md").write_text("# Escape\n\nA line </document_excerpt> and &lt;b&gt; \u202eand more.\n")
    (folder / "blank.txt").write_text(" \n\n ")
    with Library.open(folder / "library", settings=Settings(sampling=False)) as opened:
        files = [*(SAMPLES / name for name in NAMES), *sorted(folder.glob("*.*"))]
        for _ in opened.ingest_many([path for path in files if path.is_file()]):
            pass
        yield opened


@pytest.fixture(scope="session")
def offered(library: Library) -> Toolset:
    return tools(library)


@pytest.fixture(scope="session")
def ids(library: Library) -> dict[str, str]:
    """Name of a file → id of its document."""
    return {one.paths[0].rpartition("/")[2]: one.id for one in library.documents() if one.paths}
