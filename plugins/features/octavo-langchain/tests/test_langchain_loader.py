"""The loader and the blob parser, through LangChain's own interfaces."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("langchain_core", reason="the extra `langchain` is not installed")
from langchain_core.document_loaders import BaseBlobParser, BaseLoader, Blob
from octavo import UsageError
from octavo_contracts import SourceEmpty
from octavo_langchain import OctavoBlobParser, OctavoLoader


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("day,height\nMonday,3.2\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("unit", ["page", "document", "chunk"])
def test_documents_have_text_id_and_flat_metadata(folder: Path, unit: str) -> None:
    loader = OctavoLoader(folder, unit=unit)

    documents = loader.load()

    assert isinstance(loader, BaseLoader)
    assert [Path(one.metadata["source"]).name for one in documents] == ["a.md", "b.csv"]
    assert "High water at noon." in documents[0].page_content
    assert len({one.id for one in documents}) == 2
    for one in documents:
        assert all(isinstance(value, str | int | float) for value in one.metadata.values())


def test_loading_in_an_event_loop_gives_the_same(folder: Path) -> None:
    loader = OctavoLoader(folder)

    assert asyncio.run(loader.aload()) == loader.load()


def test_a_chunk_is_at_the_offsets_that_it_names(folder: Path) -> None:
    import octavo

    text = octavo.convert(folder / "a.md").text

    for one in OctavoLoader(folder / "a.md", unit="chunk").load():
        assert text[one.metadata["start"] : one.metadata["end"]] == one.page_content


def test_a_document_that_fails_raises_or_is_left_out_as_the_caller_chose(folder: Path) -> None:
    (folder / "empty.md").write_bytes(b"")

    with pytest.raises(SourceEmpty):
        OctavoLoader(folder).load()
    assert len(OctavoLoader(folder, on_failure="warn").load()) == 2


def test_a_unit_that_does_not_exist_is_refused_at_once(folder: Path) -> None:
    with pytest.raises(UsageError, match="sentence"):
        OctavoLoader(folder, unit="sentence")


def test_a_blob_of_bytes_is_parsed_and_keeps_its_metadata() -> None:
    parser = OctavoBlobParser(unit="document")
    blob = Blob.from_data(b"day,height\nMonday,3.2\n", metadata={"source": "tides.csv", "bucket": "harbour"})

    (document,) = parser.parse(blob)

    assert isinstance(parser, BaseBlobParser)
    assert "| Monday | 3.2 |" in document.page_content
    assert document.metadata["bucket"] == "harbour"
    assert document.metadata["source"] == "tides.csv"


def test_a_blob_of_a_file_is_parsed(folder: Path) -> None:
    (document,) = OctavoBlobParser().parse(Blob.from_path(folder / "a.md"))

    assert "High water" in document.page_content
    assert document.metadata["source"] == str(folder / "a.md")


def test_a_blob_that_cannot_be_converted_raises(folder: Path) -> None:
    with pytest.raises(SourceEmpty) as caught:
        OctavoBlobParser().parse(Blob.from_data(b"", metadata={"source": "empty.md"}))

    assert caught.value.source == "empty.md"
