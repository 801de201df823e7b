"""A failure under the limits of one asker is no answer for another one who allows more (STO-5, ENG-11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from octavo import Settings
from octavo.runtime import Runtime
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_sandbox import SandboxLimits

SLOW = """\
import time
from octavo_contracts import Conversion, MemoryExceeded, Page, hookimpl

@hookimpl
def convert(source, request, context):
    if b"large" in source.read_bytes():
        raise MemoryExceeded("it wants more memory")
    time.sleep(1.5)
    return Conversion(pages=(Page(number=1, kind="whole", markdown="the tide turned"),), paginated=False)
"""
SETTINGS = Settings(workers=1)


@pytest.fixture(scope="module")
def runtime(make_lasting_plugin) -> Iterator[Runtime]:
    make_lasting_plugin("slow", SLOW, media_types=["text/plain"])
    with Runtime(SETTINGS) as made:
        yield made


@pytest.fixture
def library(tmp_path: Path, runtime: Runtime) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as made:
        made.corpora.create("sealed", CorpusSettings(visibility="firewalled", plugin="slow"))
        made.corpora.create("open", CorpusSettings(plugin="slow"))
        # What starts the worker takes no part in the times below.
        made.ingest(b"warm", name="warm.txt", corpus="open")
        yield made


@pytest.mark.parametrize("many", [False, True], ids=["one", "run"])
def test_the_time_of_one_asker_fails_nobody_who_allows_more(library: Library, tmp_path: Path, many: bool) -> None:
    path = tmp_path / "a.txt"
    path.write_text("tide")
    failed = library.ingest(path, corpus="sealed", timeout=0.731)
    assert [one.reason_code for one in failed.result.failure_receipts] == ["conversion_timeout"]
    done = next(library.ingest_many([path], corpus="open")) if many else library.ingest(path, corpus="open")
    assert done.result.ingestion_status == "complete"


def test_who_allows_as_little_or_less_is_given_the_failure_without_the_time(library: Library) -> None:
    library.ingest(b"tide", name="a.txt", corpus="sealed", timeout=0.731)
    for timeout in (0.731, 0.3):
        again = library.ingest(b"tide", name="b.txt", corpus="open", timeout=timeout)
        (receipt,) = again.result.failure_receipts
        assert receipt.reason_code == "conversion_timeout"
        assert "0.731" not in again.result.to_json()
    assert len(library.context.index.jobs.of_hash(again.document.raw_hash)) == 1


def test_more_memory_in_the_settings_is_worth_a_new_try(tmp_path: Path, library: Library) -> None:
    failed = library.ingest(b"large", name="a.txt", corpus="open")
    assert [one.reason_code for one in failed.result.failure_receipts] == ["memory_exceeded"]
    assert library.ingest(b"large", name="a.txt", corpus="open").reused
    raw_hash, path = failed.document.raw_hash, library.path
    library.close()
    more = replace(SETTINGS, limits=SandboxLimits(memory_mb=4096))
    with Library.open(path, settings=more) as again:
        assert not again.ingest(b"large", name="a.txt", corpus="open").reused
        assert again.ingest(b"large", name="a.txt", corpus="open").reused
        assert len(again.context.index.jobs.of_hash(raw_hash)) == 2
