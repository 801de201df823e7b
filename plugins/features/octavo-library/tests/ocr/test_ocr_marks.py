"""Pages that a user marks as needing recognition, or as visually important (CNV-3)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UsageError
from octavo_library import Document, Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.recognition.on_request import recognise_document

OWN = "Text of its own, as a program wrote it. " * 12


@pytest.fixture
def library(engines: Any, tmp_path: Path) -> Iterator[Library]:
    engines("pass", keen=0.9)
    settings = Settings(workers=2, sampling=False, ocr=OcrSettings(engines=("keen",), dpi=36))
    with Library.open(tmp_path / "library", settings=settings) as opened:
        yield opened


@pytest.fixture
def document(library: Library, scan: Any) -> Document:
    """Two pages of trustworthy text: nothing of them is recognised by itself."""
    found = library.ingest(scan(OWN, OWN), name="text.pdf", plugin="blank").document
    assert "keen reads" not in found.canonical_text
    return found


def is_read(document: Document) -> list[bool]:
    return ["keen reads" in page.text for page in document.pages]


def test_a_marked_page_is_recognised_and_stays_so(library: Library, document: Document) -> None:
    """CNV-3: by the next conversion and by every later one, whatever its text layer says."""
    document.page_marks.add(2, "needs_ocr", by="anna")
    mark = next(iter(document.page_marks))
    assert (mark.page, mark.kind, mark.marked_by) == (2, "needs_ocr", "anna")
    seen = library.document(document.id).result.classification
    assert seen is not None
    assert [(page.page_number, page.needs_ocr) for page in seen.page_metadata] == [(1, False), (2, True)]
    for _ in range(2):
        document.reconvert(plugin="blank", activate=True)
        now = library.document(document.id)
        assert is_read(now) == [False, True]
    seen = now.result.classification
    assert seen is not None
    assert seen.has_scanned_pages
    assert [page.has_ocr_cache for page in seen.page_metadata] == [False, True]
    document.page_marks.remove(2, "needs_ocr")
    assert list(document.page_marks) == []


def test_recognition_on_request_reads_marked_pages(library: Library, document: Document) -> None:
    """CNV-3, OCR-6: without naming a page."""
    document.page_marks.add([1], "needs_ocr")
    done = recognise_document(document, OcrOptions(), activate=True)
    assert sorted(done.recognition.readings) == [1]
    assert is_read(library.document(document.id)) == [True, False]


def test_a_visually_important_page_makes_the_document_so(library: Library, document: Document) -> None:
    """CNV-3: the mark changes no conversion."""
    document.page_marks.add((1, 2), "visually_important")
    now = library.document(document.id)
    assert now.result.classification is not None
    assert now.result.classification.visual_importance == "high"
    assert document.page_marks.pages("visually_important") == (1, 2)
    assert len(now.versions) == 1


def test_marks_belong_to_their_policy_context(library: Library, document: Document, scan: Any) -> None:
    """CNV-3, STO-5."""
    library.corpora.create("closed", settings=CorpusSettings(visibility="firewalled"))
    theirs = library.ingest(scan(OWN, OWN), name="theirs.pdf", corpus="closed", plugin="blank").document
    theirs.page_marks.add(1, "visually_important")
    library.corpora.create("open")
    mine = library.ingest(scan(OWN, OWN), name="mine.pdf", corpus="open", plugin="blank").document
    assert list(mine.page_marks) == []
    assert mine.result.classification is not None
    assert mine.result.classification.visual_importance == "low"
    assert [mark.page for mark in library.document(theirs.id, corpus="closed").page_marks] == [1]


@pytest.mark.parametrize(
    ("pages", "kind", "match"),
    [(3, "needs_ocr", "no page 3"), ([], "needs_ocr", "no page was"), (1, "odd", "unknown mark")],
)
def test_a_mark_needs_a_page_and_a_kind(document: Document, pages: Any, kind: Any, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        document.page_marks.add(pages, kind)


def test_marks_are_exported_and_purged(library: Library, document: Document, tmp_path: Path) -> None:
    """CNV-3, STO-12, STO-14."""
    document.page_marks.add(2, "visually_important", by="anna")
    document.export(tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        (mark,) = json.loads(archive.read("page_marks.json"))
    assert (mark["page"], mark["kind"], mark["marked_by"]) == (2, "visually_important", "anna")
    library.maintenance.purge(document, confirm=library.maintenance.purge_preview(document).digest)
    assert library.context.index.purges.rows_of(document.id) == {}


def test_the_command_line_marks_recognises_and_clears(
    library: Library, document: Document, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """CNV-3: `octavo mark`."""
    monkeypatch.setenv("OCTAVO_OCR__ENGINES", "keen")
    monkeypatch.setenv("OCTAVO_OCR__DPI", "36")
    library.close()
    place = ["--library", str(tmp_path / "library"), "--json"]
    assert main(["mark", document.id, "--pages", "2", "--needs-ocr", *place]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["recognised"], said["version"], [one["page"] for one in said["marks"]]) == ([2], 2, [2])
    assert main(["mark", document.id, "--pages", "1", "--visually-important", *place]) == 0
    assert json.loads(capsys.readouterr().out)["visual_importance"] == "high"
    assert main(["mark", document.id, "--pages", "1-2", "--needs-ocr", "--visually-important", "--clear", *place]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["marks"], said["visual_importance"]) == ([], "low")
    for bad in (["--pages", "x", "--needs-ocr"], ["--pages", "1"], ["--needs-ocr"], ["--pages", "9", "--needs-ocr"]):
        assert main(["mark", document.id, *bad, *place]) == 2


def test_a_page_below_the_mark_of_its_engine_is_recognised_again(engines: Any, tmp_path: Path, scan: Any) -> None:
    """OCR-3: stored pages are used for ever, unless the version of the engine passes a mark."""
    engines("pass", keen=0.9)

    def stored(*marks: str) -> bool:
        settings = Settings(workers=1, ocr=OcrSettings(engines=("keen",), dpi=36, least_versions=marks))
        with Library.open(tmp_path / "library", settings=settings) as opened:
            document = opened.ingest(scan(200), name="one.pdf", plugin="blank").document
            return recognise_document(document, OcrOptions(pages=(1,))).recognition.readings[1].stored

    stored()
    assert [stored(), stored("keen=1"), stored("other=9"), stored("keen=1.0.1"), stored("keen=1.0")] == [
        True,
        True,
        True,
        False,
        True,
    ]
    with pytest.raises(UsageError, match="least_versions"):
        OcrSettings(least_versions=("keen",))


def test_an_inspection_is_made_once_for_the_same_bytes(
    library: Library, document: Document, scan: Any, monkeypatch: Any
) -> None:
    """CLS-7: neither a reconversion nor another way in inspects the same bytes again; other settings do."""
    from octavo.conversion import inspection

    calls: list[str] = []
    real = inspection._inspect
    monkeypatch.setattr(inspection, "_inspect", lambda *given, **named: calls.append("") or real(*given, **named))
    before = document.result.classification
    document.reconvert(plugin="blank", activate=True)
    library.ingest(scan(OWN, OWN), name="again.pdf", reingest=True, plugin="blank")
    assert calls == []
    assert library.document(document.id).result.classification == before
    library.ingest(scan(210), name="new.pdf", plugin="blank")
    assert len(calls) == 1
    library.document(document.id).set_type("contract")
    document.reconvert(plugin="blank", activate=True)
    assert len(calls) == 2
