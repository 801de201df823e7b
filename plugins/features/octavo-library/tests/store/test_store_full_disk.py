"""A disk that is full or may not be written: an error that says so, and a library that is as it was (STO-8)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from octavo_contracts import HardFailReason, IngestionState, StorageError
from octavo_library.storage import ArtifactStore, Index, NewJob, library_url, verify

Hasher = Callable[[str], str]
_MB = 1_000_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a small file system can be mounted by root on Linux only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_stores_nothing_by_halves(small_disk: Path, raw_hash: Hasher) -> None:
    with ArtifactStore(small_disk / "library") as store:
        store.put_version(raw_hash("one"), {"a": b"x"})
        with pytest.raises(
            StorageError, match=r"the disk is full while storing a conversion: [\d.]+ MB free"
        ) as caught:
            store.put_version(raw_hash("two"), {"a": b"x", "b": bytes(3 * _MB)})
        assert caught.value.reason is HardFailReason.STORAGE_EXHAUSTED
        assert "Free space" in caught.value.remedy
        assert (store.versions(raw_hash("one")), store.versions(raw_hash("two"))) == ((1,), ())
        assert list((store.root / "tmp" / store.owner).iterdir()) == [], "the failed write gives its space back"
        store.put_version(raw_hash("three"), {"a": bytes(_MB // 2)})


def fill(folder: Path) -> Path:
    """Take the last byte of a disk; returns the file that holds it all."""
    filler = folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))
    return filler


def start_many(store: ArtifactStore, index: Index, *, go_on: bool) -> None:
    """More in one batch than SQLite keeps in memory; with `go_on`, by a caller that handles each error."""
    with index.batch():
        for n in range(10_000):
            with suppress(*([StorageError] if go_on else [])):
                new = NewJob(raw_hash=hashlib.sha256(b"%d" % n).hexdigest(), request_json="x" * 1000)
                index.jobs.start(new, owner=store.owner)


@pytest.mark.parametrize("go_on", [False, True])
def test_an_index_on_a_full_disk_keeps_what_it_had(small_disk: Path, raw_hash: Hasher, go_on: bool) -> None:
    """SQLite undoes the whole transaction by itself; a batch must not go on as if its first half were there."""
    with ArtifactStore(small_disk / "library") as store, Index(library_url(store.root)) as index:
        kept = index.corpora.create("kept")
        filler = fill(small_disk)
        with pytest.raises(StorageError, match="the disk is full"):
            start_many(store, index, go_on=go_on)
        filler.unlink()
        assert index.corpora.all() == (kept,)
        assert index.jobs.open_jobs() == ()
        index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner=store.owner)
        assert verify(store, index).is_clean


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX's")
def test_a_file_size_limit_is_a_full_disk(store: ArtifactStore) -> None:
    script = (
        "import resource, sys\n"
        "from octavo_library.storage import ArtifactStore\n"
        "from octavo_contracts import StorageError\n"
        "with ArtifactStore(sys.argv[1]) as store:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "    try:\n"
        "        store.put_version('0' * 64, {'a': bytes(2000)})\n"
        "    except StorageError as error:\n"
        "        print(error, store.versions('0' * 64))\n"
    )
    result = subprocess.run([sys.executable, "-c", script, store.root], capture_output=True, text=True, check=True)
    assert "the disk is full or a file size limit was reached" in result.stdout
    assert result.stdout.endswith("()\n")


@pytest.fixture
def read_only_disk(small_disk: Path) -> Path:
    with ArtifactStore(small_disk / "library") as store:
        Index(library_url(store.root)).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    return small_disk


def test_a_read_only_disk_is_reported(read_only_disk: Path) -> None:
    with pytest.raises(StorageError, match="may not be written while opening the library") as caught:
        ArtifactStore(read_only_disk / "library")
    assert "Make the folder writable" in caught.value.remedy
    with pytest.raises(StorageError, match="cannot be"):
        Index(library_url(read_only_disk / "library")).create_corpus("reports")


def test_a_job_outlives_the_full_disk_it_met(small_disk: Path, raw_hash: Hasher) -> None:
    """The job stays open and can wait for space: storage_exhausted is no verdict on the document."""
    with ArtifactStore(small_disk / "library") as store, Index(library_url(store.root)) as index:
        job = index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner=store.owner).job
        with pytest.raises(StorageError) as caught:
            store.put_version(raw_hash("one"), {"a": bytes(3 * _MB)}, job_id=job.job_id)
        waiting = index.jobs.release(job, waiting_reason=caught.value.reason)
        assert (waiting.state, waiting.waiting_reason) == (IngestionState.REGISTERED, "storage_exhausted")
