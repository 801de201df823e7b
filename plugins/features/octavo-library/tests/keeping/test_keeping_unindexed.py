"""What is whole and not in the index is never removed: an empty, older or foreign index, and rows that are lost (STO-8)."""

from __future__ import annotations

import hashlib
import io
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_cli import main
from octavo_contracts import LibraryDamaged
from octavo_library import Library
from octavo_library.storage import PolicyContext
from octavo_library.storage.index.rebuild import rebuild_index

pytestmark = pytest.mark.sqlite_files

SAMPLE = Path(__file__).resolve().parents[5] / "docs" / "samples" / "field-notes.md"


def tree(root: Path) -> dict[str, bytes]:
    """What must not be lost: texts of versions, originals and recognised pages."""
    kept = [path for name in ("by_hash", "originals", "ocr") for path in (root / name).rglob("*") if path.is_file()]
    derived = ("record.json", "processing_log.json")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in kept if path.name not in derived}


def texts(root: Path, runtime: Runtime) -> dict[str, str]:
    with Library.open(root, runtime=runtime) as library:
        return {one.id: one.canonical_text for one in library.documents()}


def drop_log_of_index(root: Path) -> None:
    for suffix in ("-wal", "-shm"):
        (root / f"index.sqlite{suffix}").unlink(missing_ok=True)


def without_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


@pytest.fixture
def filled(root: Path, shared_runtime: Runtime, file: Path) -> dict[str, str]:
    """A library with a document of a path, one that came as bytes alone, and one that failed."""
    with Library.open(root, runtime=shared_runtime) as library:
        library.corpora.create("sea")
        library.ingest(file, corpus="sea", plugin="pages")
        library.ingest(b"by mail|alone", name="letter.txt", plugin="pages")
        assert library.maintenance.verify().is_clean
    return texts(root, shared_runtime)


