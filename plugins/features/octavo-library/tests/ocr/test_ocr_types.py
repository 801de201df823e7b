"""A scan is typed once its text was recognised (CLS-3), for each policy context by its own rules (STO-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo.runtime import Runtime
from octavo.settings import Settings
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import PolicyContext

LETTER = ["Dear Ms Roe,", "the gauge at the harbour stands still since Monday.", "Yours sincerely", "J. Doe"]
READER = f"""\
from datetime import datetime, timezone
from octavo_contracts import BoundingBox, OCRResult, OCRWord, hookimpl

LINES = {LETTER!r}

@hookimpl
def ocr(image, request):
    words = tuple(
        OCRWord(
            text=word, confidence=0.9,
            box=BoundingBox(left=40 + 60 * place, top=60 + 30 * row, right=95 + 60 * place, bottom=80 + 30 * row),
        )
        for row, line in enumerate(LINES)
        for place, word in enumerate(line.split())
    )
    return OCRResult(
        page_number=1, page_fingerprint="0" * 64, extracted_text="\\n".join(LINES), words=words, confidence=0.9,
        method="reader", processed_at=datetime.now(timezone.utc), tool_version="1.0",
    )
"""
PROFILE = """
[types.gauge_report]
title = ["dear ms roe"]
words = ["gauge", "harbour"]
"""


@pytest.fixture
def library(tmp_path: Path, engines: Callable[..., None], make_plugin: Callable[..., object]) -> Iterator[Library]:
    engines()
    make_plugin("reader", READER, hooks=["ocr"])
    with Runtime(Settings(workers=1)) as runtime, Library.open(tmp_path / "library", runtime=runtime) as made:
        yield made


def test_a_scan_has_the_type_of_the_text_that_was_read_on_it(library: Library, scan: Callable[..., bytes]) -> None:
    result = library.ingest(scan(200), name="scan.pdf", plugin="blank").result
    classification = result.classification
    assert classification is not None
    assert classification.has_scanned_pages
    assert (result.document_type, classification.classification_confidence) == ("correspondence", 0.75)
    assert classification.routing_type == "scanned_pdf", "the route was taken before there was a text"


def test_a_scan_on_which_nothing_was_read_stays_unknown(
    tmp_path: Path, engines: Callable[..., None], scan: Callable[..., bytes]
) -> None:
    engines()  # no recogniser
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        assert library.ingest(scan(200), name="scan.pdf", plugin="blank").result.document_type == "unknown"


def test_other_contexts_are_told_the_shipped_type_of_a_scan(
    library: Library, scan: Callable[..., bytes], tmp_path: Path
) -> None:
    profile = tmp_path / "gauges.toml"
    profile.write_text(PROFILE, encoding="utf-8")
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled", profile=str(profile)))
    first = library.ingest(scan(200), name="scan.pdf", plugin="blank", corpus="sealed")
    second = library.ingest(scan(200), name="scan.pdf", plugin="blank")
    assert first.result.document_type == "gauge_report"
    assert second.document_id is not None
    asked = library.document(second.document_id, policy=PolicyContext())
    assert (asked.document_type, asked.result.document_type) == ("correspondence", "correspondence")
