"""What is refused, and how."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import octavo_pandoc.package
import octavo_pandoc.program
import octavo_pandoc.tables
import pytest
from octavo_conformance.office_writer import zipped
from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionTimeout,
    ConverterCrashed,
    MemoryExceeded,
    OctavoError,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_contracts.authoring import containers

ODT = "application/vnd.oasis.opendocument.text"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
JATS = "application/jats+xml"
RTF = "application/rtf"
Convert = Callable[..., Conversion]


@pytest.mark.parametrize(
    ("data", "media_type", "request_", "error", "says"),
    [
        (b"x", "text/html", {}, UnsupportedFormat, "text/html"),
        (b"", RTF, {}, SourceEmpty, "no bytes"),
        (b"x", RTF, {"pages": (1,)}, UsageError, "page_ranges"),
        (b"x", RTF, {"options": {"style": "x"}}, UsageError, "style"),
        (b"no rich text", RTF, {}, SourceCorrupt, "rich text"),
        (b"no container", ODT, {}, SourceCorrupt, "zip"),
        (b"{no json", "application/x-ipynb+json", {}, SourceCorrupt, "ipynb"),
        (b"<article><p>", JATS, {}, SourceCorrupt, "JATS article"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hosts">]><a>&x;</a>', JATS, {}, SourceCorrupt, "entities"),
    ],
)
def test_what_is_no_document_is_refused(
    data: bytes,
    media_type: str,
    request_: dict[str, object],
    error: type[OctavoError],
    says: str,
    convert_bytes: Convert,
) -> None:
    with pytest.raises(error, match=says):
        convert_bytes(data, media_type, **request_)


@pytest.mark.parametrize(
    ("parts", "error", "says"),
    [
        ({"other.xml": "<x/>"}, SourceCorrupt, "content.xml"),
        ({"content.xml": "<x/>", "../up.txt": ""}, SourceCorrupt, "unsafe"),
        ({"content.xml": "<x>"}, SourceCorrupt, "well-formed"),
        ({"content.xml": "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"}, SourceCorrupt, "entities"),
        ({"content.xml": " " * 3_000_000}, ContentTooLarge, "100 times"),
        ({"content.xml": "<x/>", "META-INF/manifest.xml": "<encryption-data/>"}, SourceEncrypted, "password"),
    ],
)
def test_a_container_that_is_unsafe_or_unfit_is_refused(
    parts: dict[str, str], error: type[OctavoError], says: str, convert_bytes: Convert
) -> None:
    with pytest.raises(error, match=says):
        convert_bytes(zipped(parts), ODT)


@pytest.mark.parametrize(
    ("module", "limit", "value"),
    [
        (containers, "MAX_ENTRIES", 2),
        (containers, "MAX_UNPACKED_BYTES", 100),
        (octavo_pandoc.package, "MAX_XML_BYTES", 100),
    ],
)
def test_a_container_beyond_a_limit_is_too_large(
    module: ModuleType,
    limit: str,
    value: int,
    convert_bytes: Convert,
    open_text: Callable[..., bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(ContentTooLarge):
        convert_bytes(open_text("<text:p>x</text:p>"), ODT)


def test_an_encrypted_word_document_is_told_from_a_damaged_one(convert_bytes: Convert) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(SourceEncrypted) as caught:
        convert_bytes(data, DOCX, password="open sesame")
    assert "password" in caught.value.remedy


def test_a_part_that_does_not_unpack_is_damage(convert_bytes: Convert, open_text: Callable[..., bytes]) -> None:
    data = bytearray(open_text("<text:p>The keeper lit the lamp at dusk.</text:p>"))
    at = data.index(b"content.xml") + len("content.xml") + 4
    data[at : at + 40] = zlib.compress(os.urandom(40))[:40]
    with pytest.raises(SourceCorrupt):
        convert_bytes(bytes(data), ODT)


def test_a_table_beyond_the_limit_is_too_large(
    convert_bytes: Convert, open_text: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(octavo_pandoc.tables, "MAX_CELLS", 1)
    table = "<table:table><table:table-column/>" + "<table:table-row><table:table-cell/></table:table-row>" * 3
    with pytest.raises(ContentTooLarge, match="3 rows"):
        convert_bytes(open_text(f"{table}</table:table>"), ODT)


def test_a_tree_beyond_the_limit_is_too_large(convert_bytes: Convert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(octavo_pandoc.program, "MAX_TREE_BYTES", 10)
    with pytest.raises(ContentTooLarge, match="tree"):
        convert_bytes("text", "text/x-org")


def test_a_document_nested_beyond_reason_is_too_large(convert_bytes: Convert) -> None:
    text = f"<article>{'<blockquote>' * 600}<para>x</para>{'</blockquote>' * 600}</article>"
    with pytest.raises(ContentTooLarge, match="nested"):
        convert_bytes(text, "application/docbook+xml")


def test_the_deadline_ends_it(convert_bytes: Convert) -> None:
    with pytest.raises(ConversionTimeout):
        convert_bytes("word " * 300_000, "text/x-rst", seconds=0.1)


def test_a_heap_that_is_not_enough_is_memory(convert_bytes: Convert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(octavo_pandoc.program, "HEAP_MB", 8)
    with pytest.raises(MemoryExceeded):
        convert_bytes("word " * 100_000, "text/x-rst")


def test_without_the_program_the_message_names_its_package(
    convert_bytes: Convert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable) as caught:
        convert_bytes("text", "text/x-org")
    assert "apt-get install pandoc" in caught.value.remedy


@pytest.mark.skipif(sys.platform == "win32", reason="programs of these tests are shell scripts")
@pytest.mark.parametrize(
    ("script", "error", "says"),
    [
        ("echo pandoc 2.14.2", ToolUnavailable, "2.15"),
        ("echo something else", ToolUnavailable, "older"),
        ('[ "$1" = --version ] && echo pandoc 3.1 || kill -9 $$', ConverterCrashed, "signal 9"),
        ('[ "$1" = --version ] && echo pandoc 3.1 || echo no json', ConverterCrashed, "JSON"),
        ('[ "$1" = --version ] && echo pandoc 3.1 || exit 64', SourceCorrupt, "did not say"),
    ],
)
def test_without_the_program_but_one_of_its_name(
    script: str,
    error: type[OctavoError],
    says: str,
    convert_bytes: Convert,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A program that is too old, dies, or answers something else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "pandoc").write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    (folder / "pandoc").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(error, match=says):
        convert_bytes("text", "text/x-org")


def test_without_the_program_a_file_that_can_not_be_started(
    convert_bytes: Convert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "pandoc"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable, match="failed"):
        convert_bytes("text", "text/x-org")
