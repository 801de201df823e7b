"""What the first policy context calls a file reaches no plugin, and so nothing that is shared (STO-5)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import convert
from octavo.runtime import Runtime
from octavo_contracts import OctavoError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

TITLES = """\
from octavo_contracts import Conversion, DocumentMetadata, Page, SourceCorrupt, hookimpl

@hookimpl
def convert(source, request, context):
    if b"broken" in source.read_bytes():
        raise SourceCorrupt("it is broken", source=source.name)
    stem = source.name.rpartition(".")[0]
    title = f"{stem} {source.path.name}"
    markdown = f"# {stem}\\n\\nhello there, says {source.name}"
    page = Page(number=1, kind="whole", label=stem, markdown=markdown)
    return Conversion(pages=(page,), paginated=False, metadata=DocumentMetadata(title=title))
"""
CANARY = "Layoffs of Jane Doe"


@pytest.fixture(scope="module")
def runtime(make_lasting_plugin) -> Iterator[Runtime]:
    make_lasting_plugin("titles", TITLES, media_types=["text/plain"])
    with Runtime() as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as made:
        for name, settings in (
            ("sealed", CorpusSettings(visibility="firewalled", plugin="titles")),
            ("open", CorpusSettings(plugin="titles")),
        ):
            made.corpora.create(name, settings)
        yield made


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("many", [False, True], ids=["one", "run"])
def test_a_plugin_is_not_told_the_name_of_a_file(library: Library, tmp_path: Path, many: bool) -> None:
    theirs, mine = put(tmp_path, f"{CANARY}.txt", "hello there"), put(tmp_path, "mine.txt", "hello there")
    if many:
        list(library.ingest_many([theirs], corpus="sealed"))
    else:
        library.ingest(theirs, corpus="sealed")
    library.ingest(mine, corpus="open")
    (document,) = library.documents(corpus="open")
    (hit,) = library.search("hello", corpus="open")
    target = tmp_path / "out.zip"
    document.export(target)
    with zipfile.ZipFile(target) as archive:
        exported = b"".join(archive.read(name) for name in archive.namelist()).decode()
    told = f"{document.title} {document.markdown} {document.result.to_json()} {hit} {exported}"
    assert "Layoffs" not in told
    assert document.canonical_text.startswith("document hello there")
    assert "document.txt" in document.markdown


def test_bytes_and_an_odd_extension_tell_no_name_either(library: Library) -> None:
    library.ingest(b"hello there", name=f"a.{CANARY}", corpus="sealed")
    document = library.ingest(b"hello there", name="mine.txt", corpus="open").document
    assert "Layoffs" not in f"{document.title} {document.markdown} {document.result.to_json()}"


def test_converting_again_tells_no_name(library: Library, tmp_path: Path) -> None:
    document = library.ingest(put(tmp_path, f"{CANARY}.txt", "hello there"), corpus="sealed").document
    document.reconvert(plugin="titles")
    assert "Layoffs" not in library.document(document.id).markdown


def test_who_asks_is_told_the_name_in_an_error(library: Library, tmp_path: Path) -> None:
    with pytest.raises(OctavoError) as caught:
        library.ingest(put(tmp_path, "rift.txt", "broken"), corpus="sealed").document.reconvert(plugin="titles")
    assert caught.value.source is not None
    assert caught.value.source.endswith("rift.txt")


def test_outside_of_a_library_a_plugin_is_told_the_name(runtime: Runtime, tmp_path: Path) -> None:
    path = put(tmp_path, f"{CANARY}.txt", "hello there")
    assert "Layoffs" in convert(path, plugin="titles", runtime=runtime).markdown
