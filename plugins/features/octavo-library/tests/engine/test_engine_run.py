"""Many documents through one run: events, copies, cancellation, bad input, and converters that misbehave."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from octavo.settings.engine import CareSettings, EngineSettings, RetrySettings
from octavo.settings.settings import Settings
from octavo_contracts import IngestionState, Intent, StorageError, StorageExhausted
from octavo_library import Library
from octavo_library.ingestion.events import (
    Committed,
    JobClaimed,
    JobEnded,
    JobWaiting,
    RetryPlanned,
    RunFinished,
    RunStarted,
    StepName,
)
from octavo_library.storage import ArtifactStore, verify
from octavo_sandbox import SandboxLimits

HEAD = "import ctypes, os, time\nfrom octavo_contracts import *\n"
PLAIN = (
    HEAD
    + "@hookimpl\ndef convert(source, request, context):\n"
    + "    return Conversion(pages=(Page(number=1, kind='whole', markdown=source.read_bytes().decode()),), paginated=False)\n"
)
WILD = (
    HEAD
    + "KEPT = []\n@hookimpl\ndef convert(source, request, context):\n"
    + "    text = source.read_bytes().decode()\n"
    + "    if text.startswith('hang'):\n        time.sleep(600)\n"
    + "    if text.startswith('segfault'):\n        ctypes.string_at(0)\n"
    + "    while text.startswith('leak'):\n        KEPT.append(bytes(16_000_000))\n        time.sleep(0.01)\n"
    + "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text),), paginated=False)\n"
)


@pytest.fixture
def settings():
    """Cares for nothing but what a test sets: this machine may be at its limits for reasons of its own."""
    calm = CareSettings(memory_stop=101.0, memory_go=100.0, load_stop=1e6, load_go=1e5, heat_stop=1e6, disk_floor=0)
    return Settings(
        workers=2,
        limits=SandboxLimits(wall_seconds=10.0),
        engine=EngineSettings(care=calm, retries=RetrySettings(first_delay=0.05)),
    )


@pytest.fixture
def library(make_plugin, tmp_path, settings):
    make_plugin("plain", PLAIN)
    with Library.open(tmp_path / "library", settings=settings) as opened:
        yield opened


@pytest.fixture
def told(library):
    events = []
    library.engine.events.subscribe(events.append)
    return events


def documents(folder, number, *, text="Note {}"):
    folder.mkdir(exist_ok=True)
    paths = []
    for serial in range(number):
        path = folder / f"{serial:04}.txt"
        path.write_text(text.format(serial))
        paths.append(path)
    return paths


def run(library, sources, **options):
    return list(library.ingest_many(sources, plugin="plain", **options))


def of(told, kind):
    return [event for event in told if isinstance(event, kind)]


def check(library):
    assert library.context.index.jobs.open_jobs() == ()
    assert verify(library.context.artifacts, library.context.index, read_contents=True).is_clean


def test_a_run_tells_what_it_does_and_what_it_came_to(library, told, tmp_path):
    paths = documents(tmp_path / "in", 7)
    run(library, paths)
    [started], [finished] = of(told, RunStarted), of(told, RunFinished)
    assert (started.total, started.commit_policy) == (7, "each document separately")
    assert (finished.run_id, finished.done, finished.stopped) == (started.run_id, 7, False)
    assert finished.degraded == ()
    assert Counter(event.state for event in of(told, JobEnded)) == {IngestionState.COMPLETE: 7}
    assert {event.run_id for event in of(told, JobClaimed)} == {started.run_id}
    bottleneck = library.engine.bottleneck()
    assert bottleneck.step in (StepName.CONVERT, StepName.INDEX_WRITE)
    assert str(bottleneck) == finished.bottleneck
    check(library)


def test_a_long_run_is_committed_in_groups(library, told, tmp_path):
    """ENG-14: 150 documents are 50 to a group; the claims of the next go with the endings of the last."""
    run(library, documents(tmp_path / "in", 150))
    assert of(told, RunStarted)[0].commit_policy == "50 documents or 5 s"
    groups = [event.operations for event in of(told, Committed)]
    assert len(groups) < 30
    assert max(groups) >= 20
    check(library)
    for document in library.documents()[:3]:
        assert (
            '"complete"'
            in library.context.artifacts.read(f"store:by_hash/{document.raw_hash}/processing_log.json").decode()
        )


def test_copies_in_one_run_are_converted_once(library, told, tmp_path):
    """ENG-22: the second finds the first one's result, also while that one is still at work."""
    paths = documents(tmp_path / "in", 30, text="the same")
    done = run(library, paths)
    assert sorted(item.reused for item in done) == [False] + [True] * 29
    [document] = library.documents()
    assert len(document.paths) == 30
    assert len(of(told, JobEnded)) == 1
    check(library)


