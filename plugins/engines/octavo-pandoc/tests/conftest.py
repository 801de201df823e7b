"""Documents that the tests write, and a way to convert them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import Conversion
from octavo_pandoc.plugin import convert

ODT = "application/vnd.oasis.opendocument.text"
EPUB = "application/epub+zip"
JATS = "application/jats+xml"

_ODF = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "meta")
) + (
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink"'
)

Convert = Callable[..., Conversion]


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
    call = ConvertCall(convert, tmp_path, name="document.bin")

    def run(data: bytes | str, media_type: str, **options: Any) -> Conversion:
        conversion = call(data, media_type, **options)
        assert not list(tmp_path.glob("work-*/*"))
        return conversion

    return run


@pytest.fixture
def word() -> Callable[..., bytes]:
    """A docx around a hand-written body; `styles` and `comments` are the inner XML of these parts."""
    return lambda body, **further: zipped(docx_parts(body, **further))


@pytest.fixture
def open_text() -> Callable[..., bytes]:
    """An odt around a hand-written text; `styles` are its automatic styles, `meta` its properties, `files` what else is in it."""

    def make(text: str, *, styles: str = "", meta: str = "", files: Mapping[str, str] = MappingProxyType({})) -> bytes:
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
        return zipped(parts | dict(files))

    return make
