"""Libraries that are filled through real ingestion, with a converter that gives a page for each part of a text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import SearchSettings, Settings
from octavo_library import Library
from octavo_text.chunking import ChunkingConfig

CONVERTER = """\
from octavo_contracts import Conversion, DocumentMetadata, Page, hookimpl

@hookimpl
def convert(source, request, context):
    parts = source.read_bytes().decode().split("|")
    title = parts[0].split()[0]
    if len(parts) == 1:
        pages = (Page(number=1, kind="whole", markdown=parts[0]),)
    else:
        pages = tuple(Page(number=n, markdown=part, text=part) for n, part in enumerate(parts, 1))
    return Conversion(pages=pages, paginated=len(parts) > 1, metadata=DocumentMetadata(title=title))
"""

SHOUTING = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source, request, context):
    text = source.read_bytes().decode() + " shouting"
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""

CHUNKING = ChunkingConfig(version="fixed-40-60-5", target=40, maximum=60, minimum=5)
# Words alone: what plugins of the environment make of meanings is not what these tests are about.
IS_SHARED = "OCTAVO_TEST_SHARED_SEARCH" in os.environ
SETTINGS = Settings(workers=1, chunking=CHUNKING, search=SearchSettings(vectors=False, shared=IS_SHARED))

Add = Callable[..., str]


@pytest.fixture(scope="module")
def shared_runtime(make_lasting_plugin: Callable[..., Path]) -> Iterator[Runtime]:
    """One worker for all tests of a module: starting it takes longer than most of them."""
    make_lasting_plugin("parts", CONVERTER)
    make_lasting_plugin("shouting", SHOUTING, priority=1)
    with Runtime(SETTINGS) as runtime:
        yield runtime


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def library(shared_runtime: Runtime, root: Path) -> Iterator[Library]:
    with Library.open(root, runtime=shared_runtime) as opened:
        yield opened


@pytest.fixture
def add(library: Library) -> Add:
    """Take a text in; parts between bars are pages, the first word is the title. Gives the document's id."""

    def ingest(text: str, *, corpus: str | None = None, into: Library = library) -> str:
        done = into.ingest(text.encode(), name="note.txt", corpus=corpus, plugin="parts")
        assert done.document_id is not None
        return done.document_id

    return ingest