def test_two_runs_at_once_share_the_work(library, tmp_path):
    paths = documents(tmp_path / "in", 40)
    done = [[], []]
    threads = [threading.Thread(target=lambda into=into: into.extend(run(library, paths))) for into in done]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(results) for results in done] == [40, 40]
    assert sum(not item.reused for results in done for item in results) == 40
    assert all(len(document.versions) == 1 for document in library.documents())
    check(library)


def test_a_run_that_is_left_lets_go_of_what_it_had_claimed(library, tmp_path):
    paths = documents(tmp_path / "in", 60)
    answers = library.ingest_many(paths, plugin="plain")
    next(answers)
    answers.close()
    assert all(job.owner is None for job in library.context.index.jobs.open_jobs())
    run(library, paths)
    assert len(library.documents()) == 60
    check(library)


def test_a_run_that_is_cancelled_answers_for_every_source(library, told, tmp_path):
    stop = threading.Event()
    paths = documents(tmp_path / "in", 80)
    done = []
    for item in library.ingest_many(paths, plugin="plain", cancel=stop):
        done.append(item)
        stop.set()
    assert sorted(item.source for item in done) == [str(path) for path in paths]
    said = Counter(item.result.ingestion_status for item in done)
    assert said["complete"] + said["hard_failed"] == 80
    assert said["hard_failed"] > 0
    assert of(told, RunFinished)[0].stopped
    run(library, paths)
    assert len(library.documents()) == 80
    check(library)


def test_a_run_without_sources_ends(library, told):
    assert run(library, []) == []
    assert of(told, RunFinished)[0].bottleneck is None


def test_sources_are_read_as_the_run_goes(library, tmp_path):
    """A folder of a million files is walked, not listed: at any time the run has asked for one batch more than it gave."""
    folder = tmp_path / "in"
    known = documents(folder, 1)
    run(library, known)
    asked = 0

    def endless():
        nonlocal asked
        for number in itertools.count(1):
            asked = number
            yield known[0]

    answers = library.ingest_many(endless(), plugin="plain")
    for number, item in enumerate(answers, start=1):
        assert item.reused
        assert asked - number <= 1000
        if number == 5000:
            break
    answers.close()


def test_a_path_that_vanishes_between_hash_and_read_fails_alone(library, tmp_path):
    paths = documents(tmp_path / "in", 40)
    answers = library.ingest_many(paths, plugin="plain")
    done = [next(answers)]
    gone = paths[-1]
    gone.unlink()
    done += answers
    by_source = {item.source: item for item in done}
    assert by_source[str(gone)].result.failure_receipts[0].reason_code == "source_missing"
    assert sum(item.result.ingestion_status == "complete" for item in done) == 39
    check(library)
    gone.write_text("Note 39")
    [again] = run(library, [gone])
    assert (again.result.ingestion_status, again.reused) == ("complete", False)


