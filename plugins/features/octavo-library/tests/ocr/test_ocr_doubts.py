"""A page whose mean confidence is good, and some of whose lines are not: who is asked, what is kept, what is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from octavo import ConvertedDocument, convert
from octavo.runtime import Runtime
from octavo.settings.ocr import OcrOptions, OcrSettings
from octavo.settings.settings import Settings
from octavo_conformance.scans import scanned_pdf
from octavo_library import Library
from octavo_library.facade.recognition.on_request import recognise_document
from PIL import Image

LINES = """\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, hookimpl

LINES = {lines}

@hookimpl
def ocr(image, request):
    words = []
    lines = LINES if image.page_number != 2 else ()
    for row, line in enumerate(lines):
        for place, word in enumerate(line.split()):
            box = BoundingBox(left=20 + 60 * place, top=30 + 20 * row, right=70 + 60 * place, bottom=42 + 20 * row)
            confidence = 0.2 if word.endswith("?") else 0.96
            words.append(OCRWord(text=word.rstrip("?"), box=box, confidence=confidence))
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="\\n".join(lines).replace("?", ""), words=tuple(words),
        confidence=sum(word.confidence for word in words) / max(1, len(words)), method="{name}",
        processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
SURE_LINES = ("Seven boats came in before noon", "and eight more on the evening tide") * 8
RUINED = ("Take nothing hinge? fom? this iii? away", *SURE_LINES)
CLEAN = ("Take nothing things from this place away", *(line.upper() for line in SURE_LINES))


def code(name: str, lines: tuple[str, ...]) -> str:
    """The code of a recogniser that returns these lines for each page but the second, which is blank in the tests."""
    return LINES.replace("{lines}", repr(lines)).replace("{name}", name)


@pytest.fixture
def readers(make_plugin: Any, engines: Any) -> Callable[..., Runtime]:
    """`readers(near=RUINED, far=CLEAN)`: a runtime with recognisers that return these lines, in this order."""
    engines()

    def make(**lines: tuple[str, ...]) -> Runtime:
        for name, own in lines.items():
            make_plugin(name, code(name, own), hooks=["ocr"], priority=50)
        return Runtime(Settings(workers=2, ocr=OcrSettings(engines=tuple(lines), dpi=36)))

    return make


def read(data: bytes, runtime: Runtime) -> ConvertedDocument:
    with runtime:
        return convert(data, name="scan.pdf", plugin="blank", runtime=runtime)


def asked(document: ConvertedDocument) -> list[str]:
    return [attempt.plugin for attempt in document.result.attempts if attempt.hook == "ocr"]


def notes(document: ConvertedDocument, flag: str) -> list[tuple[int | None, str]]:
    return [(one.page, one.message) for one in document.result.quality_report.findings if one.flag == flag]


def test_doubtful_words_come_from_the_next_engine_and_all_else_from_the_first(readers: Any, scan: Any) -> None:
    document = read(scan(200), readers(near=RUINED, far=CLEAN))
    assert asked(document) == ["near", "far"]
    assert document.text.split() == " ".join((CLEAN[0], *SURE_LINES)).split()
    assert notes(document, "words_doubtful") == []


def test_without_another_engine_the_report_quotes_them(readers: Any, scan: Any) -> None:
    document = read(scan(200), readers(near=RUINED))
    assert "hinge fom this iii" in document.text
    assert notes(document, "words_doubtful") == [(1, "words that OCR was unsure of: “hinge fom this iii”")]
    assert document.result.ingestion_status == "complete"


def test_a_page_without_doubtful_lines_is_read_once(readers: Any, scan: Any) -> None:
    document = read(scan(200), readers(near=SURE_LINES, far=CLEAN))
    assert asked(document) == ["near"]


def test_a_blank_page_beside_recognised_ones_is_named(readers: Any) -> None:
    page, blank = Image.new("L", (306, 396), 200), Image.new("L", (306, 396), 255)
    page.paste(0, (100, 200, 200, 300))
    document = read(scanned_pdf(page, blank), readers(near=SURE_LINES))
    assert notes(document, "page_blank") == [(2, "the page is blank")]
    assert document.result.ingestion_status == "complete"


def test_the_notes_of_pages_that_are_not_read_again_are_kept(readers: Any, make_plugin: Any, tmp_path: Path) -> None:
    make_plugin("other", code("other", CLEAN), hooks=["ocr"], priority=40)
    page, blank = Image.new("L", (306, 396), 200), Image.new("L", (306, 396), 255)
    page.paste(0, (100, 200, 200, 300))
    with readers(near=RUINED) as runtime, Library.open(tmp_path / "library", runtime=runtime) as library:
        ingested = library.ingest(scanned_pdf(page, blank, page), name="scan.pdf", plugin="blank")
        document = library.document(ingested.document_id or "")
        assert recognise_document(document, OcrOptions(pages=(3,), engine="other")).version is not None
        findings = library.document(document.id).quality.findings
    assert [(one.flag, one.page) for one in findings if one.flag in ("words_doubtful", "page_blank")] == [
        ("words_doubtful", 1),
        ("page_blank", 2),
    ]
