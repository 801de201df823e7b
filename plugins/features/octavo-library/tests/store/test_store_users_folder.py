"""A library never makes, sweeps or changes anything in a folder that Octavo did not make for it (STO-8, STO-12)."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.search.storage import replace
from octavo_library.storage import ArtifactStore, Index, library_url, recover
from octavo_library.storage.files import layout

SAMPLE = Path(__file__).resolve().parents[5] / "docs" / "samples" / "field-notes.md"
UNLUCKY = (
    "tmp/host-1-00000000/thesis.txt",
    "locks/host-1-00000000.lock",
    "locks/notes.lock",
    "originals/notes.txt",
    f"originals/{'0' * 64}.txt",
    "by_hash/mine/letter.txt",
    "ocr/page.json",
    "search/chunks-00000000000000000001.sqlite",
    "search/vectors/00000000000000000001-000000/mine",
    "logs/events.jsonl",
    "reserve.bin",
    "library.json",
    "index.sqlite-wal",
    "index.sqlite-shm",
    "index.sqlite-journal",
)
"""Names that a library's sweeps and writers go by."""


def state(folder: Path) -> dict[str, object]:
    """Every file's content and time, every folder."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", UNLUCKY)
def test_a_folder_of_the_users_is_refused_and_left_as_it_is(tmp_path: Path, name: str, capsys) -> None:
    mine = tmp_path / "mine"
    (mine / name).parent.mkdir(parents=True)
    (mine / name).write_bytes(b"")
    before = state(mine)

    with pytest.raises(UsageError, match="is not a library"):
        Library.open(mine)
    assert main(["ingest", str(SAMPLE), "--library", str(mine)]) == 2
    assert main(["list", "--library", str(mine)]) == 2

    assert "is not a library" in capsys.readouterr().err
    assert state(mine) == before


def test_the_database_of_another_program_is_not_changed(tmp_path: Path) -> None:
    """It was migrated: an `index.sqlite` of the user's got Octavo's tables, and a log beside it."""
    mine = tmp_path / "mine"
    mine.mkdir()
    with closing(sqlite3.connect(mine / "index.sqlite")) as connection:
        connection.execute("CREATE TABLE recipes(name TEXT)")
        connection.execute("INSERT INTO recipes VALUES ('soup')")
        connection.commit()
    before = state(mine)

    with pytest.raises(UsageError, match="another program's database"):
        Library.open(mine)
    with pytest.raises(UsageError, match="another program's database"):
        Index(library_url(mine))

    assert state(mine) == before


def test_a_folder_with_other_files_may_become_a_library(tmp_path: Path) -> None:
    """Nothing there has a name of a library's, so that nothing of it is ever looked at."""
    (tmp_path / "thesis.txt").write_text("mine")

    with Library.open(tmp_path) as library:
        library.ingest(SAMPLE)
    with Library.open(tmp_path) as library:
        assert len(library.documents()) == 1

    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_library_that_was_killed_while_it_was_made_is_opened(tmp_path: Path) -> None:
    """Its marker is there before anything else; the index is made last."""
    ArtifactStore(tmp_path / "library").close()

    with Library.open(tmp_path / "library") as library:
        assert library.documents() == []


