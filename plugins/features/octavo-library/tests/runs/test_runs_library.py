"""Runs of a real library: recorded as they go, shown as interrupted when killed, and tried again document by document."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from octavo.settings.commit_policy import CommitPolicy, CommitSteps
from octavo.settings.engine import EngineSettings
from octavo.settings.settings import Settings
from octavo_contracts import UsageError
from octavo_library import Library
from octavo_library.ingestion.events import EngineEvent, RunFinished, RunStarted
from octavo_library.storage import DocumentState

MOODY = """\
import os, time
from pathlib import Path
from octavo_contracts import Conversion, Page, SourceCorrupt, ContentTooLarge, hookimpl

@hookimpl
def convert(source, request, context):
    text = source.read_bytes().decode()
    if "corrupt" in text:
        raise SourceCorrupt("it says so", source=source.name)
    if "large" in text:
        raise ContentTooLarge("it says so", source=source.name)
    if "slow" in text:
        time.sleep(60)
    if "unhurried" in text:
        time.sleep(0.3)
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""

MakePlugin = Callable[..., Path]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    folder = tmp_path / "in"
    folder.mkdir()

    def make(name: str, text: str | None = None) -> Path:
        path = folder / name
        path.write_text(text if text is not None else f"{name} says something about the tide")
        return path

    return make


@pytest.fixture
def library(make_plugin: MakePlugin, tmp_path: Path) -> Iterator[Library]:
    make_plugin("moody", MOODY)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        yield opened


def test_a_run_is_recorded_with_what_was_asked_and_what_came_of_it(library: Library, write: Write, tmp_path: Path):
    """ENG-15, ENG-16, ENG-28."""
    paths = [write("a.txt"), write("b.txt", "corrupt"), tmp_path / "missing.txt"]
    heard: list[EngineEvent] = []
    library.engine.events.subscribe(heard.append)
    list(library.ingest_many(paths, corpus="tides", plugin="moody", named=["in"], timeout=50))
    run = library.runs.get("last")
    assert (run.condition, run.corpus, run.record.sources) == ("finished", "tides", ("in",))
    assert run.record.options == {"with_": "moody", "timeout": 50}
    assert (run.record.total, run.counts.complete, run.counts.failed) == (3, 1, 2)
    assert run.counts.failures == {"source_corrupt": 1, "source_missing": 1}
    assert run.status.standing == {DocumentState.COMPLETE: 1, DocumentState.FAILED: 2}
    assert run.seconds is not None
    assert run.wall == (run.seconds, run.seconds)
    assert run.cost == (0.0, 0.0)
    assert list(run.checkpoints) == ["registered", "converted", "shallow", "deep", "review"]  # ENG-28
    assert sorted(run.checkpoints.values()) == list(run.checkpoints.values())
    assert run.checkpoints["review"] <= run.seconds + 1
    assert run.commit_policy == "each document separately"
    started, finished = (one for one in heard if isinstance(one, RunStarted | RunFinished))
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert (started.run_id, started.total, finished.run_id, finished.done) == (run.id, 3, run.id, 3)


def test_a_run_says_how_often_it_commits(make_plugin: MakePlugin, write: Write, tmp_path: Path):
    """ENG-14, ENG-30: the policy of its length."""
    make_plugin("moody", MOODY)
    steps = CommitSteps(medium_from=2, medium=CommitPolicy(size=2, seconds=3.0))
    settings = Settings(workers=1, engine=EngineSettings(commits=steps))
    with Library.open(tmp_path / "library", settings=settings) as library:
        paths = [write("a.txt"), write("b.txt")]
        heard: list[EngineEvent] = []
        library.engine.events.subscribe(heard.append)
        list(library.ingest_many(paths, plugin="moody"))
        (started,) = (one for one in heard if isinstance(one, RunStarted))
        assert library.runs.get("last").commit_policy == started.commit_policy == "2 documents or 3 s"


def test_known_documents_count_in_the_run_in_which_they_come_again(library: Library, write: Write):
    paths = [write("a.txt"), write("b.txt", "corrupt")]
    list(library.ingest_many(paths, plugin="moody"))
    list(library.ingest_many(paths, plugin="moody"))
    counts = library.runs.get("last").counts
    assert (counts.complete, counts.failed, counts.reused) == (1, 1, 2)
    assert [(condition, one.reused) for _, condition, one in library.runs.list()] == [("finished", 2), ("finished", 0)]


def test_a_run_that_is_stopped_says_so_and_counts_what_it_did_not_come_to(library: Library, write: Write):
    stop = threading.Event()
    # The last one would take a minute: it cannot be done before the run is stopped.
    paths = [write(f"{number}.txt", f"{number} slow" if number == 5 else f"{number}") for number in range(6)]
    done = library.ingest_many(paths, plugin="moody", cancel=stop, workers=1)
    next(done)
    stop.set()
    rest = list(done)
    run = library.runs.get("last")
    assert run.condition == "stopped"
    assert run.record.not_attempted == sum(not one.was_attempted for one in rest) > 0
    assert run.counts.done + run.record.not_attempted == run.record.total == 6


