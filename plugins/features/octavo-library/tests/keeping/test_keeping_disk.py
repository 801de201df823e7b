"""A library whose disk is full, or that may only be read: reading works, writing is refused, a purge makes room (ENG-12)."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_contracts import LibraryReadOnly, StorageError, StorageExhausted
from octavo_digest import digest_document, verify_in_library
from octavo_library import Library
from octavo_library.storage import PolicyContext
from octavo_library.storage.files import reserve

TEXT = "harbour notes|the tide turned at noon and the seals came in|the tide turned again at six in the evening"


def mount(folder: Path, *options: str) -> bool:
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    return subprocess.run(["mount", *options, str(folder)], check=False, capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 12 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount(folder, "-t", "tmpfs", "-o", "size=12m", "tmpfs"):
        pytest.skip("a small file system can be mounted by root on Linux only")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Take the last byte of a disk; returns the file that holds it all."""
    filler = folder / "filler"
    with suppress(OSError), filler.open("ab", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))
    return filler


def make_full(folder: Path) -> None:
    fill(folder)


def make_read_only(folder: Path) -> None:
    assert mount(folder, "-o", "remount,ro")


STATES: dict[str, Callable[[Path], None]] = {"full": make_full, "read-only": make_read_only}
REFUSALS = {"full": StorageExhausted, "read-only": LibraryReadOnly}


def fill_library(root: Path, runtime: Runtime, folder: Path) -> str:
    """A library with two versions of a document; returns the document's id."""
    path = folder / "notes.txt"
    path.write_text(TEXT)
    with Library.open(root, runtime=runtime) as library:
        library.corpora.create("sea")
        library.corpora.set_retention("sea", "active_only")
        document = library.ingest(path, corpus="sea", plugin="pages").document
        document.reconvert(plugin="headed")
        document.annotations.add("note", text="look here")
        return document.id


def kill_after(root: Path, work: str) -> None:
    """Run code on a library in a process of its own, which then kills itself without closing anything."""
    script = f"import os, signal, sys\n{work}os.kill(os.getpid(), signal.SIGKILL)\n"
    killed = subprocess.run([sys.executable, "-c", script, str(root)], check=False)
    assert killed.returncode == -signal.SIGKILL


def kill_with_log(root: Path) -> None:
    """Leave the index as a killed process does: its last transaction in the write-ahead log, and no `-shm` file."""
    kill_after(
        root,
        "from octavo_library.storage import Index, library_url\n"
        "index = Index(library_url(sys.argv[1]))\n"
        "index.corpora.create('only in the log')\n",
    )
    (root / "index.sqlite-shm").unlink()
    assert (root / "index.sqlite-wal").stat().st_size > 0


def kill_owner(root: Path) -> None:
    """Leave a temporary folder as a killed process does."""
    kill_after(root, "from octavo_library.storage import ArtifactStore\nstore = ArtifactStore(sys.argv[1])\n")
    assert any((root / "tmp").iterdir())


def read_all(library: Library, document_id: str, out: Path) -> dict[str, object]:
    """Everything that can be asked of a library without changing it."""
    document = library.document(document_id)
    outcome = digest_document(library, document, query="when did the tide turn", policy="always")
    return {
        "list": [one.id for one in library.documents()],
        "text": document.canonical_text,
        "versions": list(document.versions),
        "annotations": [one.text for one in document.annotations],
        "corpora": [corpus.name for corpus in library.corpora.list()],
        "scoped": [one.id for one in library.documents(corpus="sea")],
        "status": library.status(corpus="sea"),
        "search": [hit.snippet for hit in library.search("tide", corpus="sea")],
        "elsewhere": list(library.search("tide", policy=PolicyContext(visibility="firewalled"))),
        "export": document.export(out),
        "digest": outcome.payload and verify_in_library(library, outcome.payload).status,
        "jobs": library.runs.jobs(document_id),
        "runs": library.runs.list(),
        "paths": library.maintenance.check_paths().checked,
        "similar": document.similar(),
        "check": library.maintenance.verify(),
        "purgeable": library.maintenance.expired().bytes > 0,
    }


