"""Documents by hand for preflight: sources from bytes, zips with a twist, PDFs without a library."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo.formats import refine
from octavo_contracts import FileSource
from octavo_sandbox.preflight import PreflightLimits, PreflightReport, preflight


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., PreflightReport]:
    """Detect and check bytes under a name."""

    def run(
        data: bytes, name: str, *, limits: PreflightLimits | None = None, password: str | None = None
    ) -> PreflightReport:
        path = tmp_path / "document"
        path.write_bytes(data)
        source = FileSource(path, media_type="", name=name)
        return preflight(source, refine(source), limits=limits, password=password)

    return run


@pytest.fixture
def zipped() -> Callable[..., bytes]:
    """A zip of the given parts, deflated."""

    def build(parts: dict[str, bytes]) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
        return buffer.getvalue()

    return build


@pytest.fixture
def docx(zipped: Callable[..., bytes]) -> Callable[..., bytes]:
    """A Word file of the least parts, and those given."""

    def build(parts: dict[str, bytes] | None = None) -> bytes:
        main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        types = f'<Types><Override PartName="/word/document.xml" ContentType="{main}"/></Types>'.encode()
        return zipped({"[Content_Types].xml": types, "word/document.xml": b"<w:document/>", **(parts or {})})

    return build


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """A PDF of the given objects; object 1 must be the catalogue."""

    def build(*objects: bytes, before: bytes = b"", after: bytes = b"", trailer: bytes = b"") -> bytes:
        body = bytearray(before + b"%PDF-1.7\n")
        offsets = []
        for number, content in enumerate(objects, 1):
            offsets.append(len(body))
            body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        start = len(body)
        body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        for offset in offsets:
            body += b"%010d 00000 n \n" % offset
        body += b"trailer\n<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
        return bytes(body) + after

    return build
