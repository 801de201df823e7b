"""Zip archives: a list of their files, and each file an attachment; limits and hostile names."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest
from octavo_contracts import SourceCorrupt, SourceEncrypted
from octavo_plaintext import archive
from octavo_plaintext.archive import read_archive


def zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return buffer.getvalue()


def test_files_are_listed_and_attached_with_their_bytes() -> None:
    conversion = read_archive(
        zipped({"letters/": b"", "letters/a.txt": b"high water", "b.csv": b"a,b\n"}), name="a.zip"
    )

    assert conversion.pages[0].text == "letters/a.txt\t10\nb.csv\t4"
    assert "| letters/a.txt | 10 |" in conversion.pages[0].markdown
    assert [(one.name, one.media_type, one.data) for one in conversion.attachments] == [
        ("letters/a.txt", "text/plain", b"high water"),
        ("b.csv", "text/csv", b"a,b\n"),
    ]
    assert conversion.warnings == ()


@pytest.mark.parametrize("name", ["../../etc/passwd.txt", "/etc/passwd.txt", "C:/boot.txt"])
def test_a_name_that_leads_elsewhere_is_told_and_stays_text(name: str) -> None:
    conversion = read_archive(zipped({name: b"x"}), name="a.zip")

    assert [one.name for one in conversion.attachments] == [name]
    assert [one.code for one in conversion.warnings] == ["attachment_name"]


def test_control_characters_of_a_name_are_replaced() -> None:
    conversion = read_archive(zipped({"a\x1b[31m\n.txt": b"x"}), name="a.zip")

    assert conversion.pages[0].text == "a\ufffd[31m\ufffd.txt\t1"


def test_clutter_and_empty_files_are_listed_and_no_documents() -> None:
    conversion = read_archive(zipped({"__MACOSX/._a.txt": b"x", "b/.DS_Store": b"y", "c.txt": b""}), name="a.zip")

    assert conversion.attachments == ()
    assert len((conversion.pages[0].text or "").splitlines()) == 3


def test_what_is_too_large_or_too_many_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ATTACHMENT_BYTES", 5)
    monkeypatch.setattr(archive, "MAX_FILES", 2)
    conversion = read_archive(zipped({"a.txt": b"123456", "b.txt": b"12345", "c.txt": b"1"}), name="a.zip")

    assert [one.name for one in conversion.attachments] == ["b.txt"]
    assert [one.code for one in conversion.warnings] == ["partial_conversion"] * 2
    assert "6 bytes" in conversion.warnings[0].message
    assert "1 of 3 files" in conversion.warnings[1].message


def test_all_bytes_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ATTACHED_BYTES", 6)
    conversion = read_archive(zipped({"a.txt": b"1234", "b.txt": b"5678"}), name="a.zip")

    assert [one.name for one in conversion.attachments] == ["a.txt"]


def test_a_damaged_file_is_told_and_the_others_are_taken() -> None:
    data = bytearray(zipped({"a.txt": b"high water at noon", "b.txt": b"low"}))
    data[data.index(b"a.txt") + 5] ^= 0xFF
    conversion = read_archive(bytes(data), name="a.zip")

    assert [one.name for one in conversion.attachments] == ["b.txt"]
    assert [one.code for one in conversion.warnings] == ["partial_conversion"]


def test_encrypted_files_are_refused() -> None:
    data = bytearray(zipped({"a.txt": b"x"}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1

    with pytest.raises(SourceEncrypted):
        read_archive(bytes(data), name="a.zip")


def test_what_is_no_archive_is_corrupt() -> None:
    with pytest.raises(SourceCorrupt):
        read_archive(b"PK\x03\x04 and nothing more", name="a.zip")


def test_an_empty_archive_has_no_text() -> None:
    conversion = read_archive(zipped({}), name="a.zip")

    assert conversion.pages[0].markdown == ""
    assert conversion.attachments == ()
