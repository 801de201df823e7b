"""What Octavo writes where the user says meets no other file of the user's (CNV-17, STO-14)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from octavo_contracts import StorageError, UsageError
from octavo_library import Library
from octavo_sandbox.filesystem.output_file import check_output, write_output


def test_a_file_named_like_an_unfinished_export_survives(library: Library, file: Path, tmp_path: Path) -> None:
    """It made the export fail, and was removed then: its name was told by the target's and the process's number."""
    document = library.ingest(file, plugin="pages").document
    mine = tmp_path / f".a.zip.{os.getpid()}.part"
    mine.write_text("mine")

    document.export(tmp_path / "a.zip")

    assert mine.read_text() == "mine"
    assert (tmp_path / "a.zip").read_bytes()[:2] == b"PK"


def test_a_file_named_like_an_unfinished_output_survives(octavo_main, file: Path, tmp_path: Path) -> None:
    mine = tmp_path / f".out.md.{os.getpid()}.part"
    mine.write_text("mine")

    assert octavo_main(["convert", str(file), "-o", str(tmp_path / "out.md")]) == 0

    assert mine.read_text() == "mine"
    assert (tmp_path / "out.md").read_text()


@pytest.fixture
def octavo_main():
    from octavo_cli import main

    return main


@pytest.mark.parametrize("kind", ["itself", "symlink", "hardlink"])
def test_a_document_that_the_target_became_meanwhile_is_not_replaced(tmp_path: Path, kind: str) -> None:
    """The target is looked at before a conversion, which may take minutes, and again when it is written."""
    document, target = tmp_path / "document", tmp_path / "target"
    document.write_text("the document")
    check_output(target, never=(document,))
    if kind == "symlink":
        target.symlink_to(document)
    elif kind == "hardlink":
        os.link(document, target)
    else:
        target = document

    with pytest.raises(UsageError, match="would replace the document itself"):
        write_output(target, b"text", never=(document,))

    assert document.read_text() == "the document"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"document", target.name})


def test_another_name_of_the_old_file_keeps_the_old_content(tmp_path: Path) -> None:
    """A target is replaced by name: what else is linked to it is somebody's file."""
    old, other = tmp_path / "out.md", tmp_path / "other.md"
    old.write_text("old")
    os.link(old, other)

    write_output(old, b"new", never=())

    assert (old.read_text(), other.read_text()) == ("new", "old")


def test_a_link_keeps_pointing_where_it_does(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "out.md").symlink_to(tmp_path / "far" / "out.md")

    write_output(tmp_path / "out.md", b"new", never=())

    assert (tmp_path / "out.md").is_symlink()
    assert (tmp_path / "far" / "out.md").read_text() == "new"


def test_a_folder_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="cannot be written"):
        write_output(tmp_path / "folder", b"new", never=())


def test_standard_input_that_is_a_file_is_not_replaced(file: Path) -> None:
    before = file.read_bytes()
    command = [sys.executable, "-m", "octavo", "convert", "-", "--name", file.name, "-o", str(file)]

    with file.open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "would replace the document itself" in done.stderr
    assert file.read_bytes() == before


def test_an_export_does_not_replace_the_original_that_was_moved(library: Library, file: Path, tmp_path: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    moved = file.rename(tmp_path / "moved.txt")
    before = moved.read_bytes()
    (tmp_path / "link.txt").symlink_to(moved)

    for target in (moved, tmp_path / "link.txt"):
        with pytest.raises(UsageError, match="has the bytes of the document"):
            document.export(target)

    assert moved.read_bytes() == before
    (tmp_path / "old.zip").write_bytes(b"x" * len(before))
    document.export(tmp_path / "old.zip")
    document.export(tmp_path / "old.zip")
    assert (tmp_path / "old.zip").read_bytes()[:2] == b"PK"


def test_an_output_does_not_replace_what_came_by_a_pipe(octavo_main, file: Path, tmp_path: Path) -> None:
    """`cat a.txt | octavo convert - -o a.txt`: the pipe does not tell which file it was."""
    before = file.read_bytes()
    command = [sys.executable, "-m", "octavo", "convert", "-", "--name", file.name, "--json", "-o", str(file)]

    done = subprocess.run(command, input=before, capture_output=True, check=False)

    assert done.returncode == 2
    assert b"has the bytes of the document" in done.stderr
    assert file.read_bytes() == before
    copy = tmp_path / "copy.txt"
    copy.write_bytes(before)
    assert octavo_main(["convert", str(file), "--json", "-o", str(copy)]) == 2
    assert copy.read_bytes() == before


def test_an_output_that_is_the_same_text_again_is_written(octavo_main, tmp_path: Path) -> None:
    """The markdown of a markdown file may be the file itself: converting it twice to one name loses nothing."""
    document, target = tmp_path / "a.md", tmp_path / "b.md"
    document.write_text("# Tides\n\nThe tide turned at noon.\n")

    for _ in range(2):
        assert octavo_main(["convert", str(document), "-o", str(target)]) == 0

    assert target.read_bytes() == document.read_bytes()


def test_no_output_is_written_into_a_library(library: Library, file: Path) -> None:
    """An export over its index, or over a text of a version, would destroy what is kept."""
    document = library.ingest(file, plugin="pages").document
    kept = {path: path.read_bytes() for path in library.path.rglob("*.txt")}

    for target in (library.path / "index.sqlite", *kept, library.path / "by_hash" / "new.zip"):
        with pytest.raises(UsageError, match="into the library"):
            document.export(target)

    assert {path: path.read_bytes() for path in kept} == kept
    assert not (library.path / "by_hash" / "new.zip").exists()
