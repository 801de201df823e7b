"""The two stores of files keep one contract, and what only an object store has to promise (STO-8)."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.loopback import Reply
from octavo_contracts import ExitCode, LibraryDamaged, LibraryReadOnly, SourceChanged, StorageError
from octavo_library.storage import ArtifactStore
from octavo_library.storage.files.folder_store import FolderStore
from octavo_library.storage.objects.object_cache import ObjectCache
from octavo_library.storage.objects.object_store import ObjectStore

HASH = sha256(b"one").hexdigest()
VERSION = f"by_hash/{HASH}/conversions/v1"
FILES = {"converted.md": b"# One\n" * 50, "canonical.txt": b"One\n", "version.json": b'{"job_id": null, "files": {}}'}


def opened(url: str, workspace: Path, **fields: Any) -> ObjectStore:
    return ObjectStore(url, workspace=workspace, **({"cache_bytes": 1 << 20, "timeout": 20.0} | fields))


@pytest.fixture(params=["folder", "objects"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "folder":
        return FolderStore(tmp_path / "library")
    return opened(request.getfixturevalue("url"), tmp_path / "workspace")


def test_a_published_version_is_whole_and_is_published_once(store: Any) -> None:
    assert store.facts(f"{VERSION}/version.json") is None
    assert store.publish(VERSION, FILES)
    assert not store.publish(VERSION, {"converted.md": b"other", "version.json": b"{}"})
    assert {name: store.read(f"{VERSION}/{name}") for name in FILES} == FILES
    assert store.digest(f"{VERSION}/canonical.txt") == sha256(b"One\n").hexdigest()
    assert store.facts(f"{VERSION}/canonical.txt").size == 4
    assert list(store.published(f"by_hash/{HASH}/conversions")) == ["v1"]
    assert list(store.names("by_hash")) == [HASH]


def test_what_is_missing_is_missing_in_every_way(store: Any) -> None:
    store.publish(VERSION, FILES)
    for name in ("library.json", f"{VERSION}/pages.json", f"by_hash/{HASH}/conversions/v2/canonical.txt"):
        assert store.facts(name) is None
        with pytest.raises(FileNotFoundError):
            store.read(name)
    assert list(store.names(f"{VERSION}/chunks")) == []
    assert list(store.walk("ocr")) == []
    assert not store.local_path(f"originals/{HASH}.pdf").exists()


def test_a_name_is_created_once_and_a_record_is_replaced(store: Any) -> None:
    name = f"{VERSION}/chunks/a/manifest.json"
    assert store.create(name, b"first")
    assert not store.create(name, b"second")
    assert store.read(name) == b"first"
    assert list(store.names(f"{VERSION}/chunks")) == ["a"]
    for data in (b'{"format": 1}', b'{"format": 1, "more": 2}'):
        store.replace_record("library.json", data)
        store.replace(f"by_hash/{HASH}/processing_log.json", data, doing="writing a log")
        assert store.read("library.json") == store.read(f"by_hash/{HASH}/processing_log.json") == data


def test_an_original_has_the_bytes_of_its_hash(store: Any) -> None:
    name = f"originals/{HASH}.eml"
    with pytest.raises(SourceChanged):
        store.create_original(name, io.BytesIO(b"two"), raw_hash=HASH)
    assert store.facts(name) is None
    store.create_original(name, io.BytesIO(b"one"), raw_hash=HASH)
    store.create_original(name, io.BytesIO(b"never read"), raw_hash=HASH)
    assert store.originals_of(HASH) == [name]
    assert list(store.names("originals")) == [f"{HASH}.eml"]
    assert store.local_path(name).read_bytes() == store.read(name) == b"one"


def test_what_is_removed_is_gone_with_its_copies(store: Any) -> None:
    store.publish(VERSION, FILES)
    store.create(f"{VERSION}/chunks/a/manifest.json", b"x")
    store.publish(f"by_hash/{HASH}/conversions/v2", FILES)
    store.create_original(f"originals/{HASH}", io.BytesIO(b"one"), raw_hash=HASH)
    assert store.has_own(VERSION)
    assert sum(size for _, size in store.own_files(VERSION)) > 0
    assert store.remove(VERSION)
    assert not store.remove(VERSION)
    assert list(store.published(f"by_hash/{HASH}/conversions")) == ["v2"]
    with pytest.raises(FileNotFoundError):
        store.read(f"{VERSION}/canonical.txt")
    assert store.remove(f"by_hash/{HASH}")
    assert store.remove(f"originals/{HASH}")
    assert list(store.names("by_hash")) == list(store.names("originals")) == []


def test_eight_writers_of_one_number_have_one_winner(url: str, tmp_path: Path) -> None:
    stores = [opened(url, tmp_path / str(number)) for number in range(8)]
    start = threading.Barrier(8)
    won: list[int] = []

    def write(number: int) -> None:
        start.wait()
        if stores[number].publish(VERSION, FILES | {"converted.md": str(number).encode()}):
            won.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert {one.read(f"{VERSION}/converted.md") for one in stores} == {str(won[0]).encode()}


def test_versions_of_racing_writers_are_numbered_apart(url: str, tmp_path: Path) -> None:
    first, second = (ArtifactStore(opened(url, tmp_path / name)) for name in "ab")
    files = {"converted.md": b"x", "canonical.txt": b"x"}
    assert [store.put_version(HASH, files, job_id=job) for store, job in ((first, "j1"), (second, "j2"))] == [1, 2]
    assert second.manifest(HASH, 1).job_id == "j1"
    assert first.versions(HASH) == (1, 2)


@pytest.mark.skipif(
    os.environ.get("OCTAVO_TEST_S3_SERVER") == "radosgw", reason="it refuses a request whose signed header was dropped"
)
def test_a_store_that_ignores_conditional_writes_is_refused(s3: Any, url: str, tmp_path: Path, objects: Any) -> None:
    s3.drops = frozenset({"if-none-match"})
    with pytest.raises(StorageError, match="ignores conditional writes") as told:
        opened(url, tmp_path)
    assert told.value.reason == "tool_unavailable"
    assert told.value.exit_code is ExitCode.TOOL_UNAVAILABLE
    assert objects() == []


def test_a_lost_answer_at_the_opening_does_not_make_a_store_unsuitable(s3: Any, url: str, tmp_path: Path) -> None:
    """The first try has stored the key, and the second one is answered with 412."""
    lost = []

    def lose_the_first(asked: Any, reply: Any) -> Any:
        if asked.method == "PUT" and not lost:
            lost.append(asked.path)
            return Reply(status=503)
        return reply

    s3.after = lose_the_first
    ObjectStore(url, workspace=tmp_path / "one", cache_bytes=1 << 20, timeout=10.0)
    assert len(lost) == 1


def test_a_write_whose_answer_is_lost_is_recognised_as_its_own(s3: Any, url: str, tmp_path: Path) -> None:
    """The store did the work and answered with an error; the next try finds the object that the first one stored."""
    store = opened(url, tmp_path)
    lost = []

    def lose(asked: Any, reply: Reply) -> Reply:
        if asked.method == "PUT" and not lost:
            lost.append(asked.path)
            return Reply(status=500, body=b"<Error><Code>InternalError</Code></Error>")
        return reply

    s3.after = lose
    assert store.publish(VERSION, FILES)
    assert len(lost) == 1
    assert not store.publish(VERSION, FILES), "another write of the same files is another writer"


CONFLICT = Reply(status=409, body=b"<Error><Code>ConditionalRequestConflict</Code></Error>")
TAKEN = Reply(status=412, body=b"<Error><Code>PreconditionFailed</Code></Error>")


@pytest.mark.parametrize("refusal", [CONFLICT, TAKEN], ids=["409", "412"])
@pytest.mark.parametrize("takes_effect", [False, True])
def test_a_refused_creation_of_a_free_key_is_repeated(
    s3: Any, url: str, tmp_path: Path, refusal: Reply, takes_effect: bool
) -> None:
    """Amazon S3 answers 409 while another request changes the key, and documents that the request be repeated."""
    store = opened(url, tmp_path)
    refused: list[str] = []

    def refuse(asked: Any) -> Reply | None:
        if asked.method != "PUT" or refused:
            return None
        refused.append(asked.path)
        return refusal

    if takes_effect:
        s3.after = lambda asked, reply: refuse(asked) or reply
    else:
        s3.before = refuse
    assert store.publish(VERSION, FILES)
    assert len(refused) == 1
    assert store.read(f"{VERSION}/canonical.txt") == b"One\n"
    assert not store.publish(VERSION, FILES), "another write of the same files is another writer"


@pytest.mark.parametrize("refusal", [CONFLICT, TAKEN], ids=["409", "412"])
def test_a_store_that_refuses_a_free_key_again_and_again_is_told(
    s3: Any, url: str, tmp_path: Path, refusal: Reply
) -> None:
    store = opened(url, tmp_path)
    s3.before = lambda asked: refusal if asked.method == "PUT" else None
    with pytest.raises(StorageError, match="refuses to create") as told:
        store.publish(VERSION, FILES)
    assert url in str(told.value)
    assert told.value.reason == "tool_unavailable"


def test_a_version_that_another_process_removes_meanwhile_is_published(s3: Any, url: str, tmp_path: Path) -> None:
    """Another worker's sweep removes the version that was in the way, after the creation and before it is compared."""
    store, other = opened(url, tmp_path / "one"), opened(url, tmp_path / "two")
    assert other.publish(VERSION, FILES)
    removed: list[bool] = []

    def remove(asked: Any) -> None:
        if asked.method == "GET" and asked.path.endswith("v1.zip") and not removed:
            removed.append(True)
            other.remove(VERSION)

    s3.before = remove
    assert store.publish(VERSION, FILES)
    assert removed == [True]


