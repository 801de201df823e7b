"""A type of documents that the profile of one corpus registers is told in contexts that have that profile (STO-5)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo_brief import brief
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

TEXT = "The harbour gauge report. The keeper spoke about the lantern for an hour with others.\n" * 5
TYPE = "hostile_takeover_of_acme"
PROFILE = f"""\
name = "sealed"

[types.{TYPE}]
title = ["harbour gauge"]
words = ["lantern", "keeper"]
"""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1)) as made:
        yield made


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "sealed.toml"
    path.write_text(PROFILE)
    return str(path)


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime, profile: str) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as made:
        made.corpora.create("sealed", CorpusSettings(visibility="firewalled", profile=profile))
        made.corpora.create("open", CorpusSettings())
        yield made


def told(library: Library, corpus: str, folder: Path) -> str:
    """All that a corpus is told of its one document."""
    (document,) = library.documents(corpus=corpus)
    target = folder / f"{corpus}.zip"
    document.export(target)
    with zipfile.ZipFile(target) as archive:
        files = " ".join(archive.read(name).decode() for name in archive.namelist())
    record = library.context.index.documents.get(document.id, policy=library.corpora.get(corpus).settings.policy)
    return f"{document.document_type} {document.result.to_json()} {brief(document)} {record} {files}"


def test_a_registered_type_is_told_where_its_profile_is(library: Library, tmp_path: Path, profile: str) -> None:
    first = library.ingest(TEXT.encode(), name="a.txt", corpus="sealed")
    second = library.ingest(TEXT.encode(), name="b.txt", corpus="open")
    assert (first.result.document_type, second.result.document_type) == (TYPE, "unknown")
    assert first.result.classification is not None
    assert first.result.classification.extensions == {"octavo.classified_by": "builtin"}
    theirs, ours = told(library, "sealed", tmp_path), told(library, "open", tmp_path)
    assert TYPE in theirs
    for word in (TYPE, profile, "shipped_type"):
        assert word not in ours
    (document,) = library.documents(corpus="sealed")
    assert (document.document_type, document.document_type_by) == (TYPE, None)
    assert document.result.classification.classification_confidence > 0.5
    assert library.document(document.id).document_type == TYPE, "the owner is told everything"


def test_others_are_told_what_the_shipped_rules_say(library: Library, tmp_path: Path) -> None:
    """The verdict is the one that a library without the profile gives."""
    library.ingest(TEXT.encode(), name="a.txt", corpus="sealed")
    library.ingest(TEXT.encode(), name="b.txt", corpus="open")
    with Library.open(tmp_path / "alone", runtime=library.context.runtime) as alone:
        wanted = alone.ingest(TEXT.encode(), name="b.txt", corpus="open").result.classification
    (document,) = library.documents(corpus="open")
    assert document.result.classification == wanted


def test_a_type_set_by_hand_stays_the_users(library: Library) -> None:
    library.ingest(TEXT.encode(), name="a.txt", corpus="sealed")
    library.ingest(TEXT.encode(), name="b.txt", corpus="open")
    (mine,) = library.documents(corpus="open")
    mine.set_type("manual", by="anna")
    assert [library.documents(corpus=name)[0].document_type for name in ("sealed", "open")] == [TYPE, "manual"]
    mine.set_type(None)
    assert library.documents(corpus="open")[0].document_type == "unknown"


def test_the_librarys_own_profile_registers_for_everybody(tmp_path: Path, profile: str) -> None:
    with Library.open(tmp_path / "library", settings=Settings(workers=1, profile=profile)) as library:
        library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
        library.ingest(TEXT.encode(), name="a.txt", corpus="sealed")
        assert library.ingest(TEXT.encode(), name="b.txt", corpus="open").result.document_type == TYPE
