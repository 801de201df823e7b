"""Temporary folders: measured without being trusted, emptied whatever is in them, swept after the dead."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil
import pytest
from octavo_sandbox import sweep_stale
from octavo_sandbox.tempdirs import PoolRoot, WorkerRoot, remove

LONG_NAME = "level" * 50
PAST_ANY_PATH = 20
"""Levels of a long name that no path can spell."""
PAST_RECURSION = 1100


def dig(folder: Path, *, levels: int, name: str = LONG_NAME) -> None:
    """Folders within folders."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize(("levels", "name"), [(PAST_ANY_PATH, LONG_NAME), (PAST_RECURSION, "d")])
def test_a_folder_of_any_depth_is_removed(tmp_path: Path, levels: int, name: str) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    dig(folder, levels=levels, name=name)
    (folder / "wide").mkdir()
    for number in range(30):
        (folder / "wide" / str(number)).mkdir()
    remove(folder)
    assert not folder.exists()


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letter").touch()
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "link").symlink_to(precious)
    (folder / "below" / "link").symlink_to(precious)
    remove(folder)
    assert not folder.exists()
    assert (precious / "letter").exists()


def test_removing_what_is_not_there_is_harmless(tmp_path: Path) -> None:
    remove(tmp_path / "nothing")
    (tmp_path / "link").symlink_to(tmp_path)
    remove(tmp_path / "link")
    assert tmp_path.exists()


def test_usage_counts_disk_blocks_and_entries(tmp_path: Path) -> None:
    root = WorkerRoot(tmp_path / "worker")
    assert root.usage(at_most=10) == (0, 0)
    (root.call / "folder").mkdir()
    (root.call / "folder" / "file").write_bytes(b"x" * 100_000)
    (root.home / "cache").write_bytes(b"x" * 100_000)
    used = root.usage(at_most=10)
    assert used.entries == 3
    assert 200_000 <= used.size < 300_000
    with (root.call / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    assert root.usage(at_most=10).size < 300_000


def test_counting_ends_where_the_limit_does(tmp_path: Path) -> None:
    root = WorkerRoot(tmp_path / "worker")
    for number in range(50):
        (root.call / str(number)).touch()
    assert root.usage(at_most=10).entries == 11


def test_a_folder_that_can_not_be_walked_is_over_the_limit(tmp_path: Path) -> None:
    root = WorkerRoot(tmp_path / "worker")
    dig(root.call, levels=PAST_ANY_PATH)
    assert root.usage(at_most=5000).entries > 5000
    root.remove()


def test_a_calls_folder_is_renewed(tmp_path: Path) -> None:
    root = WorkerRoot(tmp_path / "worker")
    (root.call / "file").touch()
    (root.home / "cache").touch()
    assert root.renew()
    assert list(root.call.iterdir()) == []
    assert list(root.home.iterdir()) == []


def test_a_folder_beside_which_something_lies_is_not_renewed(tmp_path: Path) -> None:
    root = WorkerRoot(tmp_path / "worker")
    (root.path / "third").touch()
    assert not root.renew()


@pytest.mark.parametrize("name", ["call", "home"])
def test_a_calls_folder_that_is_gone_or_a_link_is_not_renewed(tmp_path: Path, name: str) -> None:
    root = WorkerRoot(tmp_path / "worker")
    folder = root.path / name
    folder.rmdir()
    assert not root.renew()
    folder.symlink_to(tmp_path)
    assert not root.renew()
    assert tmp_path.exists()


def test_a_folder_moved_away_while_it_is_emptied_ends_the_emptying(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way back up must lead to where it came from, not to wherever a worker moved the folder."""
    root = WorkerRoot(tmp_path / "worker")
    (root.call / "a" / "b").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "letter").touch()
    listdir = os.listdir

    def list_and_move(folder: int) -> list[str]:
        names = listdir(folder)
        if names == ["b"]:
            os.rename(root.call / "a", tmp_path / "elsewhere" / "a")
        return names

    monkeypatch.setattr("os.listdir", list_and_move)
    assert not root.renew()
    assert (tmp_path / "elsewhere" / "letter").exists()


def test_emptying_does_not_go_on_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_sandbox.tempdirs._PATIENCE", 0.0)
    root = WorkerRoot(tmp_path / "worker")
    (root.call / "folder").mkdir()
    assert not root.renew()


def test_a_pools_folder_is_private_and_goes_with_it(tmp_path: Path) -> None:
    root = PoolRoot(parent=tmp_path)
    assert root.path.stat().st_mode & 0o777 == 0o700
    assert root.path.name.startswith(f"octavo-{os.getpid()}-")
    root.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_living_hosts_folder_is_not_swept(tmp_path: Path) -> None:
    root = PoolRoot(parent=tmp_path)
    assert sweep_stale(parent=tmp_path) == []
    assert root.path.exists()
    root.remove()


def test_a_folder_whose_host_is_dead_is_swept(tmp_path: Path) -> None:
    """Its number may live again as another process: the start tells them apart."""
    long_ago = int(psutil.Process().create_time()) - 1000
    stale = tmp_path / f"octavo-{os.getpid()}-{long_ago}-abc"
    (stale / "worker-1" / "call").mkdir(parents=True)
    (stale / "worker-1" / "call" / "left").touch()
    (stale / ".lock").write_text("octavo pool 1\n")
    assert sweep_stale(parent=tmp_path) == [stale]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lock", [None, "", "octavo pool 1\nmy notes", "link", "pipe"])
def test_a_folder_of_the_users_with_such_a_name_is_not_swept(tmp_path: Path, lock: str | None) -> None:
    """The system's temporary folder may be one of the user's: the name proves nothing, the mark in the lock does."""
    mine = tmp_path / "pools" / "octavo-1-1-thesis"
    (mine / "worker-1" / "call").mkdir(parents=True)
    (mine / "worker-1" / "call" / "letter").write_text("mine")
    (tmp_path / "marked").write_text("octavo pool 1\n")
    if lock == "link":
        (mine / ".lock").symlink_to(tmp_path / "marked")
    elif lock == "pipe":
        os.mkfifo(mine / ".lock")
    elif lock is not None:
        (mine / ".lock").write_text(lock)

    assert sweep_stale(parent=tmp_path / "pools") == []

    assert (mine / "worker-1" / "call" / "letter").read_text() == "mine"


def test_a_folder_closed_to_us_is_left_as_it_is(tmp_path: Path) -> None:
    mine = tmp_path / "octavo-1-1-closed"
    mine.mkdir(mode=0o000)

    assert sweep_stale(parent=tmp_path) == []

    assert mine.stat().st_mode & 0o777 == 0o000


def test_a_folder_that_another_container_locks_is_not_swept(tmp_path: Path) -> None:
    """There its host has a number that means nothing here, but the lock is held."""
    root = PoolRoot(parent=tmp_path)
    foreign = tmp_path / f"octavo-{2**22 + 1}-{int(time.time())}-abc"
    os.rename(root.path, foreign)
    assert sweep_stale(parent=tmp_path) == []
    root.path = foreign
    root.remove()


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / "octavo-notes").mkdir()
    (tmp_path / "octavo-1-1-abc").touch()
    (tmp_path / "octavo-1-1-def").symlink_to(tmp_path)
    locked = tmp_path / "octavo-1-1-ghi"
    locked.mkdir()
    (locked / ".lock").symlink_to(tmp_path / "octavo-notes")
    assert sweep_stale(parent=tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 4
