"""No file of the user's is removed or changed by an archive, whatever it is called and wherever it stands (DIG-9, R-5)."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_contracts import StorageError
from octavo_digest import Archive
from octavo_text.canonical import canonicalise

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
OLD = 1_000_000_000.0
TEXT = canonicalise("The gauge of the harbour.")


def put(path: Path, content: bytes) -> Path:
    """A file of the user's, older than any retention."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (OLD, OLD))
    return path


def named_by_hash(folder: Path, content: bytes) -> Path:
    return put(folder / f"{hashlib.sha256(content).hexdigest()}.txt", content)


def state(folder: Path) -> dict[str, bytes | None]:
    """Every file with its content, every folder and link without."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def users(tmp_path: Path) -> Path:
    """A folder of the user's with names that an archive could have."""
    folder = tmp_path / "documents"
    put(folder / "letters" / "to-mother.txt", b"Dear mother")
    put(folder / "letters" / f"{'0' * 64}.txt", b"named like a hash")
    named_by_hash(folder / "letters", b"named by its own hash, as an older Octavo would have")
    named_by_hash(folder, b"the same beside it")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize("digestor", ["core", None])
def test_a_folder_of_the_users_survives_a_digest(users: Path, monkeypatch, tmp_path: Path, digestor) -> None:
    """The sweep of `octavo digest F --archive-dir DIR` removed every `DIR/*/*.txt` older than 30 days."""
    monkeypatch.chdir(tmp_path)
    before = state(users)
    chosen = ["--digestor", digestor] if digestor else []

    for _ in range(2):
        report = SAMPLES / "annual-report.pdf"
        assert main(["digest", str(report), "--query", "surge", "--archive-dir", str(users), *chosen]) == 0

    after = state(users)
    assert {name: after.get(name, "gone") for name in before} == before
    assert any(name.endswith(".txt") and name not in before for name in after)


def test_only_what_the_archive_wrote_is_swept(users: Path) -> None:
    now = [OLD]
    archive = Archive(users, clock=lambda: now[0])
    before = state(users)
    archive.write("letters", TEXT)
    archive.write("new", TEXT)
    now[0] += 31 * 86_400

    assert archive.sweep() == 2
    assert {name: data for name, data in state(users).items() if not name.startswith(".octavo-archive")} == before


def test_a_text_is_kept_whose_content_is_not_what_its_name_says(tmp_path: Path) -> None:
    archive = Archive(tmp_path, clock=lambda: OLD + 31 * 86_400)
    path = archive.write("doc", TEXT)
    put(path, b"notes that somebody wrote into it")

    assert archive.sweep() == 0
    assert path.read_bytes() == b"notes that somebody wrote into it"
    with pytest.raises(StorageError, match="has other content"):
        archive.write("doc", TEXT)
    assert path.read_bytes() == b"notes that somebody wrote into it"


def test_a_file_that_was_there_first_is_neither_replaced_nor_swept(tmp_path: Path) -> None:
    """Of the same name and content as the text: an older version of Octavo wrote it, or the user did."""
    mine = named_by_hash(tmp_path / "doc", TEXT.text.encode())
    archive = Archive(tmp_path)

    assert archive.write("doc", TEXT) == mine
    assert mine.stat().st_mtime == OLD
    assert archive.sweep() == 0
    assert mine.exists()


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
@pytest.mark.parametrize("linked", ["source", "text", "marks", "marks-of-source", "mark"])
def test_no_link_leads_out_of_the_archive(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    target = named_by_hash(outside, TEXT.text.encode())
    put(outside / TEXT.sha256, b"octavo digest archive 1\n")
    kept = tmp_path / "kept"
    now = [OLD]
    archive = Archive(kept, clock=lambda: now[0])
    path = archive.write("doc", TEXT)
    marks = kept / ".octavo-archive"
    place = {
        "source": path.parent,
        "text": path,
        "marks": marks,
        "marks-of-source": marks / "doc",
        "mark": marks / "doc" / TEXT.sha256,
    }[linked]
    place.rename(tmp_path / "aside")
    place.symlink_to({"text": target, "mark": outside / TEXT.sha256}.get(linked, outside))
    before = state(outside)
    now[0] += 31 * 86_400

    assert archive.sweep() == 0
    if linked in ("source", "marks", "marks-of-source"):
        with pytest.raises(StorageError):
            archive.write("doc", TEXT)
    assert state(outside) == before
    assert place.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="links want rights of their own on Windows")
def test_another_name_of_an_archived_text_stays(tmp_path: Path) -> None:
    now = [OLD]
    archive = Archive(tmp_path / "kept", clock=lambda: now[0])
    mine = tmp_path / "mine.txt"
    os.link(archive.write("doc", TEXT), mine)
    now[0] += 31 * 86_400

    assert archive.sweep() == 1
    assert mine.read_bytes() == TEXT.text.encode()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names in folders")
def test_a_pipe_in_the_place_of_a_text_stops_nothing(tmp_path: Path) -> None:
    archive = Archive(tmp_path, clock=lambda: OLD)
    path = archive.write("doc", TEXT)
    path.unlink()
    os.mkfifo(path)

    assert Archive(tmp_path).sweep() == 0
    with pytest.raises(StorageError):
        archive.write("doc", TEXT)


def test_a_folder_that_the_archive_did_not_make_stays_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "kept" / "mine").mkdir(parents=True)
    now = [OLD]
    archive = Archive(tmp_path / "kept", clock=lambda: now[0])
    archive.write("mine", TEXT)
    archive.write("its-own", TEXT)
    now[0] += 31 * 86_400

    assert archive.sweep() == 2
    assert [path.name for path in sorted((tmp_path / "kept").iterdir())] == [".octavo-archive", "mine"]
    assert not any((tmp_path / "kept" / ".octavo-archive").iterdir())
