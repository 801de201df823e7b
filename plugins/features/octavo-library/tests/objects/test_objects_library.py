"""A library in an object store gives what the same library in a folder gives, on every machine that opens it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main
from octavo_contracts import SourceMissing, UsageError
from octavo_library import Library
from octavo_library.summaries import VersionTexts, keep_summary, valid_summary

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"
NAMES = ("field-notes.md", "tide-table.csv", "harbour-seals.html", "storm-warning.eml", "annual-report.pdf")
FIXED = ("converted.md", "canonical.txt", "anchors.json", "pages.json", "quality_report.json")
Opener = Callable[..., Library]


@pytest.fixture
def papers(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "papers"
    folder.mkdir()
    return [Path(shutil.copy(SAMPLES / name, folder)) for name in NAMES]


def contents(library: Library) -> dict[str, bytes]:
    """Every file of every active version that does not depend on the moment of its conversion."""
    artifacts = library.context.artifacts
    found = {}
    for document in library.documents():
        for name in FIXED:
            ref = f"store:by_hash/{document.raw_hash}/conversions/v{document.active_version}/{name}"
            found[f"{document.raw_hash}/{name}"] = artifacts.read(ref)
    return found


def test_the_texts_are_those_of_a_library_in_a_folder(machine: Opener, papers: list[Path], tmp_path: Path) -> None:
    """Both texts, anchors, pages and reports are equal byte for byte; another machine reads and finds the same."""
    with Library.open(tmp_path / "local") as local, machine() as library:
        statuses = [
            {one.source: one.result.ingestion_status for one in each.ingest_many(papers)} for each in (local, library)
        ]
        assert statuses[0] == statuses[1]
        assert contents(local) == contents(library)
        with machine("two") as other:
            assert contents(other) == contents(library)
            hits = [[(hit.document_id, hit.snippet) for hit in each.search("seals")] for each in (local, other)]
            assert hits[0] == hits[1] != []
            assert other.maintenance.verify().is_clean
            assert other.ingest(papers[0]).reused


def test_a_purge_removes_objects_and_the_copies_of_every_machine(
    machine: Opener, papers: list[Path], objects: Callable[[], list[str]], tmp_path: Path
) -> None:
    with machine() as library, machine("two") as other:
        document_id = library.ingest(papers[0]).document_id
        assert document_id is not None
        document = library.document(document_id)
        assert other.document(document_id).canonical_text == document.canonical_text
        library_id = library.context.index.library_id()
        copies = [tmp_path / name / "cache" / library_id / document.raw_hash for name in ("one", "two")]
        assert all(copy.is_dir() for copy in copies)
        library.maintenance.purge(document_id, confirm=document_id)
        assert not any(document.raw_hash in key for key in objects())
        assert not copies[0].exists()
    with machine("two"):
        assert not copies[1].exists()


def test_an_original_is_stored_if_the_settings_say_so(
    machine: Opener, papers: list[Path], objects: Callable[[], list[str]]
) -> None:
    with machine() as library:
        by_reference = library.ingest(papers[0]).document_id
        assert by_reference is not None
    assert not [key for key in objects() if key.startswith("originals/")]
    with machine("two", originals="stored") as library:
        stored = library.ingest(papers[1]).document_id
        assert stored is not None
        assert library.document(stored).result.original_artifact_ref.startswith("file:")
    data = {one: papers[i].read_bytes() for i, one in enumerate((by_reference, stored))}
    for paper in papers[:2]:
        paper.unlink()
    with machine("three") as library:
        with library.document(stored).original.open() as source, open(source.fd, "rb", closefd=False) as stream:
            assert stream.read() == data[stored]
        with pytest.raises(SourceMissing):
            library.document(by_reference).original.open()
        library.maintenance.purge(stored, confirm=stored)
    assert not [key for key in objects() if key.startswith("originals/")]


def test_an_original_whose_copy_was_altered_is_opened(machine: Opener, tmp_path: Path) -> None:
    """The cache promises it of every copy; other machines are not affected by the disk of this one."""
    with machine("one") as library:
        document = library.document(library.ingest(b"The gauge is read at dawn.", name="note.txt").document_id or "")
        with document.original.open() as source:
            assert source.raw_file_hash == document.raw_hash
        (copy,) = (tmp_path / "one" / "cache" / library.context.index.library_id() / document.raw_hash).glob(
            "original*"
        )
        copy.write_bytes(b"poison")
        with document.original.open() as source:
            assert source.raw_file_hash == document.raw_hash


def test_bytes_without_a_path_are_stored_and_converted_again(machine: Opener) -> None:
    with machine() as library:
        document_id = library.ingest(b"# A note\n\nSome words.\n", name="note.md").document_id
        assert document_id is not None
    with machine("two") as other:
        document = other.document(document_id)
        document.reconvert()
        assert other.document(document_id).active_version == 2
        assert "Some words." in other.document(document_id).canonical_text


def test_a_library_needs_its_index_on_a_server(url: str, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCTAVO_INDEX", raising=False)
    with pytest.raises(UsageError, match="needs its index in a database on a server") as told:
        Library.open(url)
    assert "--index" in str(told.value.remedy)
    assert s3.asked == []


@pytest.mark.parametrize(
    "wrong", ["S3://bucket/x", "s4://key:secret@bucket/x", "gcs://bucket/x", "s3:/bucket/x", Path("s3://bucket/x")]
)
def test_a_mistyped_url_is_no_folder(wrong: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for create in (True, False):
        with pytest.raises(UsageError, match="s3://, gs:// or az://") as told:
            Library.open(wrong, create=create)
        assert "secret" not in f"{told.value} {told.value.remedy}"
    assert list(tmp_path.iterdir()) == []
    Library.open(tmp_path / "s3:" / "x").close()
    assert (tmp_path / "s3:" / "x").is_dir()


def test_the_command_line_refuses_a_mistyped_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.md").write_text("# A note\n")
    for more in ([], ["--dry-run"]):
        assert main(["ingest", "note.md", "--library", "S3://papers/typo", *more]) == 2
        assert "begins with 'S3://'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_a_missing_library_is_not_created_for_a_reader(url: str, index_url: str, s3: Any) -> None:
    with pytest.raises(UsageError, match="there is no library at s3://"):
        Library.open(url, index=index_url, create=False)


def test_a_database_of_another_library_is_refused(machine: Opener, index_url: str, s3: Any, tmp_path: Path) -> None:
    with machine() as library:
        library.ingest(b"# A note\n", name="note.md")
    with pytest.raises(UsageError, match="is the index of a different library"):
        Library.open(f"s3://library/{tmp_path.name}-other", index=index_url)


def test_the_command_line_takes_the_url_of_both(
    url: str, index_url: str, papers: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))

    def run(*arguments: str) -> tuple[int, str]:
        return main(arguments), capsys.readouterr().out

    place = ("--library", url, "--index", index_url)
    code, said = run("ingest", str(papers[0]), *place)
    assert code == 0
    assert f"Library: {url}" in said
    code, said = run("list", "--json", *place)
    assert code == 0
    assert '"complete"' in said
    assert list((tmp_path / "caches" / "octavo").iterdir())


class Counter:
    """A maker of summaries that counts the pages of a version."""

    name, version = "counter", "1"

    def make(self, texts: VersionTexts) -> dict[str, int]:
        return {"pages": len(texts.markdown_pages)}


def test_a_summary_of_one_machine_is_read_checked_and_purged_on_another(
    machine: Opener, papers: list[Path], objects: Callable[[], list[str]]
) -> None:
    """A summary is an object beside its version (STO-2): replaced, verified and purged like one (INT-2, STO-12)."""
    with machine() as library, machine("two") as other:
        document = library.document(str(library.ingest(papers[0]).document_id))
        assert document.active_version is not None
        where = (document.raw_hash, document.active_version, Counter())
        for pages in (1, 2):
            keep_summary(library.context.artifacts, *where, {"pages": pages})
            found = valid_summary(other.context.artifacts, *where, max_days=1)
            assert found is not None
            assert found.content == {"pages": pages}
        assert other.maintenance.verify().is_clean
        (ref,) = other.context.artifacts.summaries(document.raw_hash, document.active_version)
        other.context.artifacts.store.replace(ref.removeprefix("store:"), b"{}", doing="spoiling it")
        assert other.maintenance.verify().altered == (ref,)
        assert valid_summary(library.context.artifacts, *where, max_days=1) is None
        library.maintenance.purge(document.id, confirm=document.id)
        assert [key for key in objects() if document.raw_hash in key] == []
        with pytest.raises(UsageError, match="does not exist"):
            other.context.artifacts.put_summary(document.raw_hash, 1, name="counter-1", data=b"{}")
