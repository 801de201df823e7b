"""What is lost or damaged in an object store is found, told and repaired as far as possible (STO-8, STO-11)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_library import Library

SAMPLE = Path(__file__).resolve().parents[5] / "docs" / "samples" / "field-notes.md"
Opener = Callable[..., Library]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "paper.md"))


def ingested(library: Library, paper: Path | bytes) -> str:
    name = None if isinstance(paper, Path) else "note.md"
    document_id = library.ingest(paper, name=name).document_id
    assert document_id is not None
    return library.document(document_id).raw_hash


def test_a_lost_copy_of_an_original_is_found_and_stored_again(machine: Opener, paper: Path) -> None:
    with machine(originals="stored") as library:
        raw_hash = ingested(library, paper)
        ref = f"store:originals/{raw_hash}.md"
        assert library.maintenance.verify().is_clean
        assert library.context.artifacts.remove(ref)
    with machine("two") as other:  # whatever its own setting
        assert other.maintenance.verify().missing == (ref,)
        aside = paper.rename(paper.with_name("aside.md"))
        assert other.maintenance.repair().remaining == (ref,)
        aside.rename(paper)
        done = other.maintenance.repair()
        assert (done.stored_again, done.remaining) == ((ref,), ())
        assert other.context.artifacts.read(ref) == paper.read_bytes()
        assert other.maintenance.verify().is_clean


def test_an_original_that_was_never_copied_is_not_missing(machine: Opener, paper: Path) -> None:
    with machine() as library:
        ingested(library, paper)
    paper.unlink()
    with machine("two", originals="stored") as other:
        assert other.maintenance.verify().is_clean