def test_a_run_whose_reader_leaves_is_stopped(library: Library, write: Write):
    done = library.ingest_many([write(f"{number}.txt") for number in range(4)])
    next(done)
    assert library.runs.get("last").condition == "running"
    done.close()  # type: ignore[attr-defined]  # what is given is a generator
    assert library.runs.get("last").condition == "stopped"


def test_a_run_that_nobody_reads_never_began(library: Library, write: Write):
    batch = library.ingest_many([write("a.txt")])
    with pytest.warns(RuntimeWarning, match="never iterated"):
        del batch
    assert library.runs.list() == []


def test_a_running_run_is_given_bands_once_enough_is_done(library: Library, write: Write):
    """ENG-16."""
    paths = [write(f"{number}.txt", f"{number} unhurried") for number in range(9)]
    with closing(library.ingest_many(paths, plugin="moody", workers=1)) as done:
        next(done)
        early = library.runs.get("last")
        assert (early.condition, early.wall, early.cost) == ("running", None, None)
        for _ in range(6):
            next(done)
        later = library.runs.get("last")
        assert later.wall is not None
        assert later.seconds is not None
        assert later.wall.high >= later.wall.low > 0
        assert later.cost == (0.0, 0.0)


def test_a_running_run_of_unknown_size_is_given_none(library: Library, write: Write):
    paths = [write(f"{number}.txt") for number in range(7)]
    done = library.ingest_many(iter(paths), workers=1)
    for _ in range(6):
        next(done)
    assert library.runs.get("last").wall is None
    list(done)
    assert library.runs.get("last").record.total == 7


def test_exactly_the_documents_of_a_reason_are_tried_again(library: Library, write: Write):
    good, bad, big = write("a.txt"), write("b.txt", "corrupt"), write("c.txt", "too large")
    list(library.ingest_many([good, bad, big], corpus="tides", plugin="moody"))
    first = library.runs.get("last").id
    bad.write_text("healed")
    (again,) = library.runs.retry(first, reason="content_too_large")
    assert (again.source, again.result.ingestion_status) == (str(big), "hard_failed")
    run = library.runs.get("last")
    assert (run.record.retry_of, run.record.total, run.corpus) == (first, 1, "tides")
    assert run.record.options == {"with_": "moody"}
    assert sorted(one.source for one in library.runs.retry(first)) == [str(bad), str(big)]
    with pytest.raises(UsageError, match="has no sources to retry") as caught:
        library.runs.retry(first, reason="source_empty")
    assert caught.value.remedy == "Give one of the remaining reasons: content_too_large, source_corrupt"


def test_a_run_that_is_all_converted_has_nothing_to_try(library: Library, write: Write):
    list(library.ingest_many([write("a.txt")]))
    with pytest.raises(UsageError, match="has no sources to retry") as caught:
        library.runs.retry("last")
    assert (
        caught.value.remedy
        == "All sources of the run are converted. To retry attachments of a message that failed, ingest it with --retry"
    )


def test_an_interrupted_run_is_shown_as_such_and_taken_up_again(
    library: Library, write: Write, tmp_path: Path, index_argument: Callable[[Library], str]
):
    """The process is killed in the middle; what it had done stays, and what it was at is tried again (ENG-6)."""
    quick, slow = write("a.txt"), write("b.txt", "slow")
    code = (
        "import os, sys, threading\n"
        "from octavo_library import Library; from octavo import Settings\n"
        "from octavo.settings.engine import CareSettings, EngineSettings\n"
        "care = CareSettings(load_stop=1e6, load_go=1e5)\n"  # a busy machine would give both one place to share
        "settings = Settings(workers=2, engine=EngineSettings(care=care))\n"
        "library = Library.open(sys.argv[1], settings=settings, index=sys.argv[2] or None)\n"
        "for one in library.ingest_many(sys.argv[3:], plugin='moody'):\n"
        "    sys.stdout.write('one\\n'); sys.stdout.flush()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "library"), index_argument(library), str(quick), str(slow)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"one\n"
        assert library.runs.get("last").condition == "running"
        process.kill()
    run = library.runs.get("last")
    assert (run.condition, run.seconds, run.wall) == ("interrupted", None, None)
    assert run.counts.done == 1
    slow.write_text("quick now")
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        run = opened.runs.get(run.id)
        assert [case.reason for case in run.open_cases] == ["interrupted"]
        assert run.status.standing == {DocumentState.COMPLETE: 1, DocumentState.INTERRUPTED: 1}
        slow.write_text("slow")
        (again,) = opened.runs.retry(run.id, reason="interrupted", timeout=1)
        assert again.result.failure_receipts[-1].reason_code == "conversion_timeout"