def test_a_clock_that_the_store_refuses_is_named(s3: Any, url: str, tmp_path: Path) -> None:
    store = opened(url, tmp_path)
    skewed = b"<Error><Code>RequestTimeTooSkewed</Code><Message>The difference is too large.</Message></Error>"
    s3.before = lambda asked: Reply(status=403, body=skewed) if asked.method == "PUT" else None
    with pytest.raises(StorageError, match="because the clock of this machine") as told:
        store.publish(VERSION, FILES)
    assert not isinstance(told.value, LibraryReadOnly)
    assert "Set the clock" in str(told.value.remedy)
    assert "credentials" not in str(told.value)


def test_a_store_that_is_busy_is_asked_again(s3: Any, url: str, tmp_path: Path) -> None:
    store = opened(url, tmp_path)
    busy = iter(range(3))
    slow_down = Reply(status=503, body=b"<Error><Code>SlowDown</Code></Error>")
    s3.before = lambda asked: slow_down if asked.method == "PUT" and next(busy, None) is not None else None
    assert store.publish(VERSION, FILES)
    assert store.read(f"{VERSION}/canonical.txt") == b"One\n"


def test_what_never_changes_is_read_once(s3: Any, url: str, tmp_path: Path) -> None:
    opened(url, tmp_path / "writer").publish(VERSION, FILES)
    reader = opened(url, tmp_path / "reader")
    before = len(s3.asked)
    assert [reader.read(f"{VERSION}/{name}") for name in FILES] == list(FILES.values())
    assert [method for method, _ in s3.asked[before:]] == ["GET"]
    (copy,) = (tmp_path / "reader" / "cache" / HASH).iterdir()
    assert copy.name == f"v1.{sha256(copy.read_bytes()).hexdigest()}"
    copy.write_bytes(b"altered")
    assert reader.read(f"{VERSION}/canonical.txt") == b"One\n"
    assert [method for method, _ in s3.asked[before:]] == ["GET", "GET"]


