"""A library of sample documents, and clients of the application."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo_library import Library
from octavo_research import Research
from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path, so shared modules must be on sys.path

from web_clients import SAMPLES, open_client

NAMES = ("annual-report.pdf", "instruments.xlsx", "field-notes.md", "lecture.vtt", "storm-warning.eml")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("dashboard")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (folder / "hostile.md").write_text(HOSTILE)
    sources = [SAMPLES / name for name in NAMES]
    with Library.open(folder / "library", settings=Settings(sampling=False)) as opened:
        for _ in opened.ingest_many([*sources, folder / "broken.pdf", folder / "hostile.md"]):
            pass
        yield opened


HOSTILE = """# <script>alert(1)</script>Title

</div></main><h1 onclick="alert(2)">Log in</h1><form action="https://evil.example"><input name=token></form>
<img src="https://evil.example/pixel.png"> <a href="javascript:alert(3)">link</a> {{ 7 * 7 }} <style>body{display:none}</style>
"""


@pytest.fixture(scope="session")
def ids(library: Library) -> dict[str, str]:
    return {one.paths[0].rpartition("/")[2]: one.id for one in library.documents() if one.paths}


@pytest.fixture(scope="session")
def path_values(library: Library, ids: dict[str, str]) -> dict[str, str]:
    """A value for each parameter in the paths of screens."""
    return {
        "{document_id}": ids["annual-report.pdf"],
        "{page}": "1",
        "{run_id}": library.runs.list()[0][0].run_id,
        "{routing_type}": "text_native_pdf",
        "{research_id}": Research(library).start("How high was the surge?").research_id,
    }


@pytest.fixture(scope="session")
def queries(library: Library) -> dict[str, str]:
    """The query that a screen needs, by its path."""
    return {"/corpora/settings": f"?corpus={library.corpora.create('gauges').name}"}


@pytest.fixture
def client(library: Library) -> TestClient:
    """A program that asks an open server."""
    return open_client(library)