def writes(library: Library, document_id: str, path: Path) -> dict[str, Callable[[], object]]:
    document = library.document(document_id)
    return {
        "ingest": lambda: library.ingest(b"Springs|neaps", name="new.txt"),
        "ingest again": lambda: library.ingest(path),
        "ingest many": lambda: list(library.ingest_many([path])),
        "reconvert": document.reconvert,
        "activate": lambda: document.versions.activate(1),
        "annotate": lambda: document.annotations.add("note", text="more"),
        "accept": lambda: document.versions.acceptance.set(note="good enough"),
        "relink": lambda: document.original.relink(path),
        "corpus": lambda: library.corpora.create("more"),
        "remove": lambda: library.corpora.remove_document(document, "sea"),
        "index": library.search_index.update,
    }


@pytest.mark.sqlite_files
@pytest.mark.parametrize("log", [False, True], ids=["closed", "killed"])
@pytest.mark.parametrize("state", STATES)
def test_all_that_reads_works_and_all_that_writes_is_refused(
    disk: Path, tmp_path: Path, shared_runtime: Runtime, state: str, log: bool
) -> None:
    """What a killed process left in the log is read too: SQLite's `immutable` alone would leave it out."""
    root = disk / "library"
    document_id = fill_library(root, shared_runtime, tmp_path)
    if log:
        kill_with_log(root)
    shutil.copytree(root, tmp_path / "before")
    with Library.open(tmp_path / "before", runtime=shared_runtime) as library:
        before = read_all(library, document_id, tmp_path / "before.zip")
    STATES[state](disk)
    held = contents(root)
    started = time.monotonic()
    with Library.open(root, runtime=shared_runtime) as library:
        assert isinstance(library.read_only, REFUSALS[state])
        assert read_all(library, document_id, tmp_path / "after.zip") == before
        assert ("only in the log" in before["corpora"]) is log
        for what, write in writes(library, document_id, tmp_path / "notes.txt").items():
            with pytest.raises(StorageError, match="the library is open for reading only") as caught:
                write()
            assert isinstance(caught.value, REFUSALS[state]), what
            assert caught.value.remedy, what
        assert read_all(library, document_id, tmp_path / "after.zip") == before
    assert time.monotonic() - started < 60, "a refusal must not wait for room"
    assert contents(root) == held


def contents(root: Path) -> dict[Path, bytes]:
    """The files of a library but for its logs, whose last line may still fit on a full disk, and SQLite's empty ones."""
    files = [path for path in root.rglob("*") if path.is_file() and "-shm" not in path.name and path.suffix != ".jsonl"]
    return {path: data for path in files if (data := path.read_bytes())}


def test_a_read_only_library_that_was_searched_is_searched_where_it_is(
    disk: Path, tmp_path: Path, shared_runtime: Runtime
) -> None:
    root = disk / "library"
    fill_library(root, shared_runtime, tmp_path)
    with Library.open(root, runtime=shared_runtime) as library:
        found = [hit.snippet for hit in library.search("tide")]
    make_read_only(disk)
    with Library.open(root, runtime=shared_runtime) as library:
        assert [hit.snippet for hit in library.search("tide")] == found
        assert library.search("tide").pending == 0
        assert not library.context.chunk_index._in_memory


@pytest.mark.sqlite_files
@pytest.mark.parametrize("what", ["document", "expired"])
def test_a_purge_on_a_full_disk_makes_room(disk: Path, tmp_path: Path, shared_runtime: Runtime, what: str) -> None:
    """STO-12, ENG-29: the library gives back what it set aside, and sets it aside again."""
    root = disk / "library"
    document_id = fill_library(root, shared_runtime, tmp_path)
    fill(disk)
    with Library.open(root, runtime=shared_runtime, make_room=True) as library:
        assert library.read_only is None
        if what == "document":
            purged = library.maintenance.purge(document_id, confirm=document_id)
            assert library.documents() == []
        else:
            purged = library.maintenance.purge_expired(library.maintenance.expired())
            assert library.document(document_id).canonical_text.startswith("Read again.")
        assert purged.bytes > 0
        assert library.maintenance.verify().is_clean
    assert (root / "reserve.bin").stat().st_size == reserve.SIZE
    fill(disk)
    with Library.open(root, runtime=shared_runtime) as library:
        assert len(library.documents()) == (0 if what == "document" else 1)