def test_a_file_that_is_replaced_between_hash_and_read_is_taken_in_as_it_is_then(library, tmp_path):
    paths = documents(tmp_path / "in", 40)
    answers = library.ingest_many(paths, plugin="plain")
    done = [next(answers)]
    paths[-1].write_text("other words")
    done += answers
    assert {item.result.ingestion_status for item in done} == {"complete"}
    assert library.document(str(paths[-1])).page(1).text == "other words"
    check(library)


def test_a_file_that_changes_while_it_is_read_is_refused(library, make_plugin, tmp_path):
    path = tmp_path / "growing.txt"
    path.write_text("Note")
    make_plugin("slow", PLAIN.replace("    return", "    time.sleep(1.0)\n    return"))
    with Library.open(library.path, settings=library.context.runtime.settings) as opened:
        started = threading.Event()
        opened.engine.events.subscribe(lambda event: started.set() if isinstance(event, JobClaimed) else None)
        writing = threading.Thread(
            target=lambda: (started.wait(10), time.sleep(0.3), path.write_text("Note, and more"))
        )
        writing.start()
        [item] = opened.ingest_many([path], plugin="slow")
        writing.join()
        assert item.result.failure_receipts[0].reason_code == "source_changed"
        check(opened)


def test_a_log_that_a_crash_kept_from_being_written_is_written_at_the_next_opening(library, tmp_path, settings):
    """ENG-2: the index has the truth; the log is its projection, and follows it."""
    paths = documents(tmp_path / "in", 3)
    run(library, paths)
    raw_hash = library.documents()[0].raw_hash
    log = library.context.artifacts.path(f"store:by_hash/{raw_hash}/processing_log.json")
    before = log.read_bytes()
    log.unlink()
    (library.path / "tmp" / "gone-1-00000000").mkdir()  # what a killed owner leaves
    with Library.open(library.path, settings=settings):
        assert log.read_bytes() == before


def test_names_that_are_not_utf8_go_through_a_run(library, tmp_path):
    folder = os.fsencode(tmp_path / "in")
    os.mkdir(folder)
    names = [b"caf\xe9.txt", b"\xff\xfe.txt", "naïve 文.txt".encode()]
    for number, name in enumerate(names):
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(b"Note %d" % number)
    done = run(library, sorted((tmp_path / "in").iterdir()))
    assert {item.result.ingestion_status for item in done} == {"complete"}
    check(library)


def test_a_tool_that_is_not_there_lets_documents_wait_and_they_go_on_when_it_comes(
    make_plugin, tmp_path, settings, monkeypatch
):
    """ENG-7: the job stays open, with what it waits for; ENG-10: it is resumed, not begun anew."""
    program = tmp_path / "bin" / "the-missing-program"
    make_plugin("needy", PLAIN, more='[[plugin.system]]\ncommand = "the-missing-program"\ninstall = "apt install it"\n')
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    paths = documents(tmp_path / "in", 3)
    with Library.open(tmp_path / "library", settings=settings) as library:
        told = []
        library.engine.events.subscribe(told.append)
        done = list(library.ingest_many(paths, plugin="needy"))
        assert {item.result.failure_receipts[0].reason_code for item in done} == {"tool_unavailable"}
        assert {job.waiting_reason for job in library.context.index.jobs.open_jobs()} == {"tool_unavailable"}
        assert [event.reason for event in of(told, JobWaiting)] == ["tool_unavailable"] * 3
        assert of(told, RunFinished)[0].degraded == ("3 documents wait: tool_unavailable",)
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        time.sleep(1.1)  # what is installed is looked at once a second
        done = list(library.ingest_many(paths, plugin="needy"))
        assert {item.result.ingestion_status for item in done} == {"complete"}
        assert {
            job.claims
            for document in library.documents()
            for job in library.context.index.jobs.of_hash(document.raw_hash)
        } == {2}
        check(library)


