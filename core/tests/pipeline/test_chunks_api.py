"""`octavo.chunks`: chunks with metadata of files, folders and patterns; and the loading that it shares with frameworks' loaders."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import octavo
import pytest
from octavo import Runtime, UsageError
from octavo.conversion.document_loader import load_documents, load_records
from octavo_contracts import SourceEmpty, SourceMissing


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime() as one:
        yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "letters"
    (inside / "deep").mkdir(parents=True)
    (inside / "b.md").write_text("# Second\n\nThe buoy drifted.\n", encoding="utf-8")
    (inside / "a.txt").write_text("The gauge stood still.\n", encoding="utf-8")
    (inside / "deep" / "c.md").write_text("# Third\n\nThe seals returned.\n", encoding="utf-8")
    return inside


def test_a_chunk_names_its_source_and_its_place(folder: Path, runtime: Runtime) -> None:
    source = str(folder / "b.md")
    text = octavo.convert(source, runtime=runtime).text

    found = list(octavo.chunks(source, runtime=runtime))

    assert [one.text for one in found] == [text[one.start : one.end] for one in found]
    assert found[0].metadata["source"] == source
    assert found[0].metadata["start"] == 0
    assert "page" not in found[0].metadata
    assert all(isinstance(value, str | int) for value in found[0].metadata.values())


def test_the_documents_of_a_folder_come_in_the_order_of_their_paths(folder: Path, runtime: Runtime) -> None:
    sources = [one.source for one in load_documents(folder, jobs=3, runtime=runtime)]

    assert [Path(source).name for source in sources] == ["a.txt", "b.md", "c.md"]


def test_patterns_and_includes_choose_files(folder: Path, runtime: Runtime) -> None:
    by_pattern = [one.source for one in load_documents(f"{folder}/**/*.md", runtime=runtime)]
    by_include = [one.source for one in load_documents(folder, include=["*.md"], exclude=["deep"], runtime=runtime)]

    assert [Path(source).name for source in by_pattern] == ["b.md", "c.md"]
    assert [Path(source).name for source in by_include] == ["b.md"]


def test_a_library_in_a_folder_is_left_out_and_logged(
    folder: Path, runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "kept" / ".octavo-library").mkdir(parents=True)
    (folder / "kept" / "copy.md").write_text("# Copy\n", encoding="utf-8")

    sources = {Path(one.source).name for one in load_documents(folder, runtime=runtime)}

    assert sources == {"a.txt", "b.md", "c.md"}
    assert f"{folder / 'kept'} was left out: an Octavo library" in caplog.text


def test_a_document_that_fails_raises_its_own_error_after_those_before_it(folder: Path, runtime: Runtime) -> None:
    (folder / "aa.md").write_bytes(b"")
    found = octavo.chunks(folder, jobs=1, runtime=runtime)

    assert next(found).text == "The gauge stood still."
    with pytest.raises(SourceEmpty) as caught:
        list(found)
    assert caught.value.source == str(folder / "aa.md")


def test_a_document_that_fails_can_be_logged_instead(
    folder: Path, runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "aa.md").write_bytes(b"")

    with caplog.at_level(logging.WARNING, logger="octavo"):
        sources = {one.source for one in octavo.chunks(folder, on_failure="warn", runtime=runtime)}

    assert {Path(str(source)).name for source in sources} == {"a.txt", "b.md", "c.md"}
    assert [record.name for record in caplog.records] == ["octavo.conversion"]
    assert "source_empty" in caplog.text
    assert "aa.md" in caplog.text


def test_wrong_options_are_refused_before_anything_is_converted(folder: Path, runtime: Runtime) -> None:
    with pytest.raises(UsageError, match="on_failure"):
        octavo.chunks(folder, on_failure="ignore", runtime=runtime)  # type: ignore[typeddict-item]  # an invalid value is what is tested
    with pytest.raises(UsageError, match="jobs"):
        octavo.chunks(folder, jobs=0, runtime=runtime)
    with pytest.raises(UsageError):
        octavo.chunks(folder, plugin="no-such-plugin", runtime=runtime)
    with pytest.raises(UsageError, match="unit"):
        load_records(folder, unit="sentence", runtime=runtime)


def test_a_pattern_that_fits_nothing_is_an_error(folder: Path, runtime: Runtime) -> None:
    with pytest.raises(SourceMissing):
        list(octavo.chunks(f"{folder}/*.pdf", runtime=runtime))


def test_a_record_of_a_page_and_of_a_document(runtime: Runtime, tmp_path: Path) -> None:
    paged = tmp_path / "talk.vtt"
    minutes = (f"00:0{n}:01.000 --> 00:0{n}:50.000\nThe pilot spoke of station {n}.\n" for n in range(3))
    paged.write_text("WEBVTT\n\n" + "\n".join(minutes), encoding="utf-8")

    pages = list(load_records(paged, unit="page", runtime=runtime))
    whole = list(load_records(paged, unit="document", runtime=runtime))

    assert [one.metadata["page"] for one in pages] == list(range(1, len(pages) + 1))
    assert len({one.record_id for one in (*pages, *whole)}) == len(pages) + 1
    assert whole[0].metadata["pages"] == len(pages)
    assert "station 2" in pages[-1].text
    assert [one.record_id for one in load_records(paged, unit="page", runtime=runtime)] == [
        one.record_id for one in pages
    ]


def test_an_iterator_that_is_given_up_leaves_the_runtime_usable(folder: Path, runtime: Runtime) -> None:
    found = load_documents(folder, jobs=2, runtime=runtime)
    next(found)

    found.close()  # type: ignore[attr-defined]  # a generator, although its type says iterator

    assert octavo.convert(folder / "b.md", runtime=runtime).text


def test_a_chunk_is_short_at_a_prompt(folder: Path, runtime: Runtime) -> None:
    (folder / "long.txt").write_text("word " * 200, encoding="utf-8")

    shown = repr(next(octavo.chunks(folder / "long.txt", runtime=runtime)))

    assert shown.startswith("<TextChunk 0-")
    assert len(shown) < 90
