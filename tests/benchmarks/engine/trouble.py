"""What befalls a library beside kills: its versions are deleted, its disk is full, nobody may write to it.

For `faults.py`. A full and a read-only disk need a small file system of the library's own, which root on Linux can mount.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from octavo.settings.settings import Settings
from octavo_contracts import StorageError
from octavo_library import Library

DISK = "2g"
"""Size of the library's own file system: more than 1,000 kills store (about 1 MB a kill), and quickly filled."""

RELEASED = 30.0
"""Seconds in which every process of a killed host has to close the library's files."""


class TroubleCounts(Protocol):
    """What is counted; see `faults.Findings`."""

    deleted_versions: int
    full_disk: int
    read_only: int
    disk_failures: list[str]


class Trouble:
    """Befalls a library between two hosts.

    Args:
        folder: where its own disk is mounted, and where the library is otherwise.
        chance: decides what happens when.
        findings: what is counted.
        settings: of the libraries that are opened.

    Attributes:
        library: the library's folder.
        damaged: hashes of the documents whose versions were deleted.
    """

    def __init__(self, folder: Path, *, chance: random.Random, findings: TroubleCounts, settings: Settings) -> None:
        self._chance = chance
        self._findings = findings
        self._settings = settings
        self._disk = folder / "disk" if _mounted(folder / "disk") else None
        self.library = (self._disk or folder) / "library"
        self.damaged: set[str] = set()

    def end(self) -> None:
        """Unmount the disk."""
        if self._disk is not None:
            subprocess.run(["umount", "-l", str(self._disk)], check=True)

    def befall(self) -> None:
        """What befalls a library beside kills."""
        if not (self.library / "index.sqlite").is_file():
            return  # the first hosts were killed before they had made it
        if self._chance.random() < 0.3:
            self._delete_versions()
        if self._disk is not None and self._chance.random() < 0.15:
            self._fill_disk(self._disk)
        if self._disk is not None and self._chance.random() < 0.15:
            self._lock_disk(self._disk)

    def _delete_versions(self) -> None:
        """Delete the folders of all versions of a few documents that still have their files."""
        folders = sorted(self.library.glob("by_hash/*/conversions"))
        for folder in self._chance.sample(folders, k=min(2, len(folders))):
            versions = sorted(folder.glob("v*"))
            for version in versions:
                shutil.rmtree(version)
            self._findings.deleted_versions += len(versions)
            if versions:
                self.damaged.add(folder.parent.name)

    def _fill_disk(self, disk: Path) -> None:
        self._findings.full_disk += 1
        filler = disk / "filler"
        with contextlib.suppress(OSError), filler.open("ab", buffering=0) as stream:
            while True:
                stream.write(bytes(4096))
        self._use_a_disk_that_takes_nothing("full", purges=True)
        filler.unlink()

    def _lock_disk(self, disk: Path) -> None:
        self._findings.read_only += 1
        _remount_read_only(disk)
        self._use_a_disk_that_takes_nothing("read-only", purges=False)
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)

    def _use_a_disk_that_takes_nothing(self, state: str, *, purges: bool) -> None:
        """Read the library, see that it refuses to convert, and on a full disk purge what is past its time."""
        steps: dict[str, Callable[[Library], object]] = {
            "list": lambda library: library.documents(),
            "search": lambda library: library.search("tide"),
            "check": lambda library: library.maintenance.expired(),
            "refuse": _expect_refusal,
        }
        if purges:
            steps["purge"] = lambda library: library.maintenance.purge_expired(library.maintenance.expired())
        for what, step in steps.items():
            try:
                with Library.open(self.library, settings=self._settings, make_room=what == "purge") as library:
                    step(library)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
                self._findings.disk_failures.append(f"{state}: {what}: {type(error).__name__}: {error}"[:300])


def _remount_read_only(disk: Path) -> None:
    """Make a disk read-only, as soon as no process of a killed host has a file of it open for writing.

    A child that its host was just starting has the host's files open until it executes its own program.

    Raises:
        subprocess.CalledProcessError: a process has kept a file open for `RELEASED` seconds.
    """
    command = ["mount", "-o", "remount,ro", str(disk)]
    deadline = time.monotonic() + RELEASED
    while time.monotonic() < deadline:
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(command, check=True)


def _mounted(folder: Path) -> bool:
    """Make a small file system, if that is allowed here; whether it was."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _expect_refusal(library: Library) -> None:
    """See that a library that cannot be written says so, and does not take a document in."""
    try:
        library.ingest(b"This finds no room.", name="no-room.txt")
    except StorageError:
        return
    raise AssertionError("a document was taken in")
