"""A document without text is a failure, or says why it has none, wherever it is read (QLT-2, ENG-7)."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import pytest
from octavo import convert
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_conformance.scans import scanned_pdf
from octavo_contracts import ExitCode
from octavo_library import Library
from PIL import Image, ImageDraw, ImageFont

BARE = "rapidocr,tesseract"
"""The recognisers, to be left out."""
HIDDEN = b'<html><body><p style="display:none">Words that no reader of this page can see.</p></body></html>'


def scan() -> bytes:
    page = Image.new("L", (1275, 1650), 255)
    ImageDraw.Draw(page).text((120, 200), "The keeper wrote", fill=0, font=ImageFont.load_default(48))
    return scanned_pdf(page, jpeg=80)


def blank_pdf() -> bytes:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(612, 792))
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def white_pdf() -> bytes:
    return scanned_pdf(Image.new("L", (1275, 1650), 255), jpeg=80)


@dataclass(frozen=True)
class Case:
    """A document without text.

    Attributes:
        name: of the file.
        data: its bytes.
        flag: what says why.
        severity: of that finding.
        words: of its sentence.
        code: exit code of `octavo convert`.
    """

    name: str
    data: bytes
    flag: str
    severity: str
    words: str
    code: ExitCode


CASES = {
    "a scan": Case("scan.pdf", scan(), "ocr_needed", "degraded", "no OCR engine", ExitCode.DEGRADED),
    "a blank page": Case("blank.pdf", blank_pdf(), "no_content", "note", "its page is blank", ExitCode.OK),
    "hidden text": Case("hidden.html", HIDDEN, "no_content", "degraded", "hidden from readers", ExitCode.DEGRADED),
    "nothing but white space": Case("white.txt", b" \n\n ", "no_content", "degraded", "white space", ExitCode.DEGRADED),
    "an engine that gave nothing": Case(
        "bare.html",
        b"<html><body></body></html>",
        "no_content",
        "degraded",
        "trafilatura found none",
        ExitCode.DEGRADED,
    ),
}


@pytest.fixture(scope="module")
def bare() -> Iterator[Runtime]:
    selection = PluginSelection(block=tuple(BARE.split(",")))
    with Runtime(Settings(workers=1, plugins=selection, sampling=False)) as made:
        yield made


Octavo = Callable[..., tuple[int, str, str]]


@pytest.fixture
def octavo(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Octavo:
    monkeypatch.setenv("OCTAVO_BLOCK", BARE)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_result_says_why(case: Case, bare: Runtime, tmp_path: Path) -> None:
    document = convert(case.data, name=case.name, runtime=bare)
    why = document.why_empty
    assert why is not None
    assert (why.flag, why.severity) == (case.flag, case.severity)
    assert case.words in why.message
    assert why.remedy or why.severity == "note"
    assert (document.result.ingestion_status == "complete") == (case.severity == "note")
    with Library.open(tmp_path / "library", runtime=bare) as library:
        taken = library.ingest(case.data, name=case.name)
        assert library.document(taken.document_id or "").why_empty == why
        assert taken.result.quality_report.findings.count(why) == 1


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_command_says_why_and_ends_by_the_table(case: Case, octavo: Octavo, tmp_path: Path) -> None:
    (tmp_path / case.name).write_bytes(case.data)
    code, out, err = octavo("convert", case.name)
    assert out.strip() == ""
    assert code == case.code
    assert f"{case.name}: there is no text: " in err
    assert f"[{case.flag}]" in err
    code, out, _ = octavo("convert", case.name, "--json")
    assert code == case.code
    assert case.flag in [one["flag"] for one in json.loads(out)["result"]["quality_report"]["findings"]]
    code, _, err = octavo("convert", case.name, "-o", "out.md")
    assert code == case.code
    assert (tmp_path / "out.md").exists() == (case.code == ExitCode.OK), (
        "a lack of text leaves no file that looks like one"
    )


def test_a_file_without_bytes_is_a_failure(octavo: Octavo, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    code, _, err = octavo("convert", "empty.txt")
    assert code == ExitCode.HARD_FAILURES
    assert "[source_empty]" in err


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")
def test_a_page_that_was_looked_at_and_holds_nothing_is_no_failure() -> None:
    with Runtime(Settings(workers=1, plugins=PluginSelection(block=("rapidocr",)))) as runtime:
        why = convert(white_pdf(), name="white.pdf", runtime=runtime).why_empty
    assert why is not None
    assert (why.flag, why.severity, why.message) == ("no_content", "note", "no text was found on its page")


def test_what_has_text_says_nothing(bare: Runtime) -> None:
    assert convert(b"Words.", name="words.txt", runtime=bare).why_empty is None


def test_every_command_on_a_library_says_why(octavo: Octavo, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(scan())
    code, out, _ = octavo("ingest", "scan.pdf")
    assert code == 0
    assert "1 document with pages that are pictures of text [ocr_needed]" in out
    assert "octavo ocr --needed" in out
    (tmp_path / "schema.json").write_text('{"type": "object", "properties": {"date": {"type": "string"}}}')
    for arguments in (
        ("show", "scan.pdf"),
        ("brief", "scan.pdf"),
        ("export", "scan.pdf", "-o", "scan.zip"),
        ("extract", "scan.pdf", "--schema", "schema.json"),
        ("digest", "scan.pdf", "--query", "keeper"),
    ):
        _, _, err = octavo(*arguments)
        assert "[ocr_needed]" in err, arguments
        assert "no text" in err, arguments
    _, _, err = octavo("search", "keeper")
    assert "documents that need OCR: 1\n  To read them, run octavo ocr --needed; if no OCR engine is installed" in err
    _, out, _ = octavo("extract", "scan.pdf", "--schema", "schema.json")
    assert "the document has no text" in out


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_export_writes_no_empty_file_of_a_document_that_should_have_text(
    case: Case, octavo: Octavo, tmp_path: Path
) -> None:
    """As `octavo convert -d`; JSON and a zip have more than the text."""
    (tmp_path / case.name).write_bytes(case.data)
    octavo("ingest", case.name)
    for arguments in (("--all", "-d", "out"), (case.name, "-o", "out.md")):
        code, _, err = octavo("export", *arguments)
        assert code == case.code
        assert case.words in err
        assert f"[{case.flag}]" in err
        written = [path for path in tmp_path.rglob("*.md") if "octavo-library" not in path.parts]
        assert bool(written) == (case.code == ExitCode.OK)
        if not written:
            assert "0 of 1 documents written" in err or "no file was written" in err
    for form in ("json", "zip"):
        code, _, err = octavo("export", case.name, "-d", form, "--to", form)
        assert code == ExitCode.OK
        assert f"[{case.flag}]" in err
        (file,) = (tmp_path / form).iterdir()
        assert file.stat().st_size > 100


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")
def test_a_blank_scan_waits_for_no_engine_once_one_has_read_it(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """OCR-7: it was ingested before an engine was installed; that it has no text is stored, once, as a text would be."""
    (tmp_path / "white.pdf").write_bytes(white_pdf())
    (tmp_path / "mixed.pdf").write_bytes(scanned_pdf(Image.new("L", (1275, 1650), 255), "Words of its own. " * 30))
    for name in ("white.pdf", "mixed.pdf"):
        octavo("ingest", name)
        _, out, _ = octavo("show", name)
        assert "no OCR engine is installed" in out
    monkeypatch.setenv("OCTAVO_BLOCK", "rapidocr")

    _, out, err = octavo("ocr", "white.pdf")
    assert out == ""
    assert err.splitlines() == [
        "octavo: white.pdf: no text was found on page 1",
        "octavo: white.pdf: stored as version 2",
    ]
    _, out, _ = octavo("show", "white.pdf")
    assert "no text was found on its page [no_content]" in out
    assert "no OCR engine" not in out
    _, _, err = octavo("ocr", "white.pdf")
    assert "the active version has the same readings, so no new version was stored" in err
    assert octavo("ocr", "white.pdf", "--again", "--json")[1].count('"version": null') == 1

    _, _, err = octavo("ocr", "--needed")
    assert "mixed.pdf: no text was found on page 1\n" in err.replace("mixed: ", "mixed.pdf: ")
    _, _, err = octavo("ocr", "--needed")
    assert "no documents need OCR" in err
