"""No command makes an active version that has fewer pages or less text than the one before, unless it is asked to (OCR-6, STO-6).

With real scans and the real engines; a recogniser is taken away by leaving it out of the library's plugins.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_conformance.scans import scanned_pdf
from octavo_contracts import ExitCode
from octavo_library import Library
from octavo_library.facade.document import Document
from octavo_library.ingestion.activation import HeldBack
from PIL import Image, ImageDraw, ImageFont

pytestmark = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed: apt-get install tesseract-ocr"
)

OWN = "This page was written by a program, and has a text layer of its own. " * 6
READS = OcrSettings(engines=("tesseract",), dpi=150)
TESSERACT = Settings(workers=1, plugins=PluginSelection(block=("rapidocr",)), ocr=READS)
NO_RECOGNISER = Settings(workers=1, plugins=PluginSelection(block=("rapidocr", "tesseract")), ocr=READS)


@cache
def scan(*marks: str) -> bytes:
    """A PDF of scanned pages, each with its mark; a mark of more than forty letters is a page of text."""
    return scanned_pdf(*(mark if len(mark) > 40 else _page(mark) for mark in marks), jpeg=80)


def _page(mark: str) -> Image.Image:
    page = Image.new("L", (1275, 1650), 255)
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(32)
    for place, line in enumerate((mark, "The keeper wrote each evening what he had seen", "from the gallery.")):
        pen.text((120, 150 + 60 * place), line, fill=0, font=font)
    return page


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(TESSERACT) as made:
        yield made


@pytest.fixture(scope="module")
def bare() -> Iterator[Runtime]:
    """A runtime without a recogniser."""
    with Runtime(NO_RECOGNISER) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def library(runtime: Runtime, folder: Path) -> Iterator[Library]:
    with Library.open(folder, runtime=runtime) as opened:
        yield opened


Closed = Callable[..., str]


@pytest.fixture
def taken_in(runtime: Runtime, folder: Path) -> Closed:
    """`taken_in(data)`: take a document in with the recogniser; its id. The library is closed again."""

    def take(data: bytes, name: str = "scan.pdf") -> str:
        with Library.open(folder, runtime=runtime) as opened:
            document_id = opened.ingest(data, name=name).document_id
        assert document_id is not None
        return document_id

    return take


def pages_of(document: Document) -> list[str]:
    return [page.text for page in document.pages]


def words_of(library: Library, document: Document, page: int) -> list[tuple[str, tuple[float, ...]]]:
    """The words of a page with their boxes, as the active version's files have them."""
    folder = f"store:by_hash/{document.raw_hash}/conversions/v{document.active_version}"
    boxes = json.loads(library.context.artifacts.read(f"{folder}/pages.json"))["pages"][page - 1]["boxes"]
    return [(box["text"], tuple(box["box"].values())) for box in boxes if box["kind"] == "word"]


