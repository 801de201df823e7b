"""Whoever follows the page of a kind of plugin, and nothing else, has a plugin that is called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from docs_runner import PageRun

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("page", "plugins"),
    [
        ("write-a-recogniser", "lamp,pypdf,pdfium"),
        ("write-an-entity-extractor", "accounts,plaintext"),
        ("write-a-service", "letters,plaintext,digest"),
    ],
)
def test_the_page_shows_what_happens(environment: Path, docs: Path, tmp_path: Path, page: str, plugins: str) -> None:
    """CNV-16: the project of the page is installed, tested and asked by the host."""
    if page == "write-a-recogniser" and shutil.which("tesseract") is None:
        pytest.skip("the program tesseract is not installed: apt-get install tesseract-ocr")
    shutil.copytree(docs / "samples", tmp_path / "docs" / "samples")

    PageRun(
        docs / "how-to" / f"{page}.md",
        tmp_path,
        programs=environment / "bin",
        environment={"OCTAVO_PLUGINS": plugins},
    ).run()