@pytest.mark.sqlite_files
def test_a_purge_on_a_full_disk_leaves_recovery_to_a_later_opening(
    disk: Path, tmp_path: Path, shared_runtime: Runtime
) -> None:
    """A killed process may leave more to finish than the reserve can hold: the room is the purge's."""
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    root = disk / "library"
    fill_library(root, shared_runtime, tmp_path)
    with Library.open(root, runtime=shared_runtime) as library:
        for number in range(300):
            library.ingest(f"Note {number}: the tide turned.".encode(), name=f"{number}.txt", plugin="pages")
    kill_owner(root)
    for log in root.rglob("processing_log.json"):
        log.unlink()
    filler = fill(disk)
    with Library.open(root, runtime=shared_runtime, make_room=True) as library:
        assert library.read_only is None
        assert library.maintenance.purge_expired(library.maintenance.expired()).bytes > 0
    filler.unlink()
    with Library.open(root, runtime=shared_runtime):
        assert len(list(root.rglob("processing_log.json"))) == 301


def test_a_purge_in_a_library_that_was_open_when_the_disk_filled_up_makes_room(
    disk: Path, tmp_path: Path, shared_runtime: Runtime
) -> None:
    root = disk / "library"
    document_id = fill_library(root, shared_runtime, tmp_path)
    with Library.open(root, runtime=shared_runtime) as library:
        library.search("tide")
        fill(disk)
        library.maintenance.purge(document_id, confirm=document_id)
        assert library.documents() == []


@pytest.mark.parametrize(
    ("found", "is_replaced"),
    [(b"octavo reserve 1\nthe beginning of one", True), (b"", False), (b"a user's file", False)],
)
def test_a_reserve_that_was_cut_short_is_made_whole(
    tmp_path: Path, shared_runtime: Runtime, found: bytes, is_replaced: bool
) -> None:
    """A file that does not begin with the mark may be the user's, and stays."""
    root = tmp_path / "library"
    fill_library(root, shared_runtime, tmp_path)
    (root / "reserve.bin").write_bytes(found)
    Library.open(root, runtime=shared_runtime).close()
    kept = (root / "reserve.bin").read_bytes()
    assert (len(kept) == reserve.SIZE) is is_replaced
    assert is_replaced or kept == found


