"""Digests are cached in a folder, and outlive the process (DIG-19)."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from octavo_cli import main
from octavo_contracts import DigestPayload, ExitCode
from octavo_digest import CacheEntry, CacheKey, FolderCache, digest_document
from octavo_library import Library

NOTE = "The harbour wall was closed at noon. " * 40 + "The surge was three metres high. " + "Gulls sat on it. " * 40


def digest(capfd, *arguments: str) -> dict:
    assert main(["digest", *arguments, "--json"]) == ExitCode.OK
    return json.loads(capfd.readouterr().out)


def entry(**changes: str) -> CacheEntry:
    known = {"source_id": "a", "content_hash": "1" * 64, "query_hash": "2" * 64, "config_hash": "3" * 64}
    payload = DigestPayload(
        query_hash="2" * 8,
        summary="High surge.",
        key_points=(),
        evidence_snippets=(),
        original_chars=100,
        digest_chars=11,
        compression_ratio=0.11,
        source_text_hash="sha256:" + "1" * 64,
    )
    return CacheEntry(key=CacheKey(**{**known, **changes}), payload=payload, method="extractive", warnings=("w",))


def test_a_second_command_gets_the_digest_of_the_first(tmp_path, capfd):
    """DIG-19: each command is a process of its own for the cache: nothing of the first is in memory."""
    note = tmp_path / "note.txt"
    note.write_text(NOTE)
    cached = (str(note), "--query", "How high was the surge?", "--cache-dir", str(tmp_path / "cache"))
    first = digest(capfd, *cached)
    again = digest(capfd, *cached)
    other = digest(capfd, str(note), "--query", "Who sat there?", "--cache-dir", str(tmp_path / "cache"))
    assert [one["cache_hit"] for one in (first, again, other)] == [False, True, False]
    assert again["payload"] == first["payload"]
    note.write_text(NOTE + "The water fell.")
    assert digest(capfd, *cached)["cache_hit"] is False
    assert len(list((tmp_path / "cache").glob("*.digest.json"))) == 3


def test_each_policy_context_has_a_cache_of_its_own(tmp_path):
    """STO-5: a hit would tell that another context asked the same."""
    with Library.open(tmp_path / "lib") as library:
        library.ingest(NOTE.encode(), name="note.txt", corpus="open")
        document = library.ingest(NOTE.encode(), name="note.txt", corpus="open").document_id
        ask = {"query": "How high was the surge?", "cache_dir": str(tmp_path / "cache")}
        assert digest_document(library, library.document(document), **ask).cache_hit is False
        assert digest_document(library, library.document(document, corpus="open"), **ask).cache_hit is False
    with Library.open(tmp_path / "lib") as library:
        assert digest_document(library, library.document(document), **ask).cache_hit is True
        assert digest_document(library, library.document(document, corpus="open"), **ask).cache_hit is True
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize(
    "name", ["source_id", "content_hash", "query_hash", "config_hash", "version", "structure_hash"]
)
def test_a_part_of_the_key_alone_is_a_miss(tmp_path, name):
    """DIG-19: a new version of the implementation invalidates what the last one made."""
    made = entry()
    FolderCache(tmp_path).put(made)
    assert FolderCache(tmp_path).get(made.key) == made
    assert FolderCache(tmp_path).get(replace(made.key, **{name: "f" * 64})) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": 1, "key": {}}', b'{"format": 99}'])
def test_a_damaged_file_is_no_hit(tmp_path, content):
    """Half a digest would be shown as a whole one."""
    made = entry()
    cache = FolderCache(tmp_path)
    cache.put(made)
    [file] = tmp_path.iterdir()
    file.write_bytes(content)
    assert FolderCache(tmp_path).get(made.key) is None
    FolderCache(tmp_path).put(made)
    assert FolderCache(tmp_path).get(made.key) == made


def test_the_oldest_half_is_dropped_and_nothing_else(tmp_path):
    """A user's own file in the folder is never removed."""
    mine = tmp_path / "mine.json"
    mine.write_text("mine")
    cache = FolderCache(tmp_path, max_files=3)
    for number in range(4):
        made = entry(source_id=f"s{number}")
        cache.put(made)
        for file in tmp_path.glob("*.digest.json"):
            if file.stat().st_mtime > 10_000:
                os.utime(file, (number, number))
    assert mine.read_text() == "mine"
    left = FolderCache(tmp_path)
    assert [left.get(entry(source_id=f"s{number}").key) is not None for number in range(4)] == [
        False,
        False,
        True,
        True,
    ]
    left.clear()
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]
