"""The document in the worker: every byte of it, and no way to change it (CNV-17)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from octavo_contracts import SourceChanged, SourceView
from octavo_sandbox import SourceHandle, WorkerPool
from octavo_sandbox.document import FdSource

OpenSource = Callable[..., SourceHandle]


def test_a_source_is_read_again_and_from_several_places(shared_pool: WorkerPool, open_source: OpenSource) -> None:
    handle = open_source(b"0123456789abcdef", name="Report.TXT")
    for _ in range(2):
        parts = json.loads(shared_pool.run("sandbox_tasks:read_source", b"", source=handle).payload)
        assert parts[:6] == ["0123", "4567", "cdef", *["0123456789abcdef"] * 3]
        assert parts[6] == ".txt"
    assert os.lseek(handle.fd, 0, os.SEEK_CUR) == 0


def test_a_source_says_what_it_is(shared_pool: WorkerPool, open_source: OpenSource) -> None:
    handle = open_source(b"content")
    facts = json.loads(shared_pool.run("sandbox_tasks:describe_source", b"", source=handle).payload)
    assert facts == ["document.txt", "text/plain", 7, handle.sha256]


def test_no_descriptor_of_the_worker_writes_the_original(
    shared_pool: WorkerPool, open_source: OpenSource, tmp_path: Path
) -> None:
    if shared_pool.level != "landlock+seccomp":
        pytest.skip("without Landlock, /proc leads back to the original's path")
    content = b"the original, never to be changed"
    handle = open_source(content)
    written = json.loads(shared_pool.run("sandbox_tasks:write_through_descriptors", content, source=handle).payload)
    assert written == []
    assert (tmp_path / "document.txt").read_bytes() == content


def test_a_source_that_became_shorter_is_no_whole_document(shared_pool: WorkerPool, open_source: OpenSource) -> None:
    handle = replace(open_source(b"short"), size=5000)
    with pytest.raises(SourceChanged, match="ends at byte 5, but had 5000") as caught:
        shared_pool.run("sandbox_tasks:read_source", b"", source=handle)
    assert caught.value.source == "document.txt"


@pytest.fixture
def source(open_source: OpenSource, tmp_path: Path) -> FdSource:
    handle = open_source(b"line one\nline two\n")
    return FdSource(handle.fd, facts=vars(handle), work_dir=tmp_path)


def test_an_fd_source_is_a_source_view(source: FdSource) -> None:
    assert isinstance(source, SourceView)
    assert (source.name, source.media_type, source.size) == ("document.txt", "text/plain", 18)


def test_a_stream_seeks_from_every_end(source: FdSource) -> None:
    with source.open() as stream:
        assert stream.readline() == b"line one\n"
        assert stream.seek(-9, os.SEEK_END) == 9
        assert stream.read(4) == b"line"
        assert stream.seek(1, os.SEEK_CUR) == 14
        assert stream.read() == b"two\n"
        assert stream.read() == b""
        with pytest.raises(ValueError, match="negative seek"):
            stream.seek(-19, os.SEEK_END)


def test_a_stream_can_not_be_written_nor_taken_for_a_file(source: FdSource) -> None:
    with source.open() as stream:
        assert not stream.writable()
        with pytest.raises(OSError, match="fileno"):
            stream.fileno()


def test_a_closed_stream_leaves_the_others_open(source: FdSource) -> None:
    first, second = source.open(), source.open()
    first.close()
    first.close()
    assert second.read() == source.read_bytes()
    second.close()


def test_the_path_is_a_copy_made_once(source: FdSource, tmp_path: Path) -> None:
    assert source.path == source.path
    assert source.path.name.startswith("source-")
    assert source.path.read_bytes() == source.read_bytes()