class TestPagesThatWereNotAskedFor:
    """OCR-6: what is recognised of some pages takes nothing away from the others."""

    def test_a_page_read_again_leaves_the_others_as_they_were(self, library: Library) -> None:
        taken = library.ingest(scan("Alpha mark", "Omega mark"), name="scan.pdf")
        before = library.document(taken.document_id or "")
        [done] = library.recognition.run([before.id], options=OcrOptions(pages=(1,), engine="tesseract", again=True))
        assert done.error is None
        after = library.document(before.id)
        # The same engine reads the same: there is nothing to store.
        assert after.active_version == 1
        assert pages_of(after) == pages_of(before)

    def test_a_page_read_by_another_engine_leaves_the_others_to_theirs(self, folder: Path) -> None:
        """Text, words, confidence and engine of page 2 are those of version 1; only page 1 is read anew."""
        both = Settings(workers=1, ocr=READS)
        with Library.open(folder, settings=both) as library:
            before = library.ingest(scan("Alpha mark", "Omega mark", OWN), name="scan.pdf").document
            [done] = library.recognition.run([before.id], options=OcrOptions(pages=(1,), engine="rapidocr"))
            assert done.error is None
            after = library.document(before.id)
            assert after.active_version == 2
            assert pages_of(after)[1:] == pages_of(before)[1:]
            assert "Alpha mark" in pages_of(after)[0]
            assert words_of(library, after, 2) == words_of(library, before, 2)
            assert [page.markdown for page in after.pages][1:] == [page.markdown for page in before.pages][1:]
            sure, was_sure = (one.quality.ocr_confidence_summary.page_confidences for one in (after, before))
            assert sure["2"] == was_sure["2"]
            assert sure["1"] != was_sure["1"]
            pages = json.loads(
                library.context.artifacts.read(f"store:by_hash/{after.raw_hash}/conversions/v2/pages.json")
            )["recognised"]
            assert {page: one["result"]["method"] for page, one in pages.items()} == {"1": "rapidocr", "2": "tesseract"}
            assert after.quality.degraded_flags == before.quality.degraded_flags

    def test_pages_asked_for_one_after_the_other_add_up(self, folder: Path) -> None:
        """Of a library that recognises nothing by itself, each page that is asked for stays, and the rest is told as unread."""
        settings = Settings(workers=1, plugins=TESSERACT.plugins, ocr=OcrSettings(automatic=False, dpi=150))
        with Library.open(folder, settings=settings) as library:
            document = library.ingest(scan("Alpha mark", "Beta mark", "Omega mark"), name="scan.pdf").document
            for page in (2, 1):
                [done] = library.recognition.run([document.id], options=OcrOptions(pages=(page,)))
                assert done.error is None
                # A document with a page that nobody has read is still one of those that wait for it.
                assert [one.id for one in library.recognition.pending()] == [document.id]
            after = library.document(document.id)
            assert ["mark" in text for text in pages_of(after)] == [True, True, False]
            list(library.recognition.run())
            assert ["mark" in text for text in pages_of(library.document(document.id))] == [True, True, True]
            assert library.recognition.pending() == []

    def test_a_page_whose_text_layer_was_replaced_by_wish_stays_so(self, library: Library) -> None:
        document = library.ingest(scan(OWN, "Omega mark"), name="scan.pdf").document
        [done] = library.recognition.run([document.id], options=OcrOptions(pages=(1,)))
        assert done.error is None
        assert sorted(library.document(document.id).quality.ocr_confidence_summary.page_confidences) == ["1", "2"]
        [done] = library.recognition.run([document.id], options=OcrOptions(pages=(2,), again=True))
        after = library.document(document.id)
        assert sorted(after.quality.ocr_confidence_summary.page_confidences) == ["1", "2"]

    def test_a_version_of_an_earlier_octavo_keeps_its_pages_too(self, folder: Path, library: Library) -> None:
        """Such a version has no record of what was recognised: its text, boxes and report tell enough."""
        document = library.ingest(scan("Alpha mark", "Omega mark"), name="scan.pdf").document
        at = folder / f"by_hash/{document.raw_hash}/conversions/v1"
        pages = json.loads((at / "pages.json").read_bytes())
        del pages["recognised"]
        data = json.dumps(pages).encode()
        version = json.loads((at / "version.json").read_bytes())
        version["files"]["pages.json"] = {"size": len(data), "sha256": sha256(data).hexdigest()}
        for name, content in (("pages.json", data), ("version.json", json.dumps(version).encode())):
            (at / name).chmod(0o600)
            (at / name).write_bytes(content)
        made = document.reconvert(ocr=OcrOptions(pages=(1,)))
        assert made.is_active
        assert pages_of(library.document(document.id)) == pages_of(document)
        assert words_of(library, library.document(document.id), 2) == words_of(library, document, 2)


def assert_held_back(held: HeldBack | None, *, active: int = 1) -> None:
    """That it says which version stays, and both figures."""
    assert held is not None
    assert held.active == active
    assert held.text_before > 100
    assert held.text_now == 0
    assert [one.page for one in held.lost] == [1, 2]
    assert f"version {active} stays active" in held.message
    assert f"page 1 has {held.lost[0].before} letters and digits, now 0" in held.message


class TestEveryWayToAnActiveVersion:
    """The recogniser is gone, so each of these makes a version without the text of the scan."""

    data = ("Alpha mark", "Omega mark")

    def test_a_reconversion(self, taken_in: Closed, bare: Runtime, folder: Path) -> None:
        document_id = taken_in(scan(*self.data))
        with Library.open(folder, runtime=bare) as library:
            document = library.document(document_id)
            made = document.reconvert()
            assert not made.is_active
            assert_held_back(made.held_back)
            after = library.document(document_id)
            assert after.active_version == 1
            assert after.title == document.title
            assert "Alpha mark" in after.canonical_text
            assert [version.held_back is not None for version in after.versions] == [False, True]

    def test_a_reconversion_with_a_named_engine(self, taken_in: Closed, bare: Runtime, folder: Path) -> None:
        """Naming an engine asks for that engine, not for less text."""
        document_id = taken_in(scan(*self.data))
        with Library.open(folder, runtime=bare) as library:
            made = library.document(document_id).reconvert(plugin="pypdf")
            assert_held_back(made.held_back)
            assert made.tool == "pypdf"

    def test_it_is_activated_where_that_is_asked_for(self, taken_in: Closed, bare: Runtime, folder: Path) -> None:
        document_id = taken_in(scan(*self.data))
        with Library.open(folder, runtime=bare) as library:
            forced = library.document(document_id).reconvert(activate=True)
            assert forced.is_active
            assert forced.held_back is None
            library.document(document_id).versions.activate(1)
            held = library.document(document_id).reconvert()
            assert held.held_back is not None
            library.document(document_id).versions.activate(held.version)
            assert library.document(document_id).active_version == held.version

    def test_an_ingestion_again(self, taken_in: Closed, bare: Runtime, folder: Path) -> None:
        document_id = taken_in(scan(*self.data))
        with Library.open(folder, runtime=bare) as library:
            again = library.ingest(scan(*self.data), name="scan.pdf", reingest=True)
            assert_held_back(again.held_back)
            assert library.document(document_id).active_version == 1
            # What is given is what readers get.
            assert again.result.conversion_artifact_ref is not None
            assert again.result.conversion_artifact_ref.endswith("/v1")
            assert library.ingest(scan(*self.data), name="scan.pdf", activate=True, reingest=True).held_back is None
            assert library.document(document_id).active_version == 3

    def test_many_ingested_again(self, taken_in: Closed, bare: Runtime, folder: Path, tmp_path: Path) -> None:
        path = tmp_path / "scan.pdf"
        path.write_bytes(scan(*self.data))
        document_id = taken_in(scan(*self.data))
        with Library.open(folder, runtime=bare) as library:
            [again] = library.ingest_many([path], reingest=True)
            assert_held_back(again.held_back)
            assert library.document(document_id).active_version == 1

    def test_what_needs_it_and_what_goes_on_behind(self, folder: Path, tmp_path: Path) -> None:
        """A recognition that fails on the pages that an earlier one read leaves them as they are."""
        with Library.open(folder, settings=TESSERACT) as library:
            document = library.ingest(scan(*self.data), name="scan.pdf").document
        with Library.open(folder, settings=NO_RECOGNISER) as library:
            for options in (OcrOptions(again=True), OcrOptions(pages=(1,), again=True)):
                [done] = library.recognition.start([document.id], options=options).wait(60)
                assert done.error is None
                after = library.document(document.id)
                assert "Alpha mark" in after.canonical_text
                assert "Omega mark" in after.canonical_text


