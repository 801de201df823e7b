"""Which files an ingest run takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from octavo.documents.file_patterns import fitting_files
from octavo_contracts import SourceMissing
from octavo_sandbox.filesystem.file_walk import (
    LIBRARY,
    LINK_BROKEN,
    LINK_OUT,
    LINKED_FOLDER,
    NOT_A_FILE,
    Skipped,
    Walk,
    is_taken,
)
from octavo_sandbox.filesystem.globs import check, matches
from octavo_sandbox.filesystem.output_file import MARKER


def taken(walk: Walk, *, below: Path) -> list[str]:
    return [os.path.relpath(path, below) for path in walk]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.pdf", "*.pdf"),
        ("x/y/A.PDF", "*.pdf"),
        ("a.pdf", "**/*.pdf"),
        ("x/y/a.pdf", "**/*.pdf"),
        ("letters/a.txt", "letters/*"),
        ("letters/b/a.txt", "letters/**"),
        ("letters", "letters/"),
        ("x/b/y", "x/?/y"),
        ("a1", "a[0-9]"),
        ("ab", "a[!0-9]"),
        ("a]", "a[]]"),
        ("a^", "a[!&]"),
        ("a[", "a["),
        ("a.b", "/a.b"),
        ("n\udcff.txt", "*.txt"),
    ],
)
def test_pattern_fits(path, pattern):
    assert matches(path, pattern)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a.pdfx", "*.pdf"),
        ("x/y/a.txt", "x/*.txt"),
        ("x/letters/a.txt", "letters/*"),
        ("x//y", "x/?/y"),
        ("axb", "a.b"),
        ("a5", "a[!0-9]"),
    ],
)
def test_pattern_does_not_fit(path, pattern):
    assert not matches(path, pattern)


def test_a_range_that_ends_before_it_starts_is_no_pattern():
    with pytest.raises(ValueError, match="invalid pattern"):
        check("[z-a]")


def test_folders_are_walked_by_name_and_hidden_names_are_left_out(tmp_path):
    for name in ("b.txt", "a/z.txt", "a/b/c.txt", ".hidden.txt", ".git/config", "a/.cache/x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    walk = Walk([str(tmp_path)])
    assert taken(walk, below=tmp_path) == ["a/b/c.txt", "a/z.txt", "b.txt"]
    assert walk.found == 3
    assert walk.skipped == []


def test_what_is_named_is_taken_whatever_it_is(tmp_path):
    """A missing path and a hidden file that the user named give documents of their own."""
    hidden = tmp_path / ".note.txt"
    hidden.touch()
    paths = [str(hidden), str(tmp_path / "missing.pdf")]
    assert list(Walk(paths, include=["*.md"])) == paths


def test_a_folder_given_relatively_gives_relative_paths(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert list(Walk(["in", "./in/"])) == ["in/a.txt", "./in/a.txt"]


def test_links_inside_the_folder_are_taken_and_others_noted(tmp_path):
    inside = tmp_path / "in"
    (inside / "sub").mkdir(parents=True)
    (inside / "sub" / "a.txt").touch()
    (tmp_path / "secret.txt").touch()
    (inside / "good").symlink_to("sub/a.txt")
    (inside / "out").symlink_to("../secret.txt")
    (inside / "gone").symlink_to("nowhere")
    (inside / "folder").symlink_to("sub")
    (inside / "loop").symlink_to(".")
    os.mkfifo(inside / "pipe")
    (inside / "pipe-link").symlink_to("pipe")
    walk = Walk([str(inside)])
    assert taken(walk, below=inside) == ["good", "sub/a.txt"]
    assert walk.skipped == [
        Skipped(str(inside / "folder"), LINKED_FOLDER),
        Skipped(str(inside / "gone"), LINK_BROKEN),
        Skipped(str(inside / "loop"), LINKED_FOLDER),
        Skipped(str(inside / "out"), LINK_OUT),
        Skipped(str(inside / "pipe"), NOT_A_FILE),
        Skipped(str(inside / "pipe-link"), NOT_A_FILE),
    ]


def test_a_link_to_a_sibling_whose_name_begins_alike_leaves_the_folder(tmp_path):
    for name in ("in", "in-secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").touch()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "in-secret" / "a.txt")
    assert taken(Walk([str(tmp_path / "in")]), below=tmp_path / "in") == ["a.txt"]


def test_a_folder_named_by_a_link_is_walked(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").touch()
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")
    (tmp_path / "link").symlink_to("real")
    assert taken(Walk([str(tmp_path / "link")]), below=tmp_path) == ["link/a.txt", "link/b.txt"]


def test_include_and_exclude_choose_within_folders(tmp_path):
    for name in ("a.pdf", "b.txt", "old/c.pdf", "new/d.pdf", "new/draft-e.pdf"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    walk = Walk([str(tmp_path)], include=["*.pdf"], exclude=["old", "draft-*"])
    assert taken(walk, below=tmp_path) == ["a.pdf", "new/d.pdf"]


def test_the_library_is_not_walked_by_any_name(tmp_path):
    library = tmp_path / "kept"
    library.mkdir()
    (library / "index.sqlite").touch()
    (tmp_path / "a.txt").touch()
    (tmp_path / "alias").symlink_to("kept")
    walk = Walk([str(tmp_path), str(library)], library=str(tmp_path / "alias"))
    assert taken(walk, below=tmp_path) == ["a.txt"]


def test_another_library_is_recorded_and_not_entered(tmp_path):
    for name in ("a.txt", "kept/.octavo-library/x", "kept/originals/b.txt", "kept/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    walk = Walk([str(tmp_path), str(tmp_path / "kept")])
    assert taken(walk, below=tmp_path) == ["a.txt"]
    assert walk.skipped == [Skipped(str(tmp_path / "kept"), LIBRARY)] * 2
    assert [is_taken(str(tmp_path / name), str(tmp_path)) for name in ("a.txt", "kept", "kept/originals/b.txt")] == [
        True,
        False,
        False,
    ]


def test_a_file_or_link_with_the_name_of_the_marker_makes_no_library(tmp_path):
    for name in ("file", "link"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").touch()
    (tmp_path / "file" / MARKER).touch()
    (tmp_path / "link" / MARKER).symlink_to(tmp_path)
    assert taken(Walk([str(tmp_path)]), below=tmp_path) == ["file/a.txt", "link/a.txt"]
    assert is_taken(str(tmp_path / "link" / "a.txt"), str(tmp_path))


@pytest.mark.parametrize(("pattern", "names"), [("**/*.txt", ["a.txt", "in/b.txt"]), ("in/**/*.txt", ["in/b.txt"])])
def test_a_pattern_leaves_the_files_of_a_library_out(tmp_path, monkeypatch, pattern, names):
    for name in ("a.txt", "in/b.txt", "in/kept/.octavo-library/x", "in/kept/originals/deep/c.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert [os.path.relpath(path, tmp_path) for path in fitting_files(str(tmp_path / pattern))] == names
    monkeypatch.chdir(tmp_path)
    assert fitting_files(f"./{pattern}") == [f"./{name}" for name in names]
    with pytest.raises(SourceMissing):
        fitting_files("in/kept/**/*.txt")
    assert fitting_files("in/kept/originals/**/*.txt") == ["in/kept/originals/deep/c.txt"], "named by the caller"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
def test_a_folder_that_can_not_be_listed_stands_for_itself(tmp_path):
    """It then fails like a document that cannot be opened, so nothing is lost in silence."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert list(Walk([str(tmp_path)])) == [str(closed)]


def test_a_folder_that_vanishes_during_the_walk_stands_for_itself(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").touch()
    steps = iter(Walk([str(tmp_path)]))
    first = next(steps)
    (tmp_path / "b" / "x.txt").unlink()
    (tmp_path / "b").rmdir()
    assert [first, *steps] == [str(tmp_path / "a" / "x.txt"), str(tmp_path / "b")]


def test_a_big_folder_is_read_as_the_run_goes_on(tmp_path):
    """Taking the first document does not read the folders after it."""
    for number in range(50):
        (tmp_path / f"{number:02}").mkdir()
        (tmp_path / f"{number:02}" / "x.txt").touch()
    walk = Walk([str(tmp_path)])
    next(iter(walk))
    assert walk.found == 1
