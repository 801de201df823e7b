"""A library with two converters of its own, and a quick way to fill an index without converting anything."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_conformance.plugin_folder import plugin_folder
from octavo_contracts import IngestionState as S
from octavo_library import Library
from octavo_library.storage import (
    ArtifactStore,
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    NewJob,
    Provenance,
    Step,
    document_id_for,
    library_url,
)

HEAD = "from octavo_contracts import Conversion, DocumentMetadata, Page, hookimpl\n@hookimpl\ndef convert(source):\n"
CONVERTERS = {
    "pages": HEAD
    + "    parts = source.read_bytes().decode().split('|')\n"
    + "    pages = [Page(number=n, markdown='# ' + p, text=p) for n, p in enumerate(parts, 1)]\n"
    + "    return Conversion(pages=tuple(pages), paginated=True, metadata=DocumentMetadata(title=parts[0]))\n",
    "headed": HEAD
    + "    parts = ('Read again. ' + source.read_bytes().decode()).split('|')\n"
    + "    pages = [Page(number=n, markdown=p, text=p) for n, p in enumerate(parts, 1)]\n"
    + "    return Conversion(pages=tuple(pages), paginated=True)\n",
    "flat": HEAD
    + "    text = 'Read again. ' + source.read_bytes().decode().replace('|', ' ')\n"
    + "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text),), paginated=False)\n",
    "sleepy": HEAD + "    import time\n    time.sleep(600)\n",
}
"""`pages` makes a page of each part; `headed` makes the same pages with words before the first, so that every place
moves; `flat` does so without pages; `sleepy` hangs."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder on the import path with the converters as installed distributions."""
    folder = tmp_path_factory.mktemp("plugins") / "site"
    with plugin_folder(folder) as install:
        for priority, (name, code) in enumerate(CONVERTERS.items(), start=1):
            install(name, code, priority=90 - priority)
        yield folder


@pytest.fixture(scope="module")
def shared_runtime(site: Path) -> Iterator[Runtime]:
    """One worker for all tests of a module: starting it takes longer than most of them."""
    with Runtime(Settings(workers=1)) as runtime:
        yield runtime


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def library(root: Path, shared_runtime: Runtime) -> Iterator[Library]:
    with Library.open(root, runtime=shared_runtime) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("harbour notes|the tide turned at noon|the tide turned at six")
    return path


@pytest.fixture(scope="session")
def empty_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an index without rows: copying it is quicker than running the migrations."""
    folder = tmp_path_factory.mktemp("empty")
    with Index(library_url(folder)):
        pass
    return folder / "index.sqlite"


class Shelf:
    """A library's store without a runtime, filled as ingestion fills it."""

    def __init__(self, root: Path, empty_index: Path) -> None:
        self.artifacts = ArtifactStore(root)
        shutil.copy(empty_index, root / "index.sqlite")
        self.index = Index(library_url(root))

    def add(self, content: str, sighting: Provenance, *, text: str | None = None) -> str:
        """File a document whose bytes are `content` and whose canonical text is `text`; returns its id."""
        raw_hash = hashlib.sha256(content.encode()).hexdigest()
        way = (S.HASH_CHECKED, S.SOURCE_STORED, S.CONVERSION_PENDING)
        job, _ = self.index.jobs.start(NewJob(raw_hash=raw_hash, steps=way), owner=self.artifacts.owner)
        data = (text if text is not None else content).encode()
        number = self.artifacts.put_version(raw_hash, {"canonical.txt": data}, job_id=job.job_id)
        rest = (S.CONVERTED, S.CLASSIFIED, Step(state=S.SUMMARIZED, skipped=True), S.INDEXED, S.EXTRACTION_PENDING)
        facts = DocumentFacts(
            raw_hash=raw_hash,
            normalized_text_hash=hashlib.sha256(data).hexdigest(),
            title=content,
            page_hashes=(hashlib.sha256(b"page" + data).hexdigest(),),
        )
        conversion = ConversionFacts(version=number, tool="tests")
        end = (S.EXTRACTED, S.VERIFIED, S.WRITTEN, S.COMPLETE)
        completed = CompletedJob(job=job, steps=(*rest, *end), document=facts, conversion=conversion, sighting=sighting)
        self.index.jobs.complete([completed])
        return document_id_for(raw_hash)

    def close(self) -> None:
        self.index.close()
        self.artifacts.close()


@pytest.fixture
def make_shelf(tmp_path: Path, empty_index: Path) -> Iterator[Callable[[], Shelf]]:
    made: list[Shelf] = []

    def make() -> Shelf:
        made.append(Shelf(tmp_path / f"shelf{len(made)}", empty_index))
        return made[-1]

    yield make
    for shelf in made:
        shelf.close()
