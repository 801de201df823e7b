"""Recognition of a library's documents: of those that wait for it, in a batch, and behind everything else (OCR-6)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Library

OWN = "Text of its own, as a program wrote it. " * 12


def until(holds: Any) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def reader(engines: Any, tmp_path: Path) -> Path:
    """A recogniser that waits while a file is there. Returns the file, which is not."""
    gate = tmp_path / "gate"
    wait = f"import os, time\n    while os.path.exists({str(gate)!r}): time.sleep(0.02)"
    engines(wait, keen=0.9)
    return gate


@pytest.fixture
def library(reader: Path, scan: Any, tmp_path: Path) -> Iterator[Library]:
    """Two scans and a text, taken in with recognition switched off."""
    settings = Settings(workers=2, ocr=OcrSettings(engines=("keen",), dpi=36, automatic=False))
    with Library.open(tmp_path / "library", settings=settings) as opened:
        for name, data in {"one.pdf": scan(200), "two.pdf": scan(220), "text.pdf": scan(OWN)}.items():
            opened.ingest(data, name=name, plugin="blank")
        yield opened


def test_documents_with_unread_pages_are_found_and_read_one_after_the_other(library: Library) -> None:
    """OCR-7."""
    waiting = library.recognition.pending()
    assert len(waiting) == 2
    told = []
    found = list(library.recognition.run(progress=told.append))
    assert told == found
    assert [(one.done, one.total, one.error) for one in found] == [(1, 2, None), (2, 2, None)]
    assert [one.document_id for one in found] == [document.id for document in waiting]
    texts = [library.document(document.id).canonical_text for document in waiting]
    assert texts == ["keen reads shade 200 in en", "keen reads shade 220 in en"]
    assert [version.version for version in library.document(waiting[0].id).versions] == [1, 2]
    assert library.recognition.pending() == []
    assert list(library.recognition.run()) == []


def test_a_document_that_fails_stops_no_other(library: Library, tmp_path: Path, scan: Any) -> None:
    gone = tmp_path / "gone.pdf"
    gone.write_bytes(scan(240))
    taken = library.ingest(gone, plugin="blank")
    gone.unlink()
    found = {one.document_id: one for one in library.recognition.run()}
    assert len(found) == 3
    lost = found.pop(taken.document_id)
    assert lost.error is not None
    assert lost.error.reason == "source_missing"
    assert all(one.error is None for one in found.values())


def test_only_a_corpus_or_what_was_named_is_read(library: Library, scan: Any) -> None:
    taken = library.ingest(scan(240), name="three.pdf", plugin="blank", corpus="harbour")
    assert [document.id for document in library.recognition.pending(corpus="harbour")] == [taken.document_id]
    assert [one.document_id for one in library.recognition.run(corpus="harbour")] == [taken.document_id]
    (named, left) = library.recognition.pending()
    assert [one.document_id for one in library.recognition.run([named.id])] == [named.id]
    assert [document.id for document in library.recognition.pending()] == [left.id]
    with pytest.raises(UsageError):
        library.recognition.run(["nothing-of-that-name"])


def test_behind_everything_else_reading_goes_on(library: Library, reader: Path, scan: Any) -> None:
    """A recogniser that never ends holds up neither a text, nor a search, nor a document that comes in."""
    first, second = library.recognition.pending()
    reader.touch()
    run = library.recognition.start()
    assert run.is_running
    assert first.canonical_text == ""
    assert second.quality.degraded_flags
    library.search("program")
    library.ingest(scan(OWN, OWN), name="other.pdf", plugin="blank")
    assert run.documents == ()
    assert run.is_running
    reader.unlink()
    assert [one.error for one in run.wait(60)] == [None, None]
    assert not run.is_running
    assert library.document(first.id).canonical_text == "keen reads shade 200 in en"


def test_a_cancelled_run_leaves_the_versions_as_they_were(library: Library, reader: Path) -> None:
    reader.touch()
    run = library.recognition.start()
    run.cancel()
    found = run.wait(60)
    reader.unlink()
    assert [one.error.reason for one in found if one.error is not None] == ["not_attempted", "not_attempted"]
    assert [len(document.versions) for document in library.recognition.pending()] == [1, 1]


def test_closing_the_library_ends_what_goes_on_behind(library: Library, reader: Path) -> None:
    reader.touch()
    run = library.recognition.start()
    library.close()
    assert not run.is_running
    assert "octavo-recognition" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(UsageError, match="closed"):
        library.recognition.start()


def test_a_run_that_the_library_left_behind_says_what_it_did_not_do(library: Library, reader: Path) -> None:
    reader.touch()
    run = library.recognition.start()
    library.close()
    assert [one.error.reason for one in run.wait(60) if one.error is not None] == ["not_attempted", "not_attempted"]


def test_two_runs_at_once_read_a_document_once(library: Library, reader: Path) -> None:
    reader.touch()
    first, second = library.recognition.start(), library.recognition.start()
    waiting = [document.id for document in library.recognition.pending()]
    reader.unlink()
    first.wait(60)
    second.wait(60)
    assert library.recognition.pending() == []
    assert max(len(library.document(name).versions) for name in waiting) <= 3
    done = [one for one in (*first.documents, *second.documents) if one.recognised is not None]
    assert {one.document_id for one in done} == set(waiting)


def test_a_page_that_one_document_has_not_stops_no_other(library: Library, scan: Any) -> None:
    taken = library.ingest(scan(240, 250), name="long.pdf", plugin="blank")
    found = {one.document_id: one for one in library.recognition.run(options=OcrOptions(pages=(2,)))}
    assert len(found) == 3
    assert found.pop(taken.document_id).recognised is not None
    assert all(isinstance(one.error, UsageError) for one in found.values())


def test_what_was_read_of_a_document_goes_with_it(library: Library, reader: Path, tmp_path: Path, scan: Any) -> None:
    """Its first pages were read when the run was cancelled: no version holds them, and the store does (OCR-3, STO-14)."""
    taken = library.ingest(scan(*range(200, 212, 2)), name="long.pdf", plugin="blank")
    kept = tmp_path / "library" / "ocr"
    run = library.recognition.start([taken.document_id])
    until(lambda: any(kept.rglob("*.json")))
    reader.touch()
    run.cancel()
    run.wait(60)
    reader.unlink()
    library.maintenance.purge(library.document(taken.document_id), confirm=taken.document_id)
    assert not any(kept.rglob("*.json"))


def test_a_mistake_of_the_callers_own_is_told_where_the_run_is_waited_for(library: Library) -> None:
    def progress(_: object) -> None:
        raise ZeroDivisionError("counted wrong")

    run = library.recognition.start(progress=progress)
    with pytest.raises(ZeroDivisionError, match="counted wrong"):
        run.wait(60)
    assert not run.is_running


def test_the_command_names_the_document_of_each_page(library: Library, tmp_path: Path, capsys: Any) -> None:
    library.close()
    assert main(["ocr", "--needed", "--text", "--engine", "keen", "--library", str(tmp_path / "library")]) == 0
    told = capsys.readouterr()
    names = sorted(re.findall(r"<!-- (.+?), page 1: keen", told.out))
    assert len(names) == 2
    assert all(name in told.err for name in names)


def test_the_text_of_all_that_waited_is_stored_and_told_in_a_line_each(
    library: Library, tmp_path: Path, capsys: Any
) -> None:
    names = [one.title or one.id for one in library.recognition.pending()]
    library.close()
    assert main(["ocr", "--needed", "--engine", "keen", "--library", str(tmp_path / "library")]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    for number, name in enumerate(names, start=1):
        assert f"{number}/2 {name}: complete, 1 page recognised by keen, mean confidence 0.90\n" in told.err


def test_the_command_says_which_pages_are_from_the_store(library: Library, tmp_path: Path, capsys: Any) -> None:
    """OCR-3: `--again` recognises what is stored; without it, the comment before a page and the JSON say *stored*."""
    document = library.recognition.pending()[0].id
    library.close()
    command = ["ocr", document, "--engine", "keen", "--library", str(tmp_path / "library")]
    marks, stored, told = [], [], []
    for more in ([], [], ["--again"]):
        assert main([*command, *more]) == 0
        said = capsys.readouterr()
        marks.append(re.findall(r"<!-- page 1: keen 1.0, confidence 0.90(.*?) -->", said.out))
        told.append(said.err.partition(": ")[2].partition(": ")[2].strip())
    for more in ([], ["--again"]):
        assert main([*command, *more, "--json"]) == 0
        stored.append([one["stored"] for one in json.loads(capsys.readouterr().out)["documents"]])
    assert marks == [[""], [", stored"], [""]]
    assert stored == [[[1]], [[]]]
    same = "the active version has the same readings, so no new version was stored"
    assert told == ["stored as version 2", same, same]


def test_a_reading_that_is_less_sure_than_the_one_before_is_told(
    engines: Any, scan: Any, tmp_path: Path, capsys: Any
) -> None:
    """The user who asks for another engine decides; the way back is one command."""
    engines(keen=0.9, dull=0.6)
    where = ["--library", str(tmp_path / "library")]
    with Library.open(tmp_path / "library", settings=Settings(ocr=OcrSettings(engines=("keen",), dpi=36))) as library:
        document = library.ingest(scan(200), name="one.pdf", plugin="blank").document
        assert document.canonical_text == "keen reads shade 200 in en"
    assert main(["ocr", document.id, "--engine", "dull", "--again", *where]) == 0
    told = capsys.readouterr().err
    assert "stored as version 2, with a mean confidence of 0.60 in place of 0.90. To go back: octavo activate" in told
    back = told.rpartition("octavo activate ")[2].split()
    assert main(["activate", *back]) == 0
    with Library.open(tmp_path / "library") as library:
        assert library.document(document.id).canonical_text == "keen reads shade 200 in en"
    assert main(["ocr", document.id, "--engine", "keen", "--again", *where]) == 0
    assert "in place of" not in capsys.readouterr().err


def test_the_command_reads_all_that_wait(library: Library, tmp_path: Path, capsys: Any) -> None:
    library.close()
    where = ["--library", str(tmp_path / "library")]
    assert main(["ocr", "--needed", "--json", "--engine", "keen", *where]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["version"] for one in told["documents"]] == [2, 2]
    assert main(["ocr", "--needed", *where]) == 0
    assert "no documents need OCR" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given", [[], ["--needed", "one.pdf"], ["--corpus", "harbour", "one.pdf"], ["--text", "one.pdf"]]
)
def test_what_to_read_is_said_in_one_way(given: list[str], capsys: Any) -> None:
    assert main(["ocr", *given]) == 2
    assert "--needed" in capsys.readouterr().err


def test_what_is_asked_for_is_read_though_the_settings_leave_it_off(library: Library) -> None:
    (first, _) = library.recognition.pending()
    assert first.reconvert(ocr=OcrOptions()).version == 2
    assert library.document(first.id).canonical_text == ""
    assert first.reconvert(ocr=OcrOptions(asked=True)).version == 3
    assert library.document(first.id).canonical_text == "keen reads shade 200 in en"


HOST = """
import sys
from octavo_library import Library
from octavo.settings.ocr import OcrSettings
from octavo.settings import Settings
settings = Settings(workers=2, ocr=OcrSettings(engines=("keen",), dpi=36))
with Library.open(sys.argv[1], settings=settings, index=sys.argv[2] or None) as library:
    library.ingest(sys.argv[3], plugin="blank")
