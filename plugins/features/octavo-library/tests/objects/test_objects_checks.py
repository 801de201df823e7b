"""What is lost or damaged in an object store is found, told and repaired as far as possible (STO-8, STO-11)."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo_cli import main
from octavo_conformance.loopback import Reply
from octavo_contracts import LibraryReadOnly, StorageError, UsageError
from octavo_library import Library
from sqlalchemy import make_url

SAMPLE = Path(__file__).resolve().parents[5] / "docs" / "samples" / "field-notes.md"
Opener = Callable[..., Library]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "paper.md"))


def ingested(library: Library, paper: Path | bytes) -> str:
    name = None if isinstance(paper, Path) else "note.md"
    document_id = library.ingest(paper, name=name).document_id
    assert document_id is not None
    return library.document(document_id).raw_hash


def test_a_lost_copy_of_an_original_is_found_and_stored_again(machine: Opener, paper: Path) -> None:
    with machine(originals="stored") as library:
        raw_hash = ingested(library, paper)
        ref = f"store:originals/{raw_hash}.md"
        assert library.maintenance.verify().is_clean
        assert library.context.artifacts.remove(ref)
    with machine("two") as other:  # whatever its own setting
        assert other.maintenance.verify().missing == (ref,)
        aside = paper.rename(paper.with_name("aside.md"))
        assert other.maintenance.repair().remaining == (ref,)
        aside.rename(paper)
        done = other.maintenance.repair()
        assert (done.stored_again, done.remaining) == ((ref,), ())
        assert other.context.artifacts.read(ref) == paper.read_bytes()
        assert other.maintenance.verify().is_clean


def test_an_altered_copy_of_an_original_is_replaced(
    machine: Opener, paper: Path, url: str, index_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    place = ("--library", url, "--index", index_url)
    with machine(originals="stored") as library:
        raw_hash = ingested(library, paper)
        key = f"originals/{raw_hash}/original.md"
        library.context.artifacts.store.replace(f"originals/{raw_hash}.md", b"other bytes", doing="altering it")
    aside = paper.rename(paper.with_name("aside.md"))
    assert main(["repair", "--yes", *place]) == 3
    said = capsys.readouterr().out
    assert f"altered           store:{key}" in said
    assert f"remaining         store:{key}" in said
    assert "put the file back at its path on any machine and run `octavo repair --yes` there" in said.splitlines()[-1]
    aside.rename(paper)
    assert main(["repair", "--yes", *place]) == 0
    assert f"stored again      store:{key}" in capsys.readouterr().out
    assert main(["verify-store", *place]) == 0


def test_a_lost_copy_of_what_a_worker_converted_is_found(machine: Opener, paper: Path) -> None:
    with machine(originals="stored") as library:
        library.queue.submit([paper])
    paper.unlink()
    with machine("two") as worker:
        worker.queue.work(until_empty=True)
        (document,) = worker.documents()
        ref = f"store:originals/{document.raw_hash}.md"
        assert worker.maintenance.verify().is_clean
        assert worker.context.artifacts.remove(ref)
        assert worker.maintenance.verify().missing == (ref,)


def test_an_original_that_was_never_copied_is_not_missing(machine: Opener, paper: Path) -> None:
    with machine() as library:
        ingested(library, paper)
    paper.unlink()
    with machine("two", originals="stored") as other:
        assert other.maintenance.verify().is_clean


def flipped(data: bytes, place: int) -> bytes:
    """An archive with one byte of a file's compressed text altered."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        at = archive.getinfo("converted.md").header_offset + 30 + len("converted.md") + place
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def damaged_versions(library: Library) -> set[str]:
    """Damage four versions in four ways; give the references that a check should name."""
    artifacts = library.context.artifacts
    hashes = [ingested(library, f"# Note {number}\n\nSome words.\n".encode()) for number in range(5)]
    spoilt, gone, first, later = (f"by_hash/{one}/conversions/v1" for one in hashes[:4])
    artifacts.store.replace(f"{spoilt}.zip", b"garbage", doing="damaging it")
    assert artifacts.remove(f"store:{gone}")
    for version, place in ((first, 0), (later, 5)):
        data = flipped(artifacts.store.read(f"{version}.zip"), place)
        artifacts.store.replace(f"{version}.zip", data, doing="damaging it")
    whole = {f"store:{version}/version.json" for version in (spoilt, gone)}
    return whole | {f"store:{version}/converted.md" for version in (first, later)}


