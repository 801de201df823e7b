"""Zip containers: what a reader refuses, and with which error (CNV-17)."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Sequence

import pytest
from octavo_contracts import ContentTooLarge, SourceCorrupt
from octavo_contracts.authoring import containers
from octavo_contracts.authoring.containers import open_container, read_member

TEXT = "The keeper lit the lamp at dusk. " * 20


def packed(*members: tuple[str, str]) -> bytes:
    """A container with members in this order."""
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # names that stand twice
        for name, text in members:
            archive.writestr(name, text)
    return made.getvalue()


def test_members_are_read_by_their_names() -> None:
    archive = open_container(io.BytesIO(packed(("a/é.xml", TEXT), ("b.xml", "x"))), plugin="p")
    assert archive.namelist() == ["a/é.xml", "b.xml"]
    assert read_member(archive, "a/é.xml", plugin="p") == TEXT.encode()
    assert read_member(archive, archive.infolist()[1], plugin="p") == b"x"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "cannot be opened"),
        (b"PK\x03\x04 and nothing else", "cannot be opened"),
        (packed(("/etc/x", "")), "unsafe name: '/etc/x'"),
        (packed(("a/../../x", "")), "unsafe"),
        (packed(("a\\..\\x", "")), "unsafe"),
        (packed(("a", ""), ("a", "")), "two entries of one name"),
    ],
)
def test_what_is_no_safe_container_is_corrupt(data: bytes, says: str) -> None:
    with pytest.raises(SourceCorrupt, match=says) as caught:
        open_container(io.BytesIO(data), plugin="reader")
    assert caught.value.plugin == "reader"


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [("MAX_ENTRIES", 1, "2 entries"), ("MAX_UNPACKED_BYTES", 100, "100 bytes"), ("RATIO_FREE_BYTES", 10, "2 times")],
)
def test_a_container_beyond_a_limit_is_too_large(
    limit: str, value: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, limit, value)
    monkeypatch.setattr(containers, "MAX_RATIO", 2)
    with pytest.raises(ContentTooLarge, match=says):
        open_container(io.BytesIO(packed(("a", TEXT), ("b", TEXT))), plugin="reader")


def _places(data: bytes, name: bytes) -> Sequence[int]:
    return [found.start() for found in re.finditer(re.escape(name), data)]


@pytest.mark.parametrize("damage", ["name", "content", "method", "encrypted"])
def test_a_member_that_does_not_unpack_is_corrupt(damage: str) -> None:
    data = bytearray(packed(("é.xml", TEXT)))
    own, listed = _places(bytes(data), "é.xml".encode())
    match damage:
        case "name":  # of the member itself: the directory has the right one
            data[own] = 0xFF
        case "content":
            data[own + 8 : own + 24] = bytes(range(200, 216))
        case "method":
            data[listed - 36] = data[own - 22] = 99
        case _:
            data[listed - 38] |= 1
    archive = open_container(io.BytesIO(bytes(data)), plugin="reader")
    with pytest.raises(SourceCorrupt, match=r"part 'é.xml' cannot be unpacked") as caught:
        read_member(archive, "é.xml", plugin="reader")
    assert caught.value.plugin == "reader"


def test_a_member_that_is_not_there_is_corrupt() -> None:
    archive = open_container(io.BytesIO(packed(("a", ""))), plugin="reader")
    with pytest.raises(SourceCorrupt, match="lacks its part 'b'"):
        read_member(archive, "b", plugin="reader")
