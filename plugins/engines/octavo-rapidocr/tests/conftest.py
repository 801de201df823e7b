"""What the tests of this engine share."""

from __future__ import annotations

import pytest
from octavo_conformance.hook_calls import hook_context
from octavo_conformance.page_pictures import text_page
from octavo_contracts import OCRRequest, OCRResult
from octavo_rapidocr import plugin


@pytest.fixture(scope="session")
def read(tmp_path_factory: pytest.TempPathFactory) -> OCRResult:
    """What RapidOCR reads on `text_page(number=7)`, once for all tests: it takes seconds."""
    return plugin.ocr(text_page(number=7), OCRRequest(languages=("en",)), hook_context(tmp_path_factory.mktemp("read")))