def test_an_altered_copy_of_an_original_is_read_again(s3: Any, url: str, tmp_path: Path) -> None:
    name = f"originals/{HASH}.txt"
    store = opened(url, tmp_path)
    store.create_original(name, io.BytesIO(b"one"), raw_hash=HASH)
    copy = store.local_path(name)
    s3.asked.clear()
    assert store.local_path(name) == copy
    assert s3.asked == [], "an intact copy is not read from the store"
    copy.write_bytes(b"altered")
    assert store.local_path(name).read_bytes() == b"one"
    assert store.local_path(name).read_bytes() == b"one"


def test_a_check_reads_the_store_and_not_the_copy(url: str, tmp_path: Path) -> None:
    store = opened(url, tmp_path / "a")
    store.publish(VERSION, FILES)
    opened(url, tmp_path / "b").remove(VERSION)
    assert store.read(f"{VERSION}/canonical.txt") == b"One\n"
    with pytest.raises(FileNotFoundError):
        store.digest(f"{VERSION}/canonical.txt")


def test_a_damaged_version_says_so(url: str, tmp_path: Path) -> None:
    store = opened(url, tmp_path)
    store.create(f"{VERSION}.zip", b"no archive")
    with pytest.raises(LibraryDamaged, match="is damaged"):
        store.read(f"{VERSION}/canonical.txt")


def test_the_cache_stays_under_its_limit_and_drops_what_was_not_used(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, limit=1000)
    for number in range(6):
        kept = cache.put(HASH, f"v{number}", bytes([number]) * 150)
        assert kept is not None
        os.utime(kept, (number, number))
    assert cache.get(HASH, "v0") == bytes(150)
    cache.put(HASH, "v6", bytes([6]) * 150)
    assert cache.size() <= 900
    assert cache.get(HASH, "v0") == bytes(150), "it was used last"
    assert cache.get(HASH, "v1") is None
    cache.drop(HASH)
    assert cache.size() == 0


def test_a_library_in_a_folder_imports_no_client(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom octavo_library import Library\nLibrary.open(sys.argv[1]).close()\n"
        "sys.exit(any(name.split('.')[0] == 'obstore' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script, tmp_path / "library"], check=False).returncode == 0


def test_without_the_client_its_installation_is_named(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.modules['obstore'] = None\nfrom octavo_library import Library\n"
        "Library.open('s3://bucket/x', index='postgresql://127.0.0.1:9/x')"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert "pip install 'octavo-library[object-store]'" in done.stderr
