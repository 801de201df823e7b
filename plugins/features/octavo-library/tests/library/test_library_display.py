"""Documents in notebooks: the first page as a picture, the facts and the text."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo_library import Library

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"


@pytest.mark.skipif(find_spec("pypdfium2") is None, reason="nothing renders pages here: pypdfium2 is not installed")
def test_a_document_shows_its_first_page_until_its_original_is_gone(tmp_path: Path) -> None:
    report = tmp_path / "report.pdf"
    shutil.copy(SAMPLES / "annual-report.pdf", report)
    with Library.open(tmp_path / "library") as library:
        document = library.ingest(report).document
        before = document._repr_html_()
        report.unlink()
        after = library.document(document.id)._repr_html_()

    assert 'src="data:image/png;base64,iVBOR' in before
    assert "<img" not in after
    for html in (before, after):
        assert "3 pages" in html
        assert "Brannoch Head Coastal Observatory" in html


def test_a_failed_document_shows_its_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    with Library.open(tmp_path / "library") as library:
        library.ingest(tmp_path / "empty.pdf")
        (document,) = library.documents()
        html = document._repr_html_()

    assert "failed [source_empty]" in html
