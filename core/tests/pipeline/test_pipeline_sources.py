"""The original: hashed in memory that does not grow with it, and watched for changes."""

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo.documents import source as sources
from octavo.documents.source import Source, hash_file
from octavo_contracts import SourceChanged, SourceMissing


@given(st.binary(max_size=200) | st.text(" \n\tab\ufeff", max_size=200).map(str.encode), st.integers(1, 9))
def test_folding_block_by_block_is_folding_at_once(data, block):
    """SHA-256 of the words parted by one space, whatever the block size (STO-16)."""
    before, sources.HASH_BLOCK = sources.HASH_BLOCK, block + 3
    try:
        with Source.from_bytes(data, name="a.txt") as source:
            folded = source.normalized_binary_hash(textual=True)
    finally:
        sources.HASH_BLOCK = before
    assert folded == hashlib.sha256(b" ".join(data.removeprefix(b"\xef\xbb\xbf").split())).hexdigest()


def test_white_space_and_line_ends_do_not_change_the_normalized_hash():
    hashes = set()
    for data in (b"a b\nc", b"\xef\xbb\xbfa  b\r\nc\r\n", b" a\tb c "):
        with Source.from_bytes(data, name="a.txt") as source:
            hashes.add(source.normalized_binary_hash(textual=True))
            assert source.normalized_binary_hash(textual=False) == hashlib.sha256(data).hexdigest()
    assert len(hashes) == 1


def test_a_change_is_seen_even_when_size_and_time_are_put_back(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")
    status = path.stat()
    with Source.from_path(path) as source:
        source.check_unchanged()
        path.write_bytes(b"after!")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        with pytest.raises(SourceChanged):
            source.check_unchanged()


def test_what_is_no_readable_file_is_missing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none", "/dev/zero", "a\0b"):
        with pytest.raises(SourceMissing):
            Source.from_path(path)
        assert hash_file(path) is None