@pytest.mark.parametrize("make_empty", [lambda path: path.write_bytes(b""), without_tables], ids=["bytes", "tables"])
def test_an_empty_index_beside_documents_is_refused(
    root: Path, filled: dict[str, str], shared_runtime: Runtime, make_empty, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was taken for a new library, and `repair --yes` then deleted every document as an orphan."""
    before = tree(root)
    make_empty(root / "index.sqlite")
    drop_log_of_index(root)

    with pytest.raises(LibraryDamaged, match="is empty, but the library has documents") as caught:
        Library.open(root, runtime=shared_runtime)
    assert "--rebuild-index" in caught.value.remedy
    for command in (["list"], ["ingest", str(SAMPLE)], ["verify-store"], ["repair"]):
        assert main([*command, "--library", str(root)]) == 3
    assert tree(root) == before
    assert "[library_damaged]" in capsys.readouterr().err

    assert main(["repair", "--yes", "--library", str(root)]) == 0
    assert tree(root) == before
    assert texts(root, shared_runtime) == filled


def test_the_index_of_another_library_is_refused(
    root: Path, filled: dict[str, str], shared_runtime: Runtime, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    with Library.open(other, runtime=shared_runtime) as library:
        stranger = library.ingest(b"another|library", name="other.txt", plugin="pages").document.id
        other_id = library.context.index.library_id()
    with Library.open(root, runtime=shared_runtime) as library:
        own_id = library.context.index.library_id()
    before = tree(root)
    shutil.copy(other / "index.sqlite", root / "index.sqlite")
    drop_log_of_index(root)

    with pytest.raises(LibraryDamaged, match="the index of a different library") as caught:
        Library.open(root, runtime=shared_runtime)
    assert "--rebuild-index" in caught.value.remedy
    assert main(["repair", "--library", str(root)]) == 3

    assert main(["repair", "--yes", "--library", str(root)]) == 0
    assert tree(root) == before
    assert texts(root, shared_runtime) == filled
    with Library.open(root, runtime=shared_runtime) as library:
        assert library.context.index.library_id() == own_id != other_id
        assert stranger not in [one.id for one in library.documents()]
        assert [corpus.name for corpus in library.corpora.list()] == ["sea"]


def test_a_copy_of_a_library_and_one_without_its_record_are_opened(
    root: Path, filled: dict[str, str], shared_runtime: Runtime, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    assert texts(copy, shared_runtime) == filled
    (copy / "library.json").unlink()
    assert texts(copy, shared_runtime) == filled
    (copy / "library.json").write_bytes(b"\0" * 100)  # as a power cut leaves it
    assert texts(copy, shared_runtime) == filled


def test_an_index_that_is_older_than_the_documents_loses_nothing(
    root: Path,
    filled: dict[str, str],
    shared_runtime: Runtime,
    file: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The index came back from a backup, the documents beside it did not."""
    older = shutil.copy(root / "index.sqlite", tmp_path / "older.sqlite")
    with Library.open(root, runtime=shared_runtime) as library:
        library.corpora.create("secret")
        one = library.ingest(file).document
        one.reconvert(plugin="headed")
        one.annotations.add("note", text="look here", page=2)
        new = library.ingest(b"came later|by mail", name="late.txt", corpus="secret", plugin="pages").document
        new.annotations.add("note", text="and here", page=1)
        gone = library.ingest(b"purged|since", name="gone.txt", plugin="pages").document
        library.maintenance.purge(gone, confirm=gone.id)
    before, expected = tree(root), texts(root, shared_runtime)
    shutil.copy(older, root / "index.sqlite")
    drop_log_of_index(root)

    with Library.open(root, runtime=shared_runtime) as library:
        library.ingest(file)  # what is done meanwhile does not write over a record that knows more
        assert "the index is older than the documents beside it" in caplog.text
        report = library.maintenance.verify()
        assert report.orphans == ()
        assert f"store:by_hash/{one.raw_hash}/conversions/v2" in report.unindexed
        assert f"store:by_hash/{new.raw_hash}/conversions/v1" in report.unindexed
        assert any(ref.startswith(f"store:originals/{new.raw_hash}") for ref in report.unindexed)
        assert not report.is_clean

        done = library.maintenance.repair(report)

        assert set(done.adopted) == set(report.unindexed)
        assert (done.removed, done.remaining) == ((), ())
        assert [note.text for note in library.document(one.id).annotations] == ["look here"]
        assert [note.text for note in library.document(new.id).annotations] == ["and here"]
        assert [each.id for each in library.documents(corpus="secret")] == [new.id]
        assert library.document(one.id).active_version == 2
        assert library.maintenance.verify().is_clean
    assert tree(root) == before
    assert texts(root, shared_runtime) == expected


@pytest.mark.parametrize("table", ["conversions", "documents"])
@pytest.mark.parametrize("record", ["record", "no record"])
def test_a_row_that_is_lost_comes_back_from_the_files(
    root: Path, filled: dict[str, str], shared_runtime: Runtime, table: str, record: str
) -> None:
    before = tree(root)
    if record == "no record":
        for path in root.glob("by_hash/*/record.json"):
            path.unlink()
    with closing(sqlite3.connect(root / "index.sqlite")) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
        connection.commit()

    with Library.open(root, runtime=shared_runtime) as library:
        report = library.maintenance.verify()
        assert report.unindexed
        assert report.orphans == ()
        done = library.maintenance.repair(report)
        assert done.removed == ()
        assert set(done.adopted) == set(report.unindexed)
        assert library.maintenance.verify().is_clean
    assert tree(root) == before
    assert texts(root, shared_runtime) == filled


def test_a_whole_version_that_nothing_names_becomes_one_of_its_document(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    files = {
        path.name: path.read_bytes()
        for path in (library.path / "by_hash" / document.raw_hash / "conversions" / "v1").iterdir()
        if path.is_file() and path.name != "version.json"
    }
    number = library.context.artifacts.put_version(document.raw_hash, files)

    done = library.maintenance.repair()

    assert done.adopted == (f"store:by_hash/{document.raw_hash}/conversions/v{number}",)
    assert [one.version for one in library.document(document.id).versions] == [1, number]
    assert library.document(document.id).active_version == 1, "it never was the active one"
    assert (done.removed, done.remaining) == ((), ())


def test_an_original_that_nothing_names_becomes_a_document_of_the_owner(library: Library) -> None:
    """It may be the only copy of what was attached to a message. Whose it was is not known, so no corpus is told."""
    data = b"attached|to a letter"
    ref = library.context.artifacts.put_original(
        hashlib.sha256(data).hexdigest(), extension="txt", stream=io.BytesIO(data)
    )
    assert library.maintenance.verify().unindexed == (ref,)

    done = library.maintenance.repair()

    assert (done.adopted, done.removed, done.unreadable) == ((ref,), (), ())
    (document,) = library.documents()
    assert "to a letter" in document.canonical_text
    assert library.documents(policy=PolicyContext()) == []
    assert library.context.artifacts.path(ref).read_bytes() == data
    assert library.maintenance.verify().is_clean


def test_what_was_purged_is_not_taken_up_again(
    root: Path, filled: dict[str, str], shared_runtime: Runtime, tmp_path: Path
) -> None:
    """STO-12: a purge that could not remove everything is completed, and a new index does not bring it back."""
    data = b"a secret|to forget"
    with Library.open(root, runtime=shared_runtime) as library:
        document = library.ingest(data, name="secret.txt", plugin="pages").document
        folder = root / "by_hash" / document.raw_hash
        shutil.copytree(folder / "conversions", tmp_path / "conversions")
        (original,) = library.context.artifacts.originals_of(document.raw_hash)
        library.maintenance.purge(document, confirm=document.id)
        shutil.copytree(tmp_path / "conversions", folder / "conversions")
        library.context.artifacts.path(original).write_bytes(data)
        report = library.maintenance.verify()
        assert report.unindexed == ()
        assert set(report.orphans) == {original, f"store:by_hash/{document.raw_hash}/conversions/v1"}
    for path in root.glob("index.sqlite*"):
        path.unlink()
    rebuild_index(root)
    with Library.open(root, runtime=shared_runtime) as library:
        assert document.id not in [one.id for one in library.documents()]
        assert len(library.maintenance.repair().removed) == 2
        assert library.maintenance.verify().is_clean
    assert texts(root, shared_runtime) == filled


def test_the_commands_say_what_is_not_in_the_index(
    root: Path, filled: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(root / "index.sqlite")) as connection:
        connection.execute("DELETE FROM conversions")
        connection.commit()
    assert main(["verify-store", "--library", str(root)]) == 3
    assert "not in the index  store:by_hash/" in capsys.readouterr().out
    assert main(["repair", "--yes", "--library", str(root)]) == 0
    assert "adopted           store:by_hash/" in capsys.readouterr().out