@pytest.mark.parametrize("name", ["one", "two"], ids=["with copies in its cache", "with an empty cache"])
def test_a_damaged_archive_is_one_finding_among_the_others(machine: Opener, name: str) -> None:
    with machine() as library:
        expected = damaged_versions(library)
    with machine(name) as other:
        report = other.maintenance.verify()
        named = {ref for ref in (*report.missing, *report.altered) if "/chunks/" not in ref}
        assert named == expected
        done = other.maintenance.repair(report)
        assert len(done.damaged) == len(done.reconverted) == 4
        assert done.unreadable == ()
        assert [one.active_version for one in other.documents()].count(2) == 4
        assert all("Some words." in one.canonical_text for one in other.documents())
        assert len(other.maintenance.repair().damaged) == 0


def test_a_store_that_does_not_answer_is_no_damage(machine: Opener, s3: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with machine() as library:
        ingested(library, b"# A note\n")
    monkeypatch.setattr("octavo_library.storage.objects.object_client._RETRY_SECONDS", 0.2)
    with machine("two") as other:
        s3.before = lambda asked: Reply(status=503) if asked.method == "GET" and ".zip" in asked.path else None
        with pytest.raises(StorageError, match="failed while reading"):
            other.maintenance.verify()
        s3.before = lambda _: None
        assert other.maintenance.verify().is_clean


def test_the_command_line_repairs_a_damaged_archive(
    machine: Opener, url: str, index_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    place = ("--library", url, "--index", index_url)
    with machine() as library:
        expected = damaged_versions(library)
    assert main(["verify-store", *place]) == 3
    said = capsys.readouterr().out
    named = {ref.replace("/v1/", "/v1.zip (") + ")" for ref in expected}
    assert all(ref in said for ref in named)
    assert said.splitlines()[-1] == "Next: what can be repaired: `octavo repair --yes`"
    assert main(["repair", "--yes", *place]) == 3
    said = capsys.readouterr().out
    assert said.count("converted again") == 4
    assert all(f"remaining         {ref}" in said for ref in named)
    purge = "damaged versions that another one has replaced: `octavo purge --expired --yes` removes them"
    assert said.splitlines()[-1] == f"Next: {purge}"
    assert main(["verify-store", *place]) == 3
    assert capsys.readouterr().out.splitlines()[-1] == f"Next: {purge}"
    assert main(["purge", "--expired", "--yes", *place]) == 0
    assert main(["verify-store", *place]) == 0
    capsys.readouterr()
    assert main(["repair", "--rebuild-index", *place]) == 2
    assert "backup of that database" in capsys.readouterr().err


def test_an_index_that_may_not_be_written_is_told(machine: Opener, url: str, index_url: str) -> None:
    """Every process that opens a library in an object store enters its lease."""
    with machine():
        pass
    place = make_url(index_url)
    session = f"{place.query['options']} -cdefault_transaction_read_only=on"
    reading = place.update_query_dict({"options": session}).render_as_string(hide_password=False)
    with pytest.raises(LibraryReadOnly, match="cannot be written") as told:
        Library.open(url, index=reading)
    assert "Make it writable" in str(told.value.remedy)


def test_paths_of_another_machine_are_not_vanished_where_originals_are_stored(machine: Opener, paper: Path) -> None:
    """A second machine, without the folder of the first, checks the paths of the library that both have open."""
    other_paper = paper.with_name("other.md")
    other_paper.write_text("# Other\n\nSome words.\n")
    with machine(originals="stored") as library:
        ingested(library, paper)
    with machine() as library:
        by_reference = library.ingest(other_paper).document
    paper.unlink()
    other_paper.unlink()
    with machine("two") as other:
        found = other.maintenance.check_paths()
        assert (found.checked, found.elsewhere) == (2, 1)
        assert [Path(ref).name for ref in found.vanished] == ["other.md"]
        assert found.unreachable == (by_reference.id,)
    paper.write_text("another file of that name")
    with machine("two") as other:
        assert (other.maintenance.check_paths().vanished, other.maintenance.check_paths().elsewhere) == ((), 1)


def test_a_library_inside_a_library_is_refused(machine: Opener, url: str, index_url: str, paper: Path) -> None:
    """The outer one would not know of its objects."""
    with machine() as library:
        ingested(library, paper)
    for inner in (f"{url}/nested", f"{url}/by_hash/deep/er"):
        with pytest.raises(UsageError, match=f"{inner} is inside the library {url}[.]"):
            Library.open(inner, index=index_url)
    with machine("two") as library:
        assert len(library.documents()) == 1


def test_credentials_of_a_prefix_need_no_right_above_it(
    machine: Opener, url: str, index_url: str, s3: Any, paper: Path
) -> None:
    """Only then is what lies above left out; the library beside the first is refused for its database alone."""
    with machine() as library:
        ingested(library, paper)
    above = f"/{url.split('/')[2]}/index-elsewhere.json"
    s3.before = lambda asked: Reply(status=403) if asked.path == above else None
    with pytest.raises(UsageError, match="is the index of a different library"):
        Library.open(f"{url}-beside", index=index_url)
    assert any(path == above for _, path in s3.asked)
