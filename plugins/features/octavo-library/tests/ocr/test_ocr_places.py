"""Recognition takes places of its own, and only where there is something to recognise (ENG-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.settings.ocr import OcrSettings
from octavo.settings.settings import Settings
from octavo.settings.step_names import StepName
from octavo_library import Library

OWN = "Text of its own, as a program wrote it. " * 12


def test_a_scan_takes_a_place_and_a_page_with_text_takes_none(engines: Any, scan: Any, tmp_path: Path) -> None:
    engines(keen=0.9)
    settings = Settings(workers=1, ocr=OcrSettings(engines=("keen",), dpi=36))
    with Library.open(tmp_path / "library", settings=settings) as library:
        library.ingest(scan(OWN), name="text.pdf", plugin="blank")
        assert library.context.engine.pools.use()[StepName.OCR].entered == 0
        assert library.context.engine.pools.use()[StepName.INDEX_WRITE].entered == 1
        made = library.ingest(scan(200), name="scan.pdf", plugin="blank")
        assert made.document.canonical_text == "keen reads shade 200 in en"
        assert library.context.engine.pools.use()[StepName.OCR].entered == 1
