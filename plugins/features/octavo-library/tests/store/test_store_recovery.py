"""After an interruption: what is taken over, adopted, reported (ENG-6, STO-8)."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from octavo_contracts import IngestionState
from octavo_library.storage import (
    ArtifactStore,
    CompletedJob,
    ConversionFacts,
    DocumentFacts,
    Index,
    NewJob,
    find_orphan_version,
    recover,
    verify,
)
from octavo_library.storage.files import layout

S = IngestionState
Hasher = Callable[[str], str]


def test_jobs_of_an_owner_that_is_gone_are_taken_over(
    index: Index, store: ArtifactStore, raw_hash: Hasher, begin: tuple[S, ...]
) -> None:
    """ENG-6: resume from the last completed step, at once, however long the lease."""
    gone = ArtifactStore(store.root)
    job = index.jobs.start(
        NewJob(raw_hash=raw_hash("one"), steps=begin, request_json='{"path": "x"}'), owner=gone.owner
    ).job
    assert recover(store, index).jobs == ()
    gone.close()
    (mine,) = recover(store, index).jobs
    assert (mine.job_id, mine.state, mine.owner, mine.claims) == (job.job_id, job.state, store.owner, 2)
    assert mine.request_json == '{"path": "x"}'
    assert recover(store, index).jobs == ()


def test_a_lease_that_ran_out_is_taken_over(index: Index, store: ArtifactStore, raw_hash: Hasher) -> None:
    """An owner that hangs, or one on a machine whose locks are not seen here."""
    with ArtifactStore(store.root) as other:
        index.jobs.start(NewJob(raw_hash=raw_hash("one"), lease_seconds=-1), owner=other.owner)
        index.jobs.start(NewJob(raw_hash=raw_hash("two")), owner=other.owner)
        assert [job.raw_hash for job in recover(store, index).jobs] == [raw_hash("one")]


def test_a_job_that_waits_for_a_tool_is_left_waiting(index: Index, store: ArtifactStore, librarian: Any) -> None:
    waiting = index.jobs.release(librarian.start("one"), waiting_reason="tool_unavailable")
    queued = index.jobs.release(librarian.start("two"))
    assert [job.job_id for job in recover(store, index).jobs] == [queued.job_id]
    assert index.jobs.get(waiting.job_id) == waiting


def test_a_version_stored_before_the_crash_is_adopted_by_its_job(
    index: Index,
    store: ArtifactStore,
    librarian: Any,
    raw_hash: Hasher,
    files: dict[str, bytes],
    end: tuple[S, ...],
) -> None:
    """ENG-6: the folder got its name whole, so the job is finished from it and nothing is converted twice."""
    job = librarian.start("one")
    assert find_orphan_version(store, index, job) is None
    store.put_version(raw_hash("one"), files, job_id=job.job_id)
    assert find_orphan_version(store, index, job) == 1
    assert verify(store, index).is_clean, "it is nobody's leftover while its job is open"
    completed = CompletedJob(
        job=job,
        steps=end,
        document=DocumentFacts(raw_hash=raw_hash("one")),
        conversion=ConversionFacts(version=1, tool="plaintext"),
    )
    index.jobs.complete([completed])
    assert find_orphan_version(store, index, job) is None
    assert verify(store, index, read_contents=True).is_clean


def test_a_version_of_another_job_is_not_adopted(
    index: Index, store: ArtifactStore, librarian: Any, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    """A reconversion of the same bytes may be between its rename and its commit in another process."""
    store.put_version(raw_hash("one"), files, job_id="another")
    assert find_orphan_version(store, index, librarian.start("one")) is None


def test_a_job_without_bytes_has_no_orphan(index: Index, store: ArtifactStore) -> None:
    assert find_orphan_version(store, index, index.jobs.start(NewJob(raw_hash=None), owner="me").job) is None


def test_a_sound_library_verifies_clean(index: Index, store: ArtifactStore, librarian: Any, raw_hash: Hasher) -> None:
    ref = store.put_original(raw_hash("mail"), extension="eml", stream=io.BytesIO(b"mail"))
    librarian.convert("mail", original_ref=ref)
    for name in ("a", "b"):
        librarian.convert(name, original_ref="file:///a")
    report = verify(store, index, read_contents=True)
    assert report.is_clean
    assert (report.missing, report.damaged, report.orphans, report.leftovers) == ((), (), (), ())


def test_verify_names_what_is_missing_damaged_orphaned_or_left(
    index: Index, store: ArtifactStore, librarian: Any, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    def folder(name: str, version: int = 1) -> str:
        return f"store:by_hash/{raw_hash(name)}/conversions/v{version}"

    ref = store.put_original(raw_hash("mail"), extension="eml", stream=io.BytesIO(b"mail"))
    librarian.convert("mail", original_ref=ref)
    store.path(ref).unlink()
    stray = store.put_original(raw_hash("stray"), extension="", stream=io.BytesIO(b"stray"))
    for name in ("gone", "lost file", "cut", "changed", "unreadable"):
        librarian.convert(name)
    store.path(f"{folder('gone')}/version.json").unlink()
    store.path(f"{folder('lost file')}/converted.md").unlink()
    store.path(f"{folder('cut')}/converted.md").write_bytes(b"# ")
    store.path(f"{folder('changed')}/converted.md").write_bytes(b"# 0ne\n"[: len(files["converted.md"])])
    store.path(f"{folder('unreadable')}/version.json").write_bytes(b"{")
    store.put_version(raw_hash("mail"), files, job_id="nobody")
    store.put_version(raw_hash("broken"), files)
    store.path(f"{folder('broken')}/version.json").write_bytes(b"{")
    (store.root / layout.TMP / "host-1-00000000").mkdir()

    quick, full = verify(store, index), verify(store, index, read_contents=True)
    assert not quick.is_clean
    assert quick.missing == full.missing
    assert set(full.missing) == {ref, f"{folder('gone')}/version.json", f"{folder('lost file')}/converted.md"}
    assert set(quick.damaged) == {f"{folder('cut')}/converted.md", f"{folder('unreadable')}/version.json"}
    assert set(full.damaged) - set(quick.damaged) == {f"{folder('changed')}/converted.md"}
    assert set(full.orphans) == {folder("broken")}
    assert set(full.unindexed) == {stray, folder("mail", 2)}, "they are whole, and may be the only copy"
    assert full.leftovers == ("tmp/host-1-00000000",)


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_what_a_killed_process_left_is_swept(store: ArtifactStore, index: Index) -> None:
    script = (
        "import os, signal, sys\n"
        "from octavo_library.storage import ArtifactStore\n"
        "store = ArtifactStore(sys.argv[1])\n"
        "(store.root / 'tmp' / store.owner / 'half').write_bytes(b'x')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, store.root], check=False)
    assert len(verify(store, index).leftovers) == 1
    assert recover(store, index).removed_temp == 1
    assert verify(store, index).is_clean
    assert [path.stem for path in (store.root / layout.LOCKS).iterdir()] == [store.owner]
