"""Fixtures that write documents and convert them."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import Conversion, ConvertRequest, FileSource, HookContext
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
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

Convert = Callable[..., Conversion]
Parts = dict[str, str | bytes]


@pytest.fixture
def convert_file() -> Convert:
    """Convert a file by its extension; keywords go to the request."""

    def run(path: Path, **request: object) -> Conversion:
        media_type = str(request.pop("media_type", TYPES.get(path.suffix, "application/octet-stream")))
        context = HookContext(work_dir=path.parent, deadline=time.monotonic() + 60)
        source = FileSource(path, media_type=media_type)
        return convert(source, ConvertRequest(media_type=media_type, **request), context)

    return run


@pytest.fixture
def convert_bytes(tmp_path: Path, convert_file: Convert) -> Convert:
    """Convert bytes or text under a name."""

    def run(name: str, data: bytes | str, **request: object) -> Conversion:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return convert_file(path, **request)

    return run


@pytest.fixture
def zipped() -> Callable[[Parts], bytes]:
    """Pack parts into a zip container."""

    def pack(parts: Parts) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
            for name, content in parts.items():
                package.writestr(name, content)
        return buffer.getvalue()

    return pack


@pytest.fixture
def word_parts() -> Callable[..., Parts]:
    """The parts of a docx around a hand-written body; further parts by kind, for example comments."""

    def parts(body: str, **further: str) -> Parts:
        relations = "".join(
            f'<Relationship Id="r{kind}" Type="{RELATIONS}/{kind}" Target="{kind}.xml"/>' for kind in further
        )
        return {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{RELATIONS}/officeDocument"'
            ' Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
            **{f"word/{kind}.xml": content for kind, content in further.items()},
        }

    return parts


@pytest.fixture
def convert_word(convert_bytes: Convert, zipped: Callable[[Parts], bytes], word_parts: Callable[..., Parts]) -> Convert:
    """Convert a docx with a hand-written body."""

    def run(body: str, **further: str) -> Conversion:
        return convert_bytes("document.docx", zipped(word_parts(body, **further)))

    return run
