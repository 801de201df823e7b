"""What is refused, and how."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import octavo_libreoffice.grids
import octavo_libreoffice.package
import pytest
from octavo_conformance.vectors.hostile import load_hostile
from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionTimeout,
    ConverterCrashed,
    OctavoError,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
)
from octavo_libreoffice.locked import is_locked

Convert = Callable[..., Conversion]
Saved = Callable[..., Path]


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "request_", "error", "says"),
    [
        ("x.doc", b"x", {"media_type": "text/html"}, UnsupportedFormat, "text/html"),
        ("x.doc", b"", {}, SourceEmpty, "no bytes"),
        ("x.doc", b"x", {"pages": (1,)}, UsageError, "page_ranges"),
        ("x.doc", b"x", {"options": {"filter": "x"}}, UsageError, "filter"),
        ("x.doc", b"no compound file", {}, SourceCorrupt, "begin"),
        ("x.odp", b"no zip", {}, SourceCorrupt, "begin"),
        ("x.doc", bytes.fromhex("D0CF11E0A1B11AE1") + bytes(100), {}, SourceCorrupt, "compound file"),
    ],
)
def test_what_is_no_document_is_refused_without_the_program(
    name: str,
    data: bytes,
    request_: dict[str, object],
    error: type[OctavoError],
    says: str,
    convert_file: Convert,
    tmp_path: Path,
) -> None:
    with pytest.raises(error, match=says):
        convert_file(written(tmp_path, name, data), **request_)


def locked_workbook() -> bytes:
    """The beginning of a workbook's stream: its first record, then the one that says it is locked."""
    return struct.pack("<HHHH", 0x809, 4, 0, 0) + struct.pack("<HHH", 0x2F, 2, 0)


def compound(name: str, content: bytes) -> bytes:
    """An OLE compound file with one stream of up to 4,096 bytes, which stands in sectors of its own."""
    free, end, table = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    content = content.ljust(4096, b"\0")
    header = bytearray(512)
    header[:8] = bytes.fromhex("D0CF11E0A1B11AE1")
    struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
    struct.pack_into("<IIIIIIIII", header, 44, 1, 1, 0, 4096, end, 0, end, 0, 0)
    for at in range(80, 512, 4):
        struct.pack_into("<I", header, at, free)
    chain = [table, end, *range(3, 10), end]
    fat = struct.pack(f"<{len(chain)}I", *chain).ljust(512, b"\xff")

    def entry(called: str, kind: int, *, child: int = free, start: int = end, size: int = 0) -> bytes:
        text = called.encode("utf-16-le") + b"\0\0"
        data = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, free, free, child)
        return data + bytes(36) + struct.pack("<IQ", start, size)

    folder = entry("Root Entry", 5, child=1) + entry(name, 2, start=2, size=4096)
    return bytes(header) + fat + folder.ljust(512, b"\0") + content


@pytest.mark.parametrize(
    ("stream", "content", "locked"),
    [
        ("WordDocument", bytes(11) + b"\x01", True),
        ("WordDocument", bytes(12), False),
        ("Current User", bytes(12) + struct.pack("<I", 0xF3D1C4DF), True),
        ("Current User", bytes(12) + struct.pack("<I", 0xE391C05F), False),
        ("Workbook", locked_workbook(), True),
        ("Workbook", struct.pack("<HHHH", 0x809, 4, 0, 0), False),
        ("EncryptedPackage", b"", True),
    ],
)
def test_locked_compound_files_are_told_by_their_streams(stream: str, content: bytes, locked: bool) -> None:
    """Needs nothing, and is skipped with the rest where the program is missing."""
    assert is_locked(compound(stream, content)) is locked


def test_a_locked_document_is_refused_without_the_program(convert_file: Convert, tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as package:
        package.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    for path in (
        written(tmp_path, "x.odt", data.getvalue()),
        written(tmp_path, "x.doc", compound("WordDocument", bytes(11) + b"\x01")),
    ):
        with pytest.raises(SourceEncrypted) as caught:
            convert_file(path, password="open sesame")
        assert "password" in caught.value.remedy


def test_what_libreoffice_can_not_read_is_damage(convert_file: Convert, tmp_path: Path) -> None:
    with pytest.raises(SourceCorrupt, match="cannot read"):
        convert_file(written(tmp_path, "x.odp", b"PK\x03\x04" + bytes(2000)))


@pytest.mark.parametrize(("kind", "target"), [("fodp", "odp"), ("fods", "ods")])
def test_more_pages_than_asked_for_are_too_large(kind: str, target: str, convert_file: Convert, saved: Saved) -> None:
    page = (
        '<draw:page draw:name="p{0}"/>'
        if kind == "fodp"
        else '<table:table table:name="s{0}"><table:table-row><table:table-cell/></table:table-row></table:table>'
    )
    path = saved(kind, page.format(1) + page.format(2), target)
    with pytest.raises(ContentTooLarge, match="2 s"):
        convert_file(path, max_pages=1)


def test_a_package_that_unpacks_to_far_more_is_too_large(convert_file: Convert, tmp_path: Path) -> None:
    (bomb,) = [one for one in load_hostile("odt") if one.kind == "bomb"]
    with pytest.raises(ContentTooLarge, match="unpacks to more"):
        convert_file(written(tmp_path, "bomb.odt", bomb.data))


def test_a_document_without_text_says_so_and_limits_hold(
    convert_file: Convert, saved: Saved, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversion = convert_file(saved("fodt", "<text:p/>", "odt"))
    assert [warning.code for warning in conversion.warnings] == ["no_content"]
    table = (
        "<table:table><table:table-column/>"
        + "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>" * 3
    )
    path = saved("fodt", f"{table}</table:table>", "odt")
    monkeypatch.setattr(octavo_libreoffice.grids, "MAX_CELLS", 2)
    with pytest.raises(ContentTooLarge, match="filled cells"):
        convert_file(path)
    monkeypatch.setattr(octavo_libreoffice.package, "MAX_XML_BYTES", 10)
    with pytest.raises(ContentTooLarge, match="XML"):
        convert_file(path)


def test_the_deadline_ends_it_and_no_process_is_left(convert_file: Convert, saved: Saved, tmp_path: Path) -> None:
    path = saved("fodt", "<text:p>x</text:p>", "odt")
    with pytest.raises(ConversionTimeout):
        convert_file(path, seconds=0.3)
    mark = f"{tmp_path}/work-".encode()
    left = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            left += [command] if mark in command.read_bytes() else []
        except OSError:
            continue  # it ended meanwhile
    assert not left


def test_without_the_program_the_message_names_its_packages(
    convert_file: Convert, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolUnavailable) as caught:
        convert_file(written(tmp_path, "x.rtf", b"{\\rtf1 x}"))
    assert "apt-get install libreoffice-writer-nogui" in caught.value.remedy


@pytest.mark.parametrize(
    ("script", "error", "says"),
    [
        ("exit 1", ConverterCrashed, "code 1"),
        ("kill -9 $$", ConverterCrashed, "code -9"),
        ("exit 81", ConverterCrashed, "code 81"),
        ("echo nothing to say >&2", SourceCorrupt, "nothing to say"),
        ("mkdir answer; echo x > answer/document.odt", ConverterCrashed, "cannot be opened"),
    ],
)
def test_without_the_program_but_one_of_its_name(
    script: str,
    error: type[OctavoError],
    says: str,
    convert_file: Convert,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A program that fails, dies, asks to be started for ever, or answers something else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "soffice").write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    (folder / "soffice").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    with pytest.raises(error, match=says):
        convert_file(written(tmp_path, "x.rtf", b"{\\rtf1 x}"))
