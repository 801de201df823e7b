"""The files of a library (STO-1, STO-2, STO-6, STO-7, STO-8)."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import SourceChanged, StorageError, UsageError
from octavo_contracts.refs import file_ref, memory_ref
from octavo_library.storage import ArtifactStore
from octavo_library.storage.files import layout, owners
from octavo_sandbox.filesystem import durable

Hasher = Callable[[str], str]


def everything_in(root: Path) -> list[str]:
    """The files below a folder, but for locks."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")


def test_a_version_is_read_back_as_it_was_put(store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]) -> None:
    """STO-2: the layout is by hash and version, and the store's references lead there."""
    one = raw_hash("one")
    assert store.put_version(one, files) == 1
    for name, data in files.items():
        assert store.read(f"store:by_hash/{one}/conversions/v1/{name}") == data
    assert store.versions(one) == (1,)


def test_versions_count_up_and_the_old_ones_stay(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    """STO-6: a reconversion makes v(n+1) and overwrites nothing."""
    one = raw_hash("one")
    store.put_version(one, files)
    assert store.put_version(one, {"converted.md": b"other"}) == 2
    assert store.read(f"store:by_hash/{one}/conversions/v1/converted.md") == files["converted.md"]
    assert store.versions(one) == (1, 2)


def test_the_number_of_a_purged_version_is_not_used_again(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    """ENG-23: whoever is bound to v3 must never find another conversion there."""
    assert store.put_version(raw_hash("one"), files, above=3) == 4


def test_files_that_name_their_own_version_are_made_again_when_the_number_is_taken(
    store: ArtifactStore, raw_hash: Hasher
) -> None:
    """Another writer takes v1 while the files for v1 are being made."""
    asked = []

    def files_of(number: int) -> dict[str, bytes]:
        if not asked:
            store.put_version(raw_hash("one"), {"who": b"the other"})
        asked.append(number)
        return {"who": b"v%d" % number}

    assert store.put_version(raw_hash("one"), files_of) == 2
    assert asked == [1, 2]
    assert store.read(f"store:by_hash/{raw_hash('one')}/conversions/v2/who") == b"v2"


def test_a_version_says_which_job_made_it_and_what_is_in_it(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    store.put_version(raw_hash("one"), files, job_id="job-1")
    manifest = store.manifest(raw_hash("one"), 1)
    assert manifest.job_id == "job-1"
    assert set(manifest.files) == set(files)
    assert manifest.files["canonical.txt"] == (4, raw_hash("One\n"))


def test_a_damaged_version_file_is_an_error_that_names_it(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    store.put_version(raw_hash("one"), files)
    path = store.path(f"store:by_hash/{raw_hash('one')}/conversions/v1/version.json")
    for damage in ("{", "[]", "{}"):
        path.write_text(damage)
        with pytest.raises(StorageError, match=r"version\.json' is damaged"):
            store.manifest(raw_hash("one"), 1)


@pytest.mark.parametrize("name", ["../x", "/x", "a/b", ".hidden", "", "version.json", "nul\0", "x" * 200])
def test_names_that_are_no_artifact_names_are_refused(store: ArtifactStore, raw_hash: Hasher, name: str) -> None:
    with pytest.raises(ValueError, match=r"name|version"):
        store.put_version(raw_hash("one"), {name: b""})
    assert store.versions(raw_hash("one")) == ()


def test_a_version_without_files_is_refused(store: ArtifactStore, raw_hash: Hasher) -> None:
    """A rename replaces an empty folder, so an empty version could be overwritten."""
    with pytest.raises(ValueError, match="at least one file"):
        store.put_version(raw_hash("one"), {})


@pytest.mark.parametrize("wrong", ["", "..", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_what_is_no_hash_never_becomes_a_path(store: ArtifactStore, wrong: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        store.put_version(wrong, {"a": b""})


def test_versions_count_from_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        layout.version_folder("a" * 64, 0)


def test_folders_that_are_no_versions_are_passed_over(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    store.put_version(raw_hash("one"), files)
    for name in ("v0", "v01", "latest", "v1.bak"):
        (store.root / layout.conversions_folder(raw_hash("one")) / name).mkdir()
    assert store.versions(raw_hash("one")) == (1,)


def test_an_original_is_stored_once_under_its_hash(store: ArtifactStore, raw_hash: Hasher) -> None:
    """STO-1: bytes that have no path are stored once; a second time they are not even read."""
    ref = store.put_original(raw_hash("mail"), extension=".EML", stream=io.BytesIO(b"mail"))
    assert ref == f"store:originals/{raw_hash('mail')}.eml"
    assert store.read(ref) == b"mail"
    unread = io.BytesIO(b"mail")
    assert store.put_original(raw_hash("mail"), extension="eml", stream=unread) == ref
    assert unread.tell() == 0


def test_an_extension_that_could_do_harm_is_left_out(store: ArtifactStore, raw_hash: Hasher) -> None:
    for extension in ("", "../x", "a b", "ü", "x" * 11):
        ref = store.put_original(raw_hash("mail"), extension=extension, stream=io.BytesIO(b"mail"))
        assert ref == f"store:originals/{raw_hash('mail')}"


def test_bytes_that_do_not_have_the_hash_are_refused(store: ArtifactStore, raw_hash: Hasher) -> None:
    with pytest.raises(SourceChanged, match="the bytes have hash"):
        store.put_original(raw_hash("mail"), extension="eml", stream=io.BytesIO(b"other"))
    assert everything_in(store.root) == []


def test_chunk_sets_stand_beside_each_other(store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]) -> None:
    """STO-7: several configs coexist; the same set again changes nothing."""
    store.put_version(raw_hash("one"), files)
    small = store.put_chunks(raw_hash("one"), 1, config_version="c1-600", data=b"[600]")
    large = store.put_chunks(raw_hash("one"), 1, config_version="c1-800", data=b"[800]")
    assert store.put_chunks(raw_hash("one"), 1, config_version="c1-600", data=b"[600]") == small
    assert (store.read(small), store.read(large)) == (b"[600]", b"[800]")
    assert small.endswith("/conversions/v1/chunks/c1-600/manifest.json")


def test_a_chunk_set_is_never_overwritten(store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]) -> None:
    store.put_version(raw_hash("one"), files)
    ref = store.put_chunks(raw_hash("one"), 1, config_version="c1", data=b"[1]")
    with pytest.raises(UsageError, match="already has different chunks for config 'c1'"):
        store.put_chunks(raw_hash("one"), 1, config_version="c1", data=b"[2]")
    assert store.read(ref) == b"[1]"


def test_chunks_of_a_version_that_does_not_exist_are_refused(store: ArtifactStore, raw_hash: Hasher) -> None:
    with pytest.raises(UsageError, match=r"version 1 of .* does not exist"):
        store.put_chunks(raw_hash("one"), 1, config_version="c1", data=b"[]")


def test_a_recognised_page_is_kept_for_every_document(store: ArtifactStore, raw_hash: Hasher) -> None:
    """OCR-3: cached for ever; the first stays."""
    ref = store.put_ocr(raw_hash("page"), name="tesseract-5.3-ab12.json", data=b"1")
    assert ref == f"store:ocr/{raw_hash('page')}/tesseract-5.3-ab12.json"
    assert store.put_ocr(raw_hash("page"), name="tesseract-5.3-ab12.json", data=b"2") == ref
    assert store.read(ref) == b"1"


def test_the_processing_log_is_replaced_whole(store: ArtifactStore, raw_hash: Hasher) -> None:
    """ENG-2: a projection, so the newest is all there is."""
    store.write_log(raw_hash("one"), b'{"jobs": [1]}')
    ref = store.write_log(raw_hash("one"), b"{}")
    assert store.read(ref) == b"{}"
    assert everything_in(store.root) == [f"by_hash/{raw_hash('one')}/processing_log.json"]


def test_references_that_are_not_the_stores_are_refused(store: ArtifactStore) -> None:
    for ref in (file_ref("/etc/passwd"), memory_ref("a" * 64), "store:../x", "store:/etc/passwd", "nonsense"):
        with pytest.raises(UsageError):
            store.read(ref)


def test_reading_what_is_not_there_names_the_library(store: ArtifactStore, raw_hash: Hasher) -> None:
    for ref in (f"store:by_hash/{raw_hash('one')}/x", "store:by_hash"):
        with pytest.raises(UsageError, match="is not in the library"):
            store.read(ref)


@pytest.mark.skipif(os.name != "posix", reason="permission bits are POSIX's")
def test_nobody_but_the_owner_can_read_a_library(
    store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]
) -> None:
    store.put_version(raw_hash("one"), files)
    store.put_original(raw_hash("mail"), extension="eml", stream=io.BytesIO(b"mail"))
    for path in [store.root, *store.root.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_nothing_temporary_stays_after_a_write(store: ArtifactStore, raw_hash: Hasher, files: dict[str, bytes]) -> None:
    store.put_version(raw_hash("one"), files)
    store.put_original(raw_hash("mail"), extension="eml", stream=io.BytesIO(b"mail"))
    store.put_ocr(raw_hash("page"), name="a.json", data=b"1")
    store.write_log(raw_hash("one"), b"{}")
    assert list((store.root / layout.TMP / store.owner).iterdir()) == []


def test_closing_takes_its_own_traces_away(root: Path, raw_hash: Hasher, files: dict[str, bytes]) -> None:
    with ArtifactStore(root) as store:
        store.put_version(raw_hash("one"), files)
        name = store.owner
    assert not (root / layout.TMP / name).exists()
    assert list((root / layout.LOCKS).iterdir()) == []
    store.close()


def test_only_leftovers_of_dead_owners_are_swept(store: ArtifactStore) -> None:
    """Another opening of the same library, in this process or another, keeps its unfinished files."""
    dead = store.root / layout.TMP / "host-1-00000000"
    dead.mkdir()
    (dead / "half").write_bytes(b"x")
    (store.root / layout.LOCKS / "host-1-00000000.lock").touch()
    not_ours = store.root / layout.TMP / "notes"
    not_ours.mkdir()
    with ArtifactStore(store.root) as other:
        theirs = store.root / layout.TMP / other.owner / "half"
        theirs.write_bytes(b"x")
        assert store.leftovers() == ("tmp/host-1-00000000",)
        assert store.sweep() == 1
        assert theirs.exists()
        assert not_ours.exists()
        assert not dead.exists()
        assert store.is_alive(other.owner)
        assert store.is_alive(store.owner)
        locks = {path.stem for path in (store.root / layout.LOCKS).iterdir()}
        assert locks == {store.owner, other.owner}
    assert not store.is_alive(other.owner)


def test_an_owner_whose_lock_was_swept_before_it_held_it_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sweep may remove a lock file between its making and its locking; the lock must not be on a lost file."""
    real, swept = owners._try_lock, []

    def sweep_first(descriptor: int) -> bool:
        if not swept:
            swept.append(True)
            next(tmp_path.glob("*.lock")).unlink()
        return real(descriptor)

    monkeypatch.setattr(owners, "_try_lock", sweep_first)
    with owners.Owner(tmp_path) as owner:
        assert owners.is_alive(tmp_path, owner.name)


def test_disks_without_hard_links_are_served_by_rename(
    store: ArtifactStore, raw_hash: Hasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ExFAT has no hard links, and no such disk can be counted on here, so the call itself is made to refuse."""

    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    ref = store.put_ocr(raw_hash("page"), name="a.json", data=b"1")
    assert store.read(ref) == b"1"
    staged = store.root / "staged"
    staged.write_bytes(b"1")
    assert not durable.publish_file(staged, store.path(ref))
    assert not staged.exists()


def test_other_failures_of_the_link_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(b"1")
    with pytest.raises(FileNotFoundError):
        durable.publish_file(tmp_path / "staged", tmp_path / "nowhere" / "x")
    with pytest.raises(FileNotFoundError):
        durable.publish_folder(tmp_path / "nowhere", tmp_path / "x")


def test_a_version_folder_with_files_is_never_replaced(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    assert durable.publish_folder(tmp_path / "first", tmp_path / "v1")
    assert not durable.publish_folder(tmp_path / "second", tmp_path / "v1")
    assert (tmp_path / "v1" / "file").read_text() == "first"


def test_a_failing_file_system_says_what_was_under_way(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match="the file system failed while storing a conversion"),
        durable.storage_errors(tmp_path, doing="storing a conversion"),
    ):
        raise OSError(errno.EIO, "Input/output error")


def test_free_space_of_a_folder_that_is_gone_is_unknown(tmp_path: Path) -> None:
    assert durable.free_space(tmp_path / "gone") == "free space unknown"


def test_a_library_where_a_file_stands_is_refused(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("a file")
    with pytest.raises(StorageError, match="opening the library"):
        ArtifactStore(tmp_path / "library")


def test_a_processing_log_stays_readable_json(store: ArtifactStore, raw_hash: Hasher) -> None:
    ref = store.write_log(raw_hash("one"), json.dumps({"jobs": []}).encode())
    assert json.loads(store.read(ref)) == {"jobs": []}