"""


def test_pages_of_an_ingestion_that_never_ended_are_found_and_removed(
    engines: Any, scan: Any, tmp_path: Path, index_argument: Callable[[Library], str]
) -> None:
    """Its host was killed while it read: what it had read belongs to no document, what another one has stays (OCR-3)."""
    gate = tmp_path / "gate"
    engines(f"import os, time\n    while shade == 220 and os.path.exists({str(gate)!r}): time.sleep(0.02)", keen=0.9)
    settings = Settings(workers=2, ocr=OcrSettings(engines=("keen",), dpi=36))
    file = tmp_path / "three.pdf"
    file.write_bytes(scan(200, 210, 220))
    with Library.open(tmp_path / "library", settings=settings) as library:
        known = library.ingest(scan(200), name="one.pdf", plugin="blank").document
        (shared,) = library.context.artifacts.ocr_pages()
        gate.touch()
        command = [sys.executable, "-c", HOST, str(library.path), index_argument(library), str(file)]
        with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)}) as host:
            until(lambda: len(set(library.context.artifacts.ocr_pages())) == 2)
            assert library.maintenance.verify().orphans == ()  # he may commit it yet
            host.kill()
        gate.unlink()

        report = library.maintenance.verify()
        (orphan,) = set(library.context.artifacts.ocr_pages()) - {shared}
        assert report.orphans == (f"store:ocr/{orphan}",)
        assert library.maintenance.repair(report).removed[0] == f"store:ocr/{orphan}"

        assert library.maintenance.verify().is_clean
        assert list(library.context.artifacts.ocr_pages()) == [shared]
        (done,) = library.recognition.run([known.id], options=OcrOptions(asked=True))
        assert done.recognised is not None
        assert [one.stored for one in done.recognised.recognition.readings.values()] == [True]
        again = library.ingest(file, plugin="blank").document
        assert again.canonical_text.count("keen reads shade") == 3
        assert library.maintenance.verify().is_clean
