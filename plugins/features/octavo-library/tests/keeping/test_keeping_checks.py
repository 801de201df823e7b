"""`verify-store` finds what is wrong, `repair` puts right what can be, and neither loses anything."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo_cli import main
from octavo_contracts import file_ref
from octavo_library import Library
from octavo_library.storage import ArtifactStore

CONFIG = "fixed-400-500-50"


@pytest.fixture
def two_versions(library: Library, file: Path) -> str:
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    return document.id


def folder(library: Library, document_id: str, version: int) -> Path:
    return library.path / "by_hash" / library.document(document_id).raw_hash / "conversions" / f"v{version}"


def test_a_sound_library_is_clean(library: Library, two_versions: str) -> None:
    library.ingest(b"by mail", name="a.txt", plugin="pages")
    library.ingest(b"", name="empty.txt")
    report = library.maintenance.verify()
    assert report.is_clean
    assert (report.documents, report.versions) == (3, 3)
    assert library.maintenance.repair(report).remaining == ()


def test_an_altered_active_version_makes_way_for_the_newest_intact_one(library: Library, two_versions: str) -> None:
    broken = folder(library, two_versions, 2) / "converted.md"
    data = broken.read_bytes()
    broken.write_bytes(data[:-1] + b"!")  # of the same size: only reading it tells
    ref = f"store:{broken.relative_to(library.path).as_posix()}"
    report = library.maintenance.verify()
    assert (report.altered, report.missing) == ((ref,), ())

    done = library.maintenance.repair(report)

    assert (done.damaged, done.activated, done.unreadable) == (((two_versions, 2),), ((two_versions, 1),), ())
    assert done.remaining == (ref,)
    document = library.document(two_versions)
    assert document.active_version == 1
    assert [one.condition for one in document.versions] == ["stored", "damaged"]
    again = library.maintenance.repair()
    assert (again.damaged, again.activated) == ((), ())
    library.maintenance.purge_expired(library.maintenance.expired())  # what is damaged need not wait for its time
    assert library.maintenance.verify().is_clean
    assert broken.parent.exists() is False


def test_a_document_without_an_intact_version_is_named_and_can_be_converted_again(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    (folder(library, document.id, 1) / "pages.json").unlink()
    file.rename(file.with_name("elsewhere.txt"))
    done = library.maintenance.repair()
    assert (done.unreadable, done.activated) == ((document.id,), ())
    file.with_name("elsewhere.txt").rename(file)
    assert document.reconvert(plugin="pages").is_active
    library.maintenance.purge_expired(library.maintenance.expired())
    assert library.maintenance.verify().is_clean


def test_a_version_without_its_list_of_files_is_damaged(library: Library, two_versions: str) -> None:
    (folder(library, two_versions, 1) / "version.json").write_text("{")
    (folder(library, two_versions, 2) / "canonical.txt").unlink()
    report = library.maintenance.verify()
    assert [ref.rpartition("/")[2] for ref in (*report.altered, *report.missing)] == ["version.json", "canonical.txt"]
    assert {version for _, version in library.maintenance.repair(report).damaged} == {1, 2}


@pytest.mark.parametrize("damage", ["missing", "not json", "a hash", "a span", "nothing"])
def test_a_chunk_set_is_made_again(library: Library, file: Path, damage: str) -> None:
    document = library.ingest(file, plugin="pages").document
    manifest = folder(library, document.id, 1) / "chunks" / CONFIG / "manifest.json"
    whole = manifest.read_bytes()
    content = json.loads(whole)
    if damage == "a hash":
        content["chunk_hashes"][0] = "0" * 64
    elif damage == "a span":
        content["chunks"][0]["span"]["end"] = 10**6
    elif damage == "nothing":
        content = {"chunks": [], "chunk_hashes": []}
    manifest.unlink()
    if damage != "missing":
        manifest.write_text("{" if damage == "not json" else json.dumps(content))
    report = library.maintenance.verify()
    assert not report.is_clean

    done = library.maintenance.repair(report)

    assert (len(done.chunk_sets), done.damaged, done.remaining) == (1, (), ())
    assert manifest.read_bytes() == whole
    assert library.maintenance.verify().is_clean


def test_a_chunk_set_that_can_not_be_derived_remains(library: Library, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    chunks = folder(library, document.id, 1) / "chunks"
    (chunks / CONFIG).rename(chunks / "other-config")
    (chunks / "other-config" / "manifest.json").write_text("{}")
    done = library.maintenance.repair()
    assert done.chunk_sets == ()
    assert [ref.rpartition("/chunks/")[2] for ref in done.remaining] == ["other-config/manifest.json"]


def test_logs_are_written_again_and_unnamed_files_go(library: Library, root: Path, file: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    log = root / "by_hash" / document.raw_hash / "processing_log.json"
    whole = log.read_bytes()
    log.write_text("{}")
    stray = root / "originals" / f"{'d' * 64}.txt"
    stray.write_text("x")
    empty = root / "by_hash" / ("e" * 64)
    empty.mkdir()
    (empty / "processing_log.json").write_text("{}")
    library.context.artifacts.put_version("f" * 64, {"a.txt": b"a"})
    (root / "by_hash" / ("f" * 64) / "conversions" / "v1" / "a.txt").write_text("cut off")
    left = root / "tmp" / "host-1-00000000"
    left.mkdir()
    (left / "half").write_text("x")

    report = library.maintenance.verify()

    assert report.outdated_logs == (f"store:by_hash/{document.raw_hash}/processing_log.json",)
    assert set(report.orphans) == {
        f"store:originals/{stray.name}",
        f"store:by_hash/{'e' * 64}",
        f"store:by_hash/{'f' * 64}/conversions/v1",
    }
    assert report.leftovers == ("tmp/host-1-00000000",)
    done = library.maintenance.repair(report)
    assert len(done.removed) == 4
    assert done.logs == report.outdated_logs
    assert log.read_bytes() == whole
    assert not (root / "by_hash" / ("f" * 64)).exists()
    assert library.maintenance.verify().is_clean


def test_originals_are_compared_and_never_touched(library: Library, root: Path, file: Path) -> None:
    library.ingest(file, plugin="pages")
    library.ingest(b"by mail", name="a.txt", plugin="pages")
    file.write_text("edited since")
    (stored,) = (root / "originals").iterdir()
    os.chmod(stored, 0o600)
    stored.write_text("by nail")

    report = library.maintenance.verify()

    assert report.changed_originals == (file_ref(file),)
    assert report.altered == (f"store:originals/{stored.name}",)
    done = library.maintenance.repair(report)
    assert done.stale_paths == (file_ref(file),)
    assert done.remaining == report.altered
    assert file.read_text() == "edited since"
    assert library.maintenance.verify().changed_originals == ()


def test_an_unfinished_purge_is_found_and_completed(
    library: Library, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = library.ingest(file, plugin="pages").document
    document.reconvert(plugin="headed")
    library.corpora.set_retention(library.context.index.corpora.create("law").name, "active_only")
    library.ingest(file, corpus="law")
    with monkeypatch.context() as patch:
        patch.setattr(ArtifactStore, "remove", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            library.maintenance.purge_expired(library.maintenance.expired())
    report = library.maintenance.verify()
    assert len(report.pending_purges) == 1
    assert library.maintenance.repair(report).completed_purges == 1
    assert library.maintenance.verify().is_clean


def test_commands_verify_and_repair(
    root: Path, shared_runtime: Runtime, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Library.open(root, runtime=shared_runtime) as library:
        document = library.ingest(file, plugin="pages").document
        document.reconvert(plugin="headed")
        log = root / "by_hash" / document.raw_hash / "processing_log.json"
    at = ["--library", str(root)]
    assert main(["verify-store", *at]) == 0
    assert main(["repair", *at]) == 0
    assert capsys.readouterr().out == "1 documents, 2 versions: clean\nNothing to repair\n"
    log.unlink()
    (root / "originals" / ("d" * 64)).write_text("x")
    assert main(["verify-store", "--json", *at]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["clean"], len(found["outdated_logs"]), len(found["orphans"])) == (False, 1, 1)
    assert main(["repair", *at]) == 3
    assert "Nothing was changed; repair with `octavo repair --yes`" in capsys.readouterr().out
    assert not log.exists()
    assert main(["repair", "--yes", "--json", *at]) == 0
    assert len(json.loads(capsys.readouterr().out)["repaired"]["removed"]) == 1
    assert main(["verify-store", *at]) == 0
    (root / "by_hash" / document.raw_hash / "conversions" / "v2" / "tool.json").write_text("{}")
    (root / "by_hash" / document.raw_hash / "conversions" / "v1" / "tool.json").write_text("{}")
    file.rename(file.with_name("elsewhere.txt"))
    assert main(["repair", "--yes", *at]) == 3
    shown = capsys.readouterr().out
    assert f"version 2 of {document.id}" in shown
    assert f"{document.id}: ingest its original again" in shown
    file.with_name("elsewhere.txt").rename(file)
    assert main(["repair", "--yes", *at]) == 3, "the damaged versions stay on record"
    assert f"converted again   version 3 of {document.id}" in capsys.readouterr().out
