"""What a library calls a document (STO-3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo_contracts import OctavoError
from octavo_library import Library

SAMPLES = Path(__file__).resolve().parents[5] / "docs" / "samples"


def test_a_conversion_that_fails_leaves_the_title_as_it_was(tmp_path):
    """A failure knows next to nothing of a document that another conversion has read."""
    with Library.open(tmp_path / "library") as library:
        document = library.document(library.ingest(SAMPLES / "annual-report.pdf").document_id)
        title = document.title
        assert title not in (None, "annual-report.pdf")
        with pytest.raises(OctavoError, match="calamine"):
            document.reconvert(plugin="calamine")
        assert library.document(document.id).title == title