def test_the_library_of_an_older_version_is_known_by_its_index(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        document = library.ingest(SAMPLE).document.id
    (tmp_path / layout.MARKER).rmdir()

    with Library.open(tmp_path) as library:
        assert library.document(document).canonical_text
    assert (tmp_path / layout.MARKER).exists()


def test_a_failed_opening_takes_its_marker_away(tmp_path: Path) -> None:
    root = tmp_path / "library"
    root.mkdir()
    (root / "index.sqlite").write_bytes(b"SQLite format 3\0 and then nothing that a database has" * 50)

    with pytest.raises(Exception, match="index"):
        Library.open(root)

    assert [path.name for path in root.iterdir()] == ["index.sqlite"]


# -- files of the user's in a library's own folders ---------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library") as library:
        library.ingest(SAMPLE)
    return tmp_path / "library"


def put(path: Path, content: bytes = b"mine") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


def test_an_opening_and_a_repair_remove_no_file_of_the_users(root: Path) -> None:
    mine = [
        put(root / "tmp" / "notes" / "thesis.txt"),
        put(root / "locks" / "notes.lock"),
        put(root / "locks" / "host-1-00000000.lock", b"not empty, as a lock of Octavo's is"),
        put(root / "originals" / "notes.txt"),
        put(root / "originals" / f"{'0' * 63}.txt"),
        put(root / "by_hash" / "mine" / "conversions" / "v1" / "letter.txt"),
        put(root / "ocr" / "mine" / "page.json"),
        put(root / "search" / "chunks-notes.sqlite"),
    ]
    orphan = put(root / "originals" / f"{hashlib.sha256(b'orphan').hexdigest()}.txt", b"cut off")
    whole = put(root / "originals" / f"{hashlib.sha256(b'whole').hexdigest()}.txt", b"whole")

    with Library.open(root) as library:
        library.maintenance.repair()
        replace(root / "search", None)
        replace(root / "search", None)

    assert [path for path in mine if not path.exists()] == []
    assert not orphan.exists()
    assert whole.read_bytes() == b"whole"


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
@pytest.mark.parametrize("linked", ["tmp", "tmp/host-1-00000000", "locks/host-1-00000000.lock", "search/vectors"])
def test_a_sweep_does_not_go_behind_a_link(root: Path, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    kept = [
        put(outside / "host-1-00000000" / "thesis.txt"),
        put(outside / "00000000000000000001-000000" / "vectors"),
        put(outside / "lock", b""),
    ]
    place = root / linked
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(tmp_path / "aside")
    place.symlink_to(outside / "lock" if linked.endswith(".lock") else outside)

    with Library.open(root) as library:
        library.search("the")
        recover(library.context.artifacts, library.context.index)

    assert all(path.exists() for path in kept)
    assert place.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
def test_a_repair_does_not_go_behind_a_link_to_a_folder_of_another_library(tmp_path: Path) -> None:
    """Two libraries whose folders are links to one: what one does not know is the other's."""
    one, other, shared = (tmp_path / name for name in ("one", "other", "shared"))
    with Library.open(one) as library:
        library.ingest(SAMPLE)
    for name in ("originals", "ocr"):
        (one / name).rename(tmp_path / f"of one {name}")
        (shared / name).mkdir(parents=True)
        (one / name).symlink_to(shared / name)
    Library.open(other).close()
    for name in ("originals", "ocr"):
        (other / name).rmdir()
        (other / name).symlink_to(shared / name)
    with Library.open(other) as library:
        mine = library.ingest(b"by mail alone", name="letter.txt").document
        library.context.artifacts.put_ocr("ab" * 32, name=f"engine-1-{'0' * 12}.json", data=b"{}")
        library.context.index.purges.record_ocr_pages(mine.id, ["ab" * 32])
        broken = put(shared / "originals" / f"{'c' * 64}.txt", b"not of that hash, and not of library one")
    before = state(shared)
    assert len([path for path in before.values() if path]) == 3

    with Library.open(one) as library:
        report = library.maintenance.verify()
        assert (report.orphans, report.unindexed) == ((), ())
        library.maintenance.repair()
        for ref in (f"store:originals/{broken.name}", f"store:ocr/{'ab' * 32}"):
            assert not library.context.artifacts.remove(ref)

    assert state(shared) == before


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
@pytest.mark.parametrize(
    "linked", ["originals", "by_hash", "by_hash/*", "by_hash/*/conversions", "by_hash/*/conversions/v1"]
)
def test_a_purge_says_what_stays_behind_a_link(tmp_path: Path, linked: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "library"
    with Library.open(root) as library:
        document = library.ingest(b"by mail alone", name="letter.txt").document
    (place,) = root.glob(linked)
    place.rename(tmp_path / "aside")
    place.symlink_to(tmp_path / "aside")
    before = state(tmp_path / "aside")

    assert main(["purge", document.id, "--confirm", document.id, "--library", str(root)]) == 0

    assert "not removed" in capsys.readouterr().out
    assert state(tmp_path / "aside") == before
    assert place.is_symlink()
    with Library.open(root) as library:
        assert library.documents() == []
        assert library.maintenance.repair().adopted == ()
        assert library.documents() == []
    assert state(tmp_path / "aside") == before


def test_a_repair_removes_of_an_orphan_what_is_octavos_and_says_what_stays(root: Path, capsys) -> None:
    """It said that the whole folder was removed."""
    page = "ab" * 32
    with Library.open(root) as library:
        (document,) = library.documents()
        version = Path(
            library.context.artifacts.put_version(document.raw_hash, {"converted.md": b"a", "canonical.txt": b"a"})
            and root / "by_hash" / document.raw_hash / "conversions" / "v2"
        )
        library.context.artifacts.put_ocr(page, name=f"engine-1.0-{'0' * 12}.json", data=b"{}")
    (version / "canonical.txt").write_text("cut off")
    mine = [put(version / "notes.txt"), put(root / "ocr" / page / "notes.json"), put(root / "ocr" / page / "a.txt")]

    assert main(["repair", "--yes", "--library", str(root)]) == 0

    shown = capsys.readouterr().out
    assert f"removed           store:by_hash/{document.raw_hash}/conversions/v2/canonical.txt" in shown
    assert f"removed           store:ocr/{page}/engine-1.0-{'0' * 12}.json" in shown
    for path in mine:
        assert path.read_bytes() == b"mine"
        assert f"kept              store:{path.relative_to(root).as_posix()}" in shown
    assert sorted(path.name for path in version.iterdir()) == ["notes.txt"]
    assert main(["verify-store", "--library", str(root)]) == 0, "what is left is nobody's orphan"


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
def test_a_purge_takes_a_link_and_not_what_it_leads_to(root: Path, tmp_path: Path) -> None:
    thesis = put(tmp_path / "outside" / "thesis.txt")
    with Library.open(root) as library:
        (document,) = library.documents()
        version = next((root / "by_hash").glob("*/conversions/v1"))
        version.rename(tmp_path / "aside")
        version.symlink_to(thesis.parent)

        library.maintenance.purge(document, confirm=document.id)

        assert library.documents() == []
    assert thesis.read_bytes() == b"mine"
    assert SAMPLE.exists()


@pytest.mark.parametrize("name", ["index.sqlite-wal", "index.sqlite-journal", "reserve.bin"])
def test_an_empty_index_proves_nothing_of_the_files_beside_it(tmp_path: Path, name: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.sqlite").touch()
    (mine / name).write_text("mine")
    before = state(mine)

    with pytest.raises(UsageError, match="is not a library"):
        Library.open(mine)

    assert state(mine) == before


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symlink", "hard link"])
@pytest.mark.parametrize("name", ["reserve.bin", "library.json"])
def test_a_link_in_a_library_never_leads_to_a_users_file(tmp_path: Path, name: str, link) -> None:
    mine, folder = tmp_path / "mine.txt", tmp_path / "library"
    mine.write_text("mine")
    Library.open(folder).close()
    (folder / name).unlink(missing_ok=True)
    link(mine, folder / name)

    with Library.open(folder) as library:
        library.ingest(SAMPLE, corpus="notes")

    assert mine.read_text() == "mine"


def test_a_purge_leaves_what_somebody_else_put_into_a_documents_folder(tmp_path: Path) -> None:
    """Octavo's own files go, whatever is beside them."""
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(SAMPLE).document
        folder = library.context.artifacts.root / "by_hash" / document.raw_hash
        mine = [folder / "mine.txt", folder / "minedir" / "f", folder / "conversions" / "v1" / "notes.md"]
        for path in mine:
            path.parent.mkdir(exist_ok=True)
            path.write_text("mine")
        (folder / "conversions" / "linked").symlink_to(tmp_path)

        library.maintenance.purge(document.id, confirm=document.id)

        left = {path for path in folder.rglob("*") if path.is_file()}
        assert left == set(mine)
        assert SAMPLE.is_file()
        assert (folder / "conversions" / "linked").is_symlink()
        assert library.ingest(SAMPLE).result.ingestion_status == "complete"
