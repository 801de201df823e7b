"""The reader, alone and behind LlamaIndex's own `SimpleDirectoryReader`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core", reason="the extra `llama-index` is not installed")
from llama_index.core import SimpleDirectoryReader
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document, MetadataMode
from octavo_contracts import SourceEmpty
from octavo_llama_index import OctavoReader


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# Tides\n\nHigh water at noon.\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("day,height\nMonday,3.2\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("unit", ["page", "document", "chunk"])
def test_documents_have_text_id_and_flat_metadata(folder: Path, unit: str) -> None:
    reader = OctavoReader(unit=unit)

    documents = reader.load_data(folder)

    assert isinstance(reader, BaseReader)
    assert all(isinstance(one, Document) for one in documents)
    assert [Path(one.metadata["source"]).name for one in documents] == ["a.md", "b.csv"]
    assert "High water at noon." in documents[0].text
    assert [one.id_ for one in OctavoReader(unit=unit).load_data(folder)] == [one.id_ for one in documents]


def test_ids_and_offsets_are_not_shown_to_models(folder: Path) -> None:
    (document,) = OctavoReader(unit="chunk").load_data(folder / "a.md")

    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        shown = document.get_content(mode)
        assert "High water at noon." in shown
        assert "document_id" not in shown
        assert "chunk_id" not in shown


def test_it_is_an_extractor_of_the_directory_reader(folder: Path) -> None:
    reader = SimpleDirectoryReader(str(folder), file_extractor={".csv": OctavoReader()}, required_exts=[".csv"])

    (document,) = reader.load_data()

    assert "| Monday | 3.2 |" in document.text
    assert document.metadata["file_name"] == "b.csv"
    assert document.metadata["engine"]


def test_it_reads_in_an_event_loop(folder: Path) -> None:
    documents = asyncio.run(OctavoReader().aload_data(folder))

    assert len(documents) == 2


def test_a_reader_is_saved_without_its_password() -> None:
    reader = OctavoReader(unit="chunk", password="harbour", timeout=20)

    saved = reader.to_dict()

    assert "harbour" not in str(saved) + repr(reader)
    assert OctavoReader.from_dict(saved).unit == "chunk"


def test_a_document_that_fails_raises_or_is_left_out_as_the_caller_chose(folder: Path) -> None:
    (folder / "empty.md").write_bytes(b"")

    with pytest.raises(SourceEmpty):
        OctavoReader().load_data(folder)
    assert len(OctavoReader(on_failure="warn").load_data(folder)) == 2


def test_a_file_system_of_another_machine_is_refused(folder: Path) -> None:
    with pytest.raises(TypeError, match="fs"):
        OctavoReader().load_data(folder, fs=object())
