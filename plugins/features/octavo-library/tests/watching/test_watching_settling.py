"""A file is whole once it has stayed as it is, and names of work in progress are left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_library.commands.watch.file_stability import Settling, is_in_progress


class Clock:
    """Time that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("name", [".hidden", "~$letter.docx", "a.pdf.part", "b.CRDOWNLOAD", "c.tmp", "d.txt~", "e.swp"])
def test_names_of_work_in_progress(name):
    assert is_in_progress(name)
    assert not is_in_progress(name.strip(".~$") + ".pdf")


def test_a_file_is_given_once_after_it_has_been_the_same_for_long_enough(tmp_path: Path):
    path, clock = tmp_path / "a.txt", Clock()
    settling = Settling(2.0, clock=clock)
    path.write_text("one")
    settling.changed(str(path))
    clock.now = 1.9
    assert settling.take() == []
    clock.now = 2.0
    assert settling.take() == [str(path)]
    assert settling.take() == []
    assert len(settling) == 0


def test_a_file_that_grows_waits_anew_even_when_nobody_tells(tmp_path: Path):
    path, clock = tmp_path / "a.txt", Clock()
    settling = Settling(2.0, clock=clock)
    path.write_text("one")
    settling.changed(str(path))
    clock.now = 1.5
    path.write_text("one and two")
    assert settling.take() == []
    clock.now = 3.4
    assert settling.take() == []
    clock.now = 3.5
    assert settling.take() == [str(path)]


def test_what_is_gone_or_no_file_is_forgotten(tmp_path: Path):
    gone, folder, clock = tmp_path / "gone.txt", tmp_path / "folder", Clock()
    folder.mkdir()
    settling = Settling(1.0, clock=clock)
    settling.changed(str(gone))
    settling.changed(str(folder))
    assert settling.take() == []
    assert len(settling) == 0


def test_a_name_in_progress_waits_for_its_last_name(tmp_path: Path):
    clock = Clock()
    settling = Settling(0.0, clock=clock)
    path = tmp_path / "a.pdf.part"
    path.write_text("half")
    settling.changed(str(path))
    assert settling.take() == []
    path.rename(tmp_path / "a.pdf")
    settling.changed(str(tmp_path / "a.pdf"))
    assert settling.take() == [str(tmp_path / "a.pdf")]


@given(gaps=st.lists(st.floats(0.01, 5.0), min_size=1, max_size=12), settle=st.floats(0.1, 3.0))
def test_no_file_is_given_before_its_writer_was_silent_long_enough(tmp_path_factory, gaps, settle):
    """A writer that writes at any intervals: what is given was the same for the whole time."""
    path, clock = tmp_path_factory.mktemp("in") / "a.txt", Clock()
    settling = Settling(settle, clock=clock)
    written = given_at = None
    for number, gap in enumerate(gaps):
        path.write_text("x" * (number + 1))
        os.utime(path, ns=(number, number))
        settling.changed(str(path))
        written = clock.now
        clock.now += gap
        if settling.take():
            given_at = clock.now
            assert given_at - written >= settle
    assert written is not None
    clock.now += settle
    if given_at is None or given_at < written:
        assert settling.take() == [str(path)]
