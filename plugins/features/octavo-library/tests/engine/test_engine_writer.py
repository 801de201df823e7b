"""The one writer: groups, each write whole or not at all, nothing lost at the end (ENG-4, ENG-14)."""

from __future__ import annotations

import threading
import time

import pytest
from octavo.settings.commit_policy import CommitPolicy
from octavo.settings.engine import CommitSteps
from octavo_contracts import IngestionState, StorageError, UsageError
from octavo_library.ingestion.commit_queue import CommitQueue
from octavo_library.ingestion.events import Committed, EventHub
from octavo_library.storage import ArtifactStore, Index, NewJob, library_url


@pytest.fixture
def index(tmp_path):
    with ArtifactStore(tmp_path), Index(library_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
def commits():
    return []


@pytest.fixture
def writer(index, commits):
    events = EventHub()
    events.subscribe(lambda event: commits.append(event.operations) if isinstance(event, Committed) else None)
    made = CommitQueue(index, events=events)
    yield made
    made.close()


def job(name):
    return lambda index: index.jobs.start(NewJob(raw_hash=name * 64), owner="me")


@pytest.mark.parametrize(
    ("documents", "policy"),
    [
        (1, CommitPolicy(size=1, seconds=0.0)),
        (99, CommitPolicy(size=1, seconds=0.0)),
        (100, CommitPolicy(size=50, seconds=5.0)),
        (1000, CommitPolicy(size=50, seconds=5.0)),
        (1001, CommitPolicy(size=100, seconds=10.0)),
    ],
)
def test_the_longer_a_run_the_larger_its_groups(documents, policy):
    assert CommitSteps().of(documents) == policy


def test_policies_are_told_in_words():
    assert str(CommitSteps().of(10)) == "each document separately"
    assert str(CommitSteps().of(500)) == "50 documents or 5 s"


def test_what_nobody_waits_for_goes_in_with_what_somebody_does(writer, commits):
    writer.policy = CommitPolicy(size=50, seconds=60.0)
    lazy = [writer.submit(job(name), urgent=False) for name in "abc"]
    assert not any(answer.done() for answer in lazy)
    writer.call(job("d"))
    assert all(answer.result(1).is_new for answer in lazy)
    assert commits == [4]


def test_a_full_group_is_committed_without_anybody_waiting(writer, commits):
    writer.policy = CommitPolicy(size=3, seconds=60.0)
    answers = [writer.submit(job(name), urgent=False) for name in "abc"]
    assert [answer.result(5).is_new for answer in answers] == [True] * 3
    assert commits == [3]


def test_a_group_that_does_not_fill_is_committed_after_its_time(writer):
    writer.policy = CommitPolicy(size=50, seconds=0.1)
    started = time.monotonic()
    writer.submit(job("a"), urgent=False).result(5)
    assert 0.05 < time.monotonic() - started < 3.0


def test_a_write_that_fails_fails_alone(writer, index):
    writer.policy = CommitPolicy(size=50, seconds=60.0)
    good = writer.submit(job("a"), urgent=False)

    def half(index):
        index.jobs.start(NewJob(raw_hash="b" * 64), owner="me")
        index.jobs.get("nothing of the kind")

    bad = writer.submit(half, urgent=False)
    writer.flush()
    assert good.result(5).is_new
    with pytest.raises(UsageError):
        bad.result(5)
    assert [job.raw_hash for job in index.jobs.open_jobs()] == ["a" * 64]


def test_closing_commits_what_is_pending_and_takes_nothing_more(writer, index):
    writer.policy = CommitPolicy(size=50, seconds=60.0)
    answer = writer.submit(job("a"), urgent=False)
    writer.close()
    assert answer.result(0).job.state is IngestionState.REGISTERED
    with pytest.raises(StorageError, match="is closed"):
        writer.submit(job("b"))


def test_many_threads_share_transactions(writer, commits, index):
    threads = [
        threading.Thread(
            target=lambda n=n: writer.call(lambda index: index.jobs.start(NewJob(raw_hash=f"{n:064x}"), owner="me"))
        )
        for n in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(commits) == len(index.jobs.open_jobs()) == 40
    assert len(commits) < 40


def test_items_of_a_batch_write_are_written_by_one_call(writer, commits):
    writer.policy = CommitPolicy(size=50, seconds=60.0)
    calls = []

    def start_all(index, names):
        calls.append(list(names))
        return index.jobs.start_many([NewJob(raw_hash=name * 64) for name in names], owner="me")

    answers = [writer.submit_item(name, start_all, urgent=False) for name in "abc"]
    writer.call(job("d"))
    assert [answer.result(5).job.raw_hash for answer in answers] == ["a" * 64, "b" * 64, "c" * 64]
    assert (calls, commits) == ([["a", "b", "c"]], [4])


def test_an_item_that_cannot_be_written_fails_alone(writer, index):
    writer.policy = CommitPolicy(size=50, seconds=60.0)

    def start_all(index, names):
        started = index.jobs.start_many([NewJob(raw_hash=name * 64) for name in names], owner="me")
        if "b" in names:
            index.jobs.get("nothing of the kind")
        return started

    answers = [writer.submit_item(name, start_all, urgent=False) for name in "abc"]
    writer.flush()
    assert answers[0].result(5).is_new
    assert answers[2].result(5).is_new
    with pytest.raises(UsageError):
        answers[1].result(5)
    assert sorted(job.raw_hash for job in index.jobs.open_jobs()) == ["a" * 64, "c" * 64]
