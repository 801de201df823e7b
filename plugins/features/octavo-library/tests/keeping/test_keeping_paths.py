"""Originals that move, vanish and come back (STO-11), and what is told of known bytes (STO-13)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_contracts import SourceChanged, SourceMissing, UsageError, file_ref
from octavo_library import Library


def stale(library: Library, document_id: str) -> dict[str, bool]:
    return {
        os.path.basename(record.path): record.is_stale for record in library.context.index.documents.paths(document_id)
    }


def test_a_vanished_path_is_marked_and_a_returned_one_counts_again(library: Library, file: Path) -> None:
    done = library.ingest(file, plugin="pages")
    aside = file.rename(file.with_name("aside"))

    gone = library.maintenance.check_paths()

    assert (gone.checked, gone.vanished, gone.returned) == (1, (file_ref(file),), ())
    assert gone.unreachable == (done.document_id,)
    assert stale(library, done.document_id) == {"notes.txt": True}
    assert library.document(str(file)).markdown.startswith("# harbour notes")
    assert library.maintenance.check_paths().vanished == ()

    aside.rename(file)
    back = library.maintenance.check_paths()
    assert (back.vanished, back.returned, back.unreachable) == ((), (file_ref(file),), ())
    assert stale(library, done.document_id) == {"notes.txt": False}


def test_another_file_at_the_path_is_not_the_document(library: Library, file: Path) -> None:
    library.ingest(file, plugin="pages")
    same_size = "x" * file.stat().st_size
    file.write_text(same_size)
    assert library.maintenance.check_paths().vanished == ()
    assert library.maintenance.check_paths(read_contents=True).vanished == (file_ref(file),)
    assert library.maintenance.check_paths().returned == ()  # what is stale is hashed before it counts again


def test_bytes_that_were_stored_are_never_out_of_reach(library: Library) -> None:
    library.ingest(b"a|b", name="mail.txt", plugin="pages", surface="email_attachment")
    checked = library.maintenance.check_paths()
    assert (checked.checked, checked.unreachable) == (0, ())


def test_relinking_compares_the_bytes_first(library: Library, file: Path, tmp_path: Path) -> None:
    document = library.ingest(file, plugin="pages").document
    moved, other = file.rename(tmp_path / "moved.txt"), tmp_path / "other.txt"
    other.write_text("other bytes")
    before = library.context.index.documents.instances(document.id)
    assert len(document.paths) == 1

    with pytest.raises(SourceChanged, match="the file differs from the document"):
        document.original.relink(other)
    with pytest.raises(SourceMissing):
        document.original.relink(tmp_path / "nothing.txt")
    assert document.original.relink(moved) == file_ref(moved)

    assert [os.path.basename(path) for path in document.paths] == ["notes.txt", "moved.txt"]
    assert library.maintenance.check_paths().unreachable == ()
    assert document.reconvert(plugin="headed").version == 2
    assert library.context.index.documents.instances(document.id) == before  # nobody sees it who did not see it before


def test_relinking_to_a_path_of_another_document_takes_it_over(library: Library, file: Path, tmp_path: Path) -> None:
    first = library.ingest(file, plugin="pages").document
    place = tmp_path / "place.txt"
    place.write_text("another")
    second = library.ingest(place, plugin="pages").document
    place.write_bytes(file.read_bytes())
    first.original.relink(place)
    assert stale(library, second.id) == {"place.txt": True}
    assert library.document(str(place)).id == first.id


def test_known_bytes_are_told_with_corpus_and_date_under_the_askers_policy(library: Library, file: Path) -> None:
    library.context.index.corpora.create("closed", visibility="firewalled")
    library.context.index.corpora.create("open")
    done = library.ingest(file, corpus="closed", plugin="pages")

    known = library.find_known(file, corpus="closed")

    assert known is not None
    assert (known.document_id, known.corpora) == (done.document_id, ("closed",))
    assert known.first_seen_at[:2] == "20"
    assert library.find_known(file.read_bytes(), corpus="closed") == known
    assert library.find_known(file) is None
    assert library.find_known(file, corpus="open") is None
    with pytest.raises(UsageError, match="there is no corpus"):
        library.find_known(file, corpus="absent")


def test_ingesting_again_by_wish_makes_a_new_version(library: Library, file: Path) -> None:
    first = library.ingest(file, plugin="pages", reingest=True)
    again = library.ingest(file, plugin="headed", corpus="tides", reingest=True)
    assert (first.reused, again.reused) == (False, False)
    assert again.document_id == first.document_id
    assert [(one.version, one.tool, one.is_active) for one in again.document.versions] == [
        (1, "pages", False),
        (2, "headed", True),
    ]
    assert again.result.quality_report.selected_tool == "headed"
    assert [document.id for document in library.documents(corpus="tides")] == [first.document_id]


def test_commands_check_and_relink(
    library: Library, root: Path, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = library.ingest(file, plugin="pages")
    moved = file.rename(tmp_path / "moved.txt")
    assert done.document_id is not None

    assert main(["check-paths", "--library", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "1 paths checked: 1 vanished, 0 returned" in shown
    assert f"no path left: {done.document_id}" in shown

    assert main(["relink", done.document_id, str(moved), "--library", str(root)]) == 0
    assert main(["check-paths", "--read", "--json", "--library", str(root)]) == 0
    assert '"unreachable": []' in capsys.readouterr().out
    assert main(["relink", done.document_id, str(tmp_path / "none"), "--library", str(root)]) == 3
    moved.rename(file)
    assert main(["check-paths", "--library", str(root)]) == 0
    assert "returned" in capsys.readouterr().out
