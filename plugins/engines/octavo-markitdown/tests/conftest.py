"""Fixtures that write documents and convert them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import Conversion
from octavo_markitdown.plugin import convert

OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES = {
    ".docx": f"{OFFICE}.wordprocessingml.document",
    ".pptx": f"{OFFICE}.presentationml.presentation",
    ".xlsx": f"{OFFICE}.spreadsheetml.sheet",
    ".xls": "application/vnd.ms-excel",
    ".msg": "application/vnd.ms-outlook",
    ".html": "text/html",
    ".epub": "application/epub+zip",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".pdf": "application/pdf",
}
Convert = Callable[..., Conversion]


@pytest.fixture
def convert_file(tmp_path: Path) -> ConvertCall:
    """Convert a file by its extension; keywords go to the request."""
    return ConvertCall(convert, tmp_path, media_types=TYPES)


@pytest.fixture
def convert_bytes(convert_file: ConvertCall) -> Convert:
    """Convert bytes or text under a name."""
    return lambda name, data, **request: convert_file(data, name=name, **request)


@pytest.fixture
def convert_word(convert_file: ConvertCall) -> Convert:
    """Convert a docx with a hand-written body."""
    return lambda body, **further: convert_file(zipped(docx_parts(body, **further)), name="document.docx")
