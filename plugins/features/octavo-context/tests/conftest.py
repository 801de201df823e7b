"""What the tests of context share: a library with documents of several kinds, made once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo.settings.context import ContextSettings
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines
from octavo_context import ContextManager
from octavo_library import Library

SUBJECTS = ("gauge", "buoy", "seal", "mole", "tide", "harbour", "surge", "inlet", "skerry", "camera", "boat", "berm")
VERBS = (
    "stood still",
    "was counted",
    "moved inland",
    "had been repaired",
    "was read twice",
    "drifted",
    "froze",
    "lost power",
)
TIMES = ("at noon", "in the evening", "before the storm", "after the ebb", "in December", "on the ninth")


def page_text(number: int, lines: int = 20) -> str:
    """A page of prose that names its own number."""
    told = [
        f"The {SUBJECTS[(number * 5 + at) % 12]} of station {number * 31 + at} {VERBS[(number + at * 3) % 8]} {TIMES[(number + at) % 6]}."
        for at in range(lines)
    ]
    return "\n".join([f"Chapter {number} of the report on tides.", *told])


def make_pdf(pages: Sequence[str], *, title: str) -> bytes:
    """A PDF with these pages."""
    drawn = [PdfPage(content=show_lines(text.splitlines())) for text in pages]
    return PdfFile(pages=drawn, info={"Title": title}).to_bytes()


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, sampling=False)) as made:
        yield made


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory, runtime: Runtime) -> Path:
    """The folder of a library with a report of 12 pages, a short one, a table and a note."""
    root = tmp_path_factory.mktemp("context")
    with Library.open(root / "library", runtime=runtime) as library:
        library.ingest(make_pdf([page_text(number) for number in range(1, 13)], title="Tide report"), name="report.pdf")
        library.ingest(make_pdf([page_text(number) for number in (41, 42)], title="Short report"), name="short.pdf")
        rows = "".join(f"{number},{number * 3},pier {number}\n" for number in range(1, 251))
        library.ingest(f"no,height,place\n{rows}".encode(), name="heights.csv")
        library.ingest(b"# Note\n\nThe tide turned at noon.\n\n## Boats\n\nPetrel and Dunlin.\n", name="note.md")
    return root / "library"


@pytest.fixture
def library(filled: Path, tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    """A copy of that library, open."""
    shutil.copytree(filled, tmp_path / "library")
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


@pytest.fixture
def ids(library: Library) -> dict[str, str]:
    """Name of the file → id of its document."""
    kinds = {"application/pdf": "report", "text/csv": "table", "text/markdown": "note"}
    found: dict[str, str] = {}
    for document in library.documents():
        name = kinds[str(document.media_type)]
        if name == "report" and len(document.pages) == 2:
            name = "short"
        found[name] = document.id
    return found


@pytest.fixture
def manager(library: Library) -> ContextManager:
    return ContextManager(library)


@pytest.fixture
def reopened(filled: Path, tmp_path: Path) -> Callable[[ContextSettings], Library]:
    """Opens a copy of the library with other settings; the caller closes it."""

    def open_with(context: ContextSettings) -> Library:
        shutil.copytree(filled, tmp_path / "other")
        return Library.open(tmp_path / "other", settings=Settings(workers=1, sampling=False, context=context))

    return open_with