@pytest.mark.sqlite_files
def test_a_process_that_dies_while_it_sets_the_reserve_aside_leaves_no_part_of_it(
    tmp_path: Path, shared_runtime: Runtime
) -> None:
    """A part would take the place of the reserve for ever, and a purge on a full disk would have no room."""
    root = tmp_path / "library"
    fill_library(root, shared_runtime, tmp_path)
    (root / "reserve.bin").unlink()
    code = (
        "import os, sys\nfrom octavo_sandbox.filesystem import durable\nfrom octavo_library import Library\n"
        "def cut(path, data):\n    with open(path, 'xb') as stream:\n        stream.write(data[: len(data) // 2])\n"
        "    if len(data) == 1 << 20:\n        os._exit(9)\n"
        "durable.write_file = cut\nLibrary.open(sys.argv[1])\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(root)], check=False, timeout=120)
    assert ended.returncode == 9
    assert not (root / "reserve.bin").exists()
    Library.open(root, runtime=shared_runtime).close()
    assert (root / "reserve.bin").stat().st_size == reserve.SIZE


def test_a_reserve_that_was_not_needed_is_set_aside_again(disk: Path, tmp_path: Path, shared_runtime: Runtime) -> None:
    root = disk / "library"
    fill_library(root, shared_runtime, tmp_path)
    fill(disk)
    with Library.open(root, runtime=shared_runtime, make_room=True) as library:
        assert library.read_only is None
    assert (root / "reserve.bin").stat().st_size > reserve.SIZE // 2


def test_without_a_reserve_the_chunk_index_makes_the_room(disk: Path, tmp_path: Path, shared_runtime: Runtime) -> None:
    root = disk / "library"
    document_id = fill_library(root, shared_runtime, tmp_path)
    with Library.open(root, runtime=shared_runtime) as library:
        words = " ".join(f"word{number:06}" for number in range(60_000))
        library.ingest(words.encode(), name="long.txt", plugin="pages")
        library.search("tide", seconds=None)
    (root / "reserve.bin").unlink()
    fill(disk)
    with Library.open(root, runtime=shared_runtime, make_room=True) as library:
        library.maintenance.purge(document_id, confirm=document_id)
        assert document_id not in [document.id for document in library.documents()]


@pytest.mark.sqlite_files
def test_a_library_without_any_room_to_give_says_what_to_do(
    disk: Path, tmp_path: Path, shared_runtime: Runtime
) -> None:
    root = disk / "library"
    document_id = fill_library(root, shared_runtime, tmp_path)
    (root / "reserve.bin").unlink()
    fill(disk)
    with Library.open(root, runtime=shared_runtime, make_room=True) as library:
        with pytest.raises(StorageExhausted) as caught:
            library.maintenance.purge(document_id, confirm=document_id)
        assert caught.value.remedy
        assert library.document(document_id).canonical_text


def test_a_library_that_is_not_there_is_not_made_on_a_disk_that_can_not_be_written(
    disk: Path, shared_runtime: Runtime
) -> None:
    make_read_only(disk)
    with pytest.raises(LibraryReadOnly, match="is not writable"):
        Library.open(disk / "library", runtime=shared_runtime)


@pytest.mark.sqlite_files
def test_a_rollback_journal_that_has_to_be_undone_is_not_ignored(
    disk: Path, tmp_path: Path, shared_runtime: Runtime
) -> None:
    """Read without it, the database would be the half of a transaction."""
    root = disk / "library"
    fill_library(root, shared_runtime, tmp_path)
    database = sqlite3.connect(root / "index.sqlite", isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("PRAGMA cache_size = 1")
    database.execute("BEGIN")
    database.execute("UPDATE documents SET title = 'half'")
    journal = (root / "index.sqlite-journal").read_bytes()
    database.execute("ROLLBACK")
    database.close()
    (root / "index.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + journal[8:])
    make_read_only(disk)
    with pytest.raises(StorageError, match="has an interrupted transaction"):
        Library.open(root, runtime=shared_runtime)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("writer", [False, True], ids=["alone", "beside a writer"])
def test_a_user_without_permission_to_write_can_read(
    tmp_path: Path, site: Path, shared_runtime: Runtime, writer: bool
) -> None:
    """By permissions, and as another user: somebody else may write to the library at the same time."""
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = Path(tempfile.mkdtemp(prefix="octavo-test-"))
    try:
        root = folder / "library"
        document_id = fill_library(root, shared_runtime, tmp_path)
        with Library.open(root, runtime=shared_runtime) as library:
            before = read_all(library, document_id, tmp_path / "before.zip")
            if writer:
                library.corpora.create("made by the writer")
            else:
                library.close()
            for path in (folder, *folder.rglob("*")):
                path.chmod(stat.S_IMODE(path.stat().st_mode) | (0o055 if path.is_dir() else 0o044))
            said = as_nobody(root, document_id, before)
        assert said == "the same"
    finally:
        shutil.rmtree(folder)


def as_nobody(root: Path, document_id: str, before: dict[str, object]) -> str:
    """What a forked copy of this process finds as the user nobody, compared with what was found before."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            with (
                tempfile.TemporaryDirectory() as own,
                Runtime(Settings(workers=1)) as runtime,
                Library.open(root, runtime=runtime) as library,
            ):
                found = read_all(library, document_id, Path(own) / "out.zip")
                found["corpora"] = [name for name in found["corpora"] if name != "made by the writer"]  # type: ignore[attr-defined]  # a list
                try:
                    library.corpora.create("more")
                except LibraryReadOnly:
                    differing = [name for name, value in before.items() if found[name] != value]
                    os.write(writer, (f"differs: {differing}" if differing else "the same").encode())
        except BaseException as error:  # noqa: BLE001 - the parent says what went wrong in the child
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said