def test_a_disk_that_is_full_for_a_moment_is_tried_again(library, told, tmp_path, monkeypatch):
    """ENG-7: storage_exhausted may pass; the job goes back to its last step and is tried again, three times in all."""
    real = ArtifactStore.put_version
    failures = iter([True, True])

    def full_twice(self, *args, **options):
        if next(failures, False):
            raise StorageExhausted("the disk is full")
        return real(self, *args, **options)

    monkeypatch.setattr(ArtifactStore, "put_version", full_twice)
    [item] = run(library, documents(tmp_path / "in", 1))
    assert item.result.ingestion_status == "complete"
    assert [(event.reason, event.attempt, event.of) for event in of(told, RetryPlanned)] == [
        ("storage_exhausted", 1, 3),
        ("storage_exhausted", 2, 3),
    ]
    [job] = library.context.index.jobs.of_hash(library.documents()[0].raw_hash)
    assert job.attempts == 3
    tries = [entry.after for entry in library.context.index.jobs.transitions(job.job_id)].count(
        IngestionState.CONVERSION_FAILED
    )
    assert tries == 2
    check(library)


def test_a_disk_that_stays_full_ends_the_run_and_the_job_waits(library, tmp_path, monkeypatch):
    def full(self, *args, **options):
        raise StorageExhausted("the disk is full")

    monkeypatch.setattr(ArtifactStore, "put_version", full)
    paths = documents(tmp_path / "in", 3)
    with pytest.raises(StorageError, match="the disk is full"):
        run(library, paths)
    assert all(job.owner is None for job in library.context.index.jobs.open_jobs())
    assert "storage_exhausted" in {job.waiting_reason for job in library.context.index.jobs.open_jobs()}
    monkeypatch.undo()
    assert {item.result.ingestion_status for item in run(library, paths)} == {"complete"}
    check(library)


def test_a_clock_that_jumps_back_changes_the_order_of_nothing(library, tmp_path):
    """Transitions are ordered by their numbers; a lease that seems to last for ever is still its dead owner's."""
    paths = documents(tmp_path / "in", 4)
    run(library, paths[:2])
    library.context.index._clock = lambda: datetime.now(UTC) - timedelta(days=400)
    run(library, paths[2:])
    document = library.document(str(paths[0]))
    document.reconvert(plugin="plain")
    assert [version.version for version in library.document(document.id).versions] == [1, 2]
    assert library.document(document.id)._record.active_version == 2
    for job in library.context.index.jobs.of_hash(document.raw_hash):
        log = library.context.index.jobs.transitions(job.job_id)
        assert [entry.seq for entry in log] == list(range(len(log)))
    check(library)


def test_among_two_hundred_a_converter_hangs_one_crashes_one_and_leaks_one(make_plugin, tmp_path, settings):
    """200 done, 3 with the right reason, and no more time than the one that hangs is given."""
    make_plugin("wild", WILD)
    paths = documents(tmp_path / "in", 200)
    for name in ("hang", "segfault", "leak"):
        path = tmp_path / "in" / f"{name}.txt"
        path.write_text(f"{name}\n")
        paths.insert(70, path)
    limits = SandboxLimits(wall_seconds=8.0, memory_mb=256)
    with Library.open(tmp_path / "library", settings=replace(settings, limits=limits)) as library:
        done = list(library.ingest_many(paths, plugin="wild"))
        said = {os.path.basename(item.source): item.result for item in done}
        good = [result for name, result in said.items() if name[0].isdigit()]
        assert [result.ingestion_status for result in good] == ["complete"] * 200
        reasons = {name: said[f"{name}.txt"].failure_receipts[0].reason_code for name in ("hang", "segfault", "leak")}
        assert reasons == {"hang": "conversion_timeout", "segfault": "converter_crashed", "leak": "memory_exceeded"}
        assert len(of_intent(library, Intent.INGEST)) == 203
        check(library)


def of_intent(library, intent):
    return [
        job
        for document in library.documents()
        for job in library.context.index.jobs.of_hash(document.raw_hash)
        if job.intent is intent
    ]
