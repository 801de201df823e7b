"""The document as a hook sees it: bytes, a hash, and a private copy (CNV-17)."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from octavo_contracts import FileSource, SourceView, private_copy

CONTENT = "tide table 🌊\n".encode() * 100_000  # more than one block of the copy


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A file of the user's."""
    path = tmp_path / "Tide Table.CSV"
    path.write_bytes(CONTENT)
    return path


def test_a_file_source_tells_what_the_file_is(original: Path) -> None:
    """Name, type, size and hash, without reading more than it must."""
    source = FileSource(original, media_type="text/csv")
    assert isinstance(source, SourceView)
    assert source.name == "Tide Table.CSV"
    assert source.media_type == "text/csv"
    assert source.size == len(CONTENT)
    assert source.sha256 == hashlib.sha256(CONTENT).hexdigest() == source.sha256
    assert source.read_bytes() == CONTENT


def test_each_opening_starts_at_the_first_byte(original: Path) -> None:
    """Two readers do not move each other's place."""
    source = FileSource(str(original), media_type="text/csv")
    with source.open() as first, source.open() as second:
        assert first.read(4) == CONTENT[:4]
        assert second.read(4) == CONTENT[:4]
        assert not first.writable()


def test_a_name_for_messages_can_be_given(original: Path) -> None:
    """The host may know the document by another name than the file's."""
    assert FileSource(original, media_type="text/csv", name="mail.eml").name == "mail.eml"


def test_the_path_is_a_copy_made_once_in_the_work_folder(original: Path, tmp_path: Path) -> None:
    """An engine that scribbles on the path it got never reaches the original."""
    work = tmp_path / "work"
    work.mkdir()
    source = FileSource(original, media_type="text/csv", work_dir=work)
    copy = source.path
    assert copy == source.path
    assert copy.parent == work
    assert copy.suffix == ".csv"
    assert copy.read_bytes() == CONTENT
    assert not os.path.samefile(copy, original)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o400


def test_without_a_work_folder_the_copy_stands_in_a_temporary_one(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For trying a plugin by hand."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    copy = FileSource(original, media_type="text/csv").path
    assert copy.parent.parent == tmp_path
    assert copy.parent.name.startswith("octavo-source-")
    assert copy.read_bytes() == CONTENT


def test_the_temporary_folder_ends_with_its_process(original: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from octavo_contracts import FileSource; "
        "path = FileSource(sys.argv[1], media_type='text/csv').path; sys.stdout.buffer.write(path.read_bytes())"
    )
    own = tmp_path / "own"
    own.mkdir()
    environment = {**os.environ, "TMPDIR": str(own)}
    done = subprocess.run([sys.executable, "-c", code, str(original)], env=environment, capture_output=True, check=True)
    assert done.stdout == CONTENT
    assert list(own.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.pdf", ".pdf"),
        ("a.tar.GZ", ".gz"),
        ("noextension", ""),
        (".hidden", ""),
        ("a.", ""),
        ("a.p/../../etc", ""),
        ("a.sh;rm", ""),
        ("a.潮汐", ""),
        ("a.waytoolongtobetrue", ""),
        ("../../../etc/passwd.txt", ".txt"),
    ],
)
def test_a_name_never_becomes_a_path(original: Path, tmp_path: Path, name: str, suffix: str) -> None:
    """Only a short plain extension is taken from a name that the document chose."""
    work = tmp_path / "work"
    work.mkdir()
    copy = private_copy(FileSource(original, media_type="text/csv", name=name), work)
    assert copy.name == f"source-{hashlib.sha256(CONTENT).hexdigest()[:16]}{suffix}"
    assert [entry.name for entry in work.iterdir()] == [copy.name]


def test_a_copy_that_is_there_is_used_again(original: Path, tmp_path: Path) -> None:
    """Two hooks on one document cost one copy."""
    work = tmp_path / "work"
    work.mkdir()
    first = private_copy(FileSource(original, media_type="text/csv"), work)
    made = first.stat().st_mtime_ns
    assert private_copy(FileSource(original, media_type="text/csv"), work).stat().st_mtime_ns == made
