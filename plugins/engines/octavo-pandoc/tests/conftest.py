"""Documents that the tests write, and a way to convert them."""

from __future__ import annotations

import io
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import Conversion, ConvertRequest, FileSource, HookContext
from octavo_pandoc.plugin import convert

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
JATS = "application/jats+xml"

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_ODF = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "meta")
)

Convert = Callable[..., Conversion]
Parts = dict[str, str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of this folder need the program, but for those that say what happens without it."""
    if shutil.which("pandoc") is not None:
        return
    missing = pytest.mark.skip(reason="the program pandoc is not on the PATH")
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and "without_the_program" not in item.name:
            item.add_marker(missing)


@pytest.fixture
def convert_bytes(tmp_path: Path) -> Convert:
    """`convert_bytes(data, media_type, …)`; keywords go to the request, `seconds` to the deadline."""

    def run(data: bytes | str, media_type: str, *, seconds: float = 60, **request: object) -> Conversion:
        path = tmp_path / "document.bin"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        context = HookContext(work_dir=work, deadline=time.monotonic() + seconds)
        source = FileSource(path, media_type=media_type)
        conversion = convert(source, ConvertRequest(media_type=media_type, **request), context)
        assert not list(work.iterdir())
        return conversion

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
def word(zipped: Callable[[Parts], bytes]) -> Callable[..., bytes]:
    """A docx around a hand-written body; `styles` and `comments` are the inner XML of these parts."""

    def make(body: str, **further: str) -> bytes:
        relations = "".join(
            f'<Relationship Id="r{kind}" Type="{RELATIONS}/{kind}" Target="{kind}.xml"/>' for kind in further
        )
        parts = {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{RELATIONS}/officeDocument"'
            ' Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
        }
        for kind, content in further.items():
            parts[f"word/{kind}.xml"] = f'<w:{kind} xmlns:w="{WORD}">{content}</w:{kind}>'
        return zipped(parts)

    return make


@pytest.fixture
def open_text(zipped: Callable[[Parts], bytes]) -> Callable[..., bytes]:
    """An odt around a hand-written text; `styles` are its automatic styles, `meta` its properties."""

    def make(text: str, *, styles: str = "", meta: str = "") -> bytes:
        dc = ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
        parts = {
            "mimetype": ODT,
            "content.xml": f"<office:document-content{_ODF}{dc}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:text>{text}</office:text></office:body>"
            "</office:document-content>",
            "styles.xml": f"<office:document-styles{_ODF}/>",
            "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        }
        if meta:
            parts["meta.xml"] = (
                f"<office:document-meta{_ODF}{dc}><office:meta>{meta}</office:meta></office:document-meta>"
            )
        return zipped(parts)

    return make
