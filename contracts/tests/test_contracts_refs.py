"""References to artifacts, in every scheme and with every file name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import Ref, RefScheme, file_ref, memory_ref, parse_ref, ref_path, store_ref

NAMES = st.binary(min_size=1, max_size=30).filter(
    lambda name: b"\0" not in name and b"/" not in name and name not in {b".", b".."}
)


@given(NAMES)
def test_a_file_reference_keeps_any_name(name: bytes) -> None:
    """A file name is bytes; those that are no UTF-8 survive too, and the reference itself is plain ASCII."""
    path = b"/library of\xff/" + name
    ref = file_ref(path)
    assert ref.isascii()
    assert os.fsencode(ref_path(ref)) == path


def test_a_file_with_a_name_that_is_not_utf_8_is_found_again(tmp_path: Path) -> None:
    """The reference leads back to a real file."""
    name = os.fsencode(tmp_path) + b"/caf\xe9 100%.txt"
    try:
        with open(name, "wb") as stream:
            stream.write(b"tide")
    except OSError as error:  # some file systems take UTF-8 names alone
        pytest.skip(f"this file system refuses the name: {error}")
    assert ref_path(file_ref(name)).read_bytes() == b"tide"
    assert file_ref(name).endswith("/caf%E9%20100%25.txt")


def test_a_relative_path_is_made_absolute() -> None:
    """A reference does not depend on the folder one happens to stand in."""
    assert file_ref("notes.md") == file_ref(Path.cwd() / "notes.md")
    assert parse_ref(file_ref("/a/b.pdf")) == Ref(RefScheme.FILE, "///a/b.pdf")


def test_store_memory_and_url_references_are_split_at_the_first_colon() -> None:
    """The value keeps colons of its own."""
    digest = "ab" * 32
    assert parse_ref(store_ref("originals/x.pdf")) == Ref(RefScheme.STORE, "originals/x.pdf")
    assert parse_ref(memory_ref(digest)) == Ref(RefScheme.MEMORY, f"sha256:{digest}")
    assert parse_ref("url:https://a.example/b?c=d") == Ref(RefScheme.URL, "https://a.example/b?c=d")


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("", "not an artifact reference"),
        ("file", "not an artifact reference"),
        ("/a/b.pdf", "not an artifact reference"),
        ("FILE:///a", "not an artifact reference"),
        ("http://a.example", "not an artifact reference"),
        ("store:/etc/passwd", "leaves the library"),
        ("store:a/../../b", "leaves the library"),
        ("store:..", "leaves the library"),
        ("memory:" + "a" * 64, "memory:sha256"),
        ("memory:sha256:" + "A" * 64, "memory:sha256"),
        ("memory:sha256:" + "a" * 63, "memory:sha256"),
        ("memory:sha256:" + "a" * 64 + "\n", "memory:sha256"),
    ],
)
def test_what_is_no_reference_is_refused(ref: str, message: str) -> None:
    """Unknown schemes, ways out of the library, and hashes that are none."""
    with pytest.raises(ValueError, match=message):
        parse_ref(ref)


def test_dots_inside_a_name_do_not_leave_the_library() -> None:
    """Only a whole part of two dots does."""
    assert parse_ref("store:a..b/...").value == "a..b/..."


def test_only_a_file_reference_has_a_path() -> None:
    """The path of an artifact in a library is the library's business."""
    with pytest.raises(ValueError, match="is not a file reference"):
        ref_path(store_ref("originals/x.pdf"))