class TestCommands:
    """What the commands say: both figures, and the command that activates it all the same."""

    @pytest.fixture
    def octavo(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., tuple[int, str, str]]:
        monkeypatch.setenv("OCTAVO_OCR__DPI", "150")

        def run(*arguments: str, block: str = "rapidocr") -> tuple[int, str, str]:
            monkeypatch.setenv("OCTAVO_BLOCK", block)
            code = main([*arguments, "--library", str(folder)])
            out, err = capsys.readouterr()
            return code, out, err

        return run

    def test_a_page_of_a_document_read_again(self, octavo: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
        path = tmp_path / "scan.pdf"
        path.write_bytes(scan("Alpha mark", "Omega mark"))
        assert octavo("ingest", str(path))[0] == 0
        document_id = json.loads(octavo("show", str(path), "--json")[1])["document"]["id"]
        code, out, _ = octavo("ocr", document_id, "--pages", "1", "--again", block="")
        assert code == 0
        assert "Alpha mark" in out
        assert "Omega mark" not in out
        code, out, _ = octavo("show", document_id)
        assert "Alpha mark" in out
        assert "Omega mark" in out

    def test_a_version_held_back(self, octavo: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
        path = tmp_path / "scan.pdf"
        path.write_bytes(scan("Alpha mark", "Omega mark"))
        assert octavo("ingest", str(path))[0] == 0
        blocked = "rapidocr,tesseract"
        code, out, err = octavo("reconvert", str(path), "--with", "pdfium", block=blocked)
        assert code == ExitCode.DEGRADED
        assert "page 1 has" in err
        assert "letters and digits, now 0" in err
        assert f"octavo activate {path} 2 --library" in err
        code, out, err = octavo("ingest", str(path), "--reingest", block=blocked)
        assert "version 1 stays active" in out
        assert "octavo activate" in out
        code, out, _ = octavo("show", str(path), "--versions", block=blocked)
        assert "held back" in out
        versions = json.loads(octavo("show", str(path), "--versions", "--json")[1])["versions"]
        assert [version["held_back"] is None for version in versions] == [True, False, False]
        code, _, err = octavo("reconvert", str(path), "--with", "pdfium", "--activate", block=blocked)
        assert code == 0
        assert "Alpha mark" not in octavo("show", str(path))[1]

    def test_a_path_of_the_library_is_its_document(
        self, octavo: Callable[..., tuple[int, str, str]], tmp_path: Path
    ) -> None:
        """The library's document of those bytes is read, so that the text is kept and the corpus is asked (CNV-15)."""
        path, copy, other = (tmp_path / name for name in ("scan.pdf", "copy.pdf", "other.pdf"))
        for one in (path, copy):
            one.write_bytes(scan("Alpha mark", "Omega mark"))
        other.write_bytes(scan("Other mark"))
        assert octavo("ingest", str(path), block="rapidocr,tesseract")[0] == 0
        code, out, err = octavo("ocr", str(copy), "--json")
        assert code == 0
        [done] = json.loads(out)["documents"]
        assert done["version"] == 2
        assert "stored as version 2" in err
        [done] = json.loads(octavo("ocr", str(other), "--json")[1])["documents"]
        assert done["document_id"] is None
