"""What the plugin refuses, and how it says so."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from octavo_conformance.office_writer import docx_parts, zipped
from octavo_contracts import (
    MANIFEST_NAME,
    ContentTooLarge,
    PluginManifest,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_markitdown import FORMATS, office_package


def test_manifest_and_code_name_the_same_types() -> None:
    """What the manifest declares is what the code takes."""
    manifest = PluginManifest.from_toml((files("octavo_markitdown") / MANIFEST_NAME).read_text(encoding="utf-8"))
    assert set(manifest.media_types) == set(FORMATS)
    assert {form.extension for form in FORMATS.values()} <= set(manifest.extensions)
    assert manifest.name == "markitdown"


def test_importing_the_plugin_leaves_the_engine_alone() -> None:
    """The engine, which takes seconds to import, is imported when a document is read."""
    script = (
        "import sys, octavo_markitdown.plugin, octavo_markitdown.convert;"
        "print([name for name in ('markitdown', 'openpyxl', 'pptx', 'xlrd', 'bs4', 'lxml', 'olefile') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("media_type", ["image/png", "audio/mpeg", "application/zip", "message/rfc822"])
def test_other_types_are_refused(media_type: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The engine would return nothing for an image and ask the network about audio."""
    with pytest.raises(UnsupportedFormat, match=media_type):
        convert_bytes("file.bin", b"x", media_type=media_type)


def test_single_pages_are_refused(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """The plugin does not declare `page_ranges`."""
    with pytest.raises(UsageError, match="page_ranges"):
        convert_bytes("a.html", "<p>x</p>", pages=(1,))


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.msg", "a.html", "a.pdf"])
def test_an_empty_file_is_refused(name: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """No bytes is not a corrupt document."""
    with pytest.raises(SourceEmpty):
        convert_bytes(name, b"")


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
def test_a_container_that_is_none_is_corrupt(name: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """A cut or replaced file."""
    with pytest.raises(SourceCorrupt, match="zip container"):
        convert_bytes(name, b"PK\x03\x04 cut")


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx"])
def test_an_encrypted_package_is_named(name: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixture
    """Office wraps an encrypted package in a compound file; a password is not taken."""
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(SourceEncrypted, match="takes none"):
        convert_bytes(name, data, password="secret")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused(encoding: str, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """Entities would be defined there; office formats have none."""
    parts = docx_parts("")
    head = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "aaaa">]>'
    parts["word/document.xml"] = (head + str(parts["word/document.xml"])).encode(encoding)
    with pytest.raises(SourceCorrupt, match="document type"):
        convert_bytes("a.docx", zipped(parts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"../x": "y"}, "unsafe name"),
        ({"word/document.xml": "<w:document"}, "not well-formed"),
        ({"_rels/.rels": "<Relationships/>"}, "0 main documents"),
    ],
)
def test_a_contradictory_package_is_corrupt(  # type: ignore[no-untyped-def]  # fixtures
    change: dict[str, str], message: str, convert_bytes
) -> None:
    """The message names what is wrong."""
    with pytest.raises(SourceCorrupt, match=message):
        convert_bytes("a.docx", zipped({**docx_parts(""), **change}))


def test_a_bomb_is_too_large(convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """A member that unpacks to more than a hundred times its size is not unpacked."""
    with pytest.raises(ContentTooLarge, match="100 times"):
        convert_bytes("a.docx", zipped({**docx_parts(""), "word/big.xml": b" " * 5_000_000}))


def test_a_huge_part_is_too_large(monkeypatch: pytest.MonkeyPatch, convert_bytes) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine's trees take many times the memory of the XML."""
    monkeypatch.setattr(office_package, "MAX_XML_BYTES", 100)
    with pytest.raises(ContentTooLarge, match="more than 100"):
        convert_bytes("a.docx", zipped(docx_parts("")))


@pytest.mark.parametrize(
    ("module", "name", "data"),
    [
        ("markitdown", "a.html", b"<p>x</p>"),
        ("olefile", "a.msg", b"x"),
        ("xlrd", "a.xls", b"x"),
        ("pdfminer.pdfdocument", "a.pdf", b"x"),
    ],
)
def test_a_missing_library_names_its_command(  # type: ignore[no-untyped-def]  # fixture
    module: str, name: str, data: bytes, monkeypatch: pytest.MonkeyPatch, convert_bytes
) -> None:
    """The message says how to install it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ToolUnavailable, match="pip install 'markitdown"):
        convert_bytes(name, data)


def test_a_library_that_the_engine_lacks_is_named(tmp_path: Path) -> None:  # type: ignore[no-untyped-def]  # fixtures
    """The engine swallows the missing import; the plugin does not."""
    path = tmp_path / "a.docx"
    path.write_bytes(zipped(docx_parts("<w:p/>")))
    script = (
        "import sys; sys.modules['mammoth'] = None\n"
        "from octavo_contracts import ConvertRequest, FileSource, ToolUnavailable\n"
        "from octavo_markitdown.convert import convert_document\n"
        "kind = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'\n"
        "try: convert_document(FileSource(sys.argv[1], media_type=kind), request=ConvertRequest(media_type=kind))\n"
        "except ToolUnavailable as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert "DocxConverter lacks a library. Run `pip install 'markitdown" in done.stdout
