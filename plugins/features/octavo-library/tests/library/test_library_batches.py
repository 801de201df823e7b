"""Many documents at once, and streams: what a caller gives is what is ingested, and nothing passes in silence."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import pytest
from octavo_library import Library


def test_one_path_is_one_document(tmp_path: Path) -> None:
    """Never its letters."""
    source = tmp_path / "tides.md"
    source.write_text("# Tides\n")
    with Library.open(tmp_path / "library") as library:
        by_text = [done.source for done in library.ingest_many(str(source))]
        by_path = [done.source for done in library.ingest_many(source)]
    assert by_text == by_path == [str(source)]


def test_a_folder_is_the_files_in_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The library in it is not entered, and what is left out is logged."""
    inside = tmp_path / "letters"
    (inside / "deep").mkdir(parents=True)
    for name in ("b.md", "a.md", "deep/c.md"):
        (inside / name).write_text(f"# {name}\n")
    (inside / "out.md").symlink_to(tmp_path)
    alone = tmp_path / "alone.md"
    alone.write_text("# Alone\n")
    with Library.open(inside / "library") as library:
        done = list(library.ingest_many([inside, str(alone)]))
    assert sorted(Path(one.source).name for one in done) == ["a.md", "alone.md", "b.md", "c.md"]
    assert {one.result.ingestion_status for one in done} == {"complete"}
    assert "out.md" in caplog.text


def test_the_files_of_another_library_are_not_ingested(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = tmp_path / "in" / "tides.md"
    source.parent.mkdir()
    source.write_text("# Tides\n")
    with Library.open(tmp_path / "in" / "other") as other:
        other.ingest(source)
    with Library.open(tmp_path / "library") as library:
        assert [done.source for done in library.ingest_many(tmp_path / "in")] == [str(source)]
    assert f"{tmp_path / 'in' / 'other'} was left out: an Octavo library" in caplog.text


def test_a_batch_that_nobody_iterates_says_so(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        with pytest.warns(RuntimeWarning, match="never iterated, so no document was ingested") as caught:
            library.ingest_many(["a.md"])
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            list(library.ingest_many([]))


def test_a_stream_is_ingested_under_its_name(tmp_path: Path) -> None:
    source = tmp_path / "tides.md"
    source.write_text("# Tides\n\nebb\n")
    with Library.open(tmp_path / "library") as library:
        with source.open("rb") as stream:
            by_stream = library.ingest(stream)
        by_buffer = library.ingest(io.BytesIO(b"# Tides\n\nebb\n"), name="other.md")
    assert by_stream.source == "tides.md"
    assert (by_buffer.document_id, by_buffer.reused) == (by_stream.document_id, True)
