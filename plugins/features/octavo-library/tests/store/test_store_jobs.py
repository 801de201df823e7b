"""Jobs: strict transitions, claims, the log (ENG-2, ENG-3, ENG-4, ENG-6, ENG-7, ENG-22, ENG-27)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from octavo_contracts import HardFailReason, IllegalTransition, IngestionState, Intent, UsageError
from octavo_library.storage import Index, NewJob, Step

S = IngestionState
Hasher = Callable[[str], str]


def test_a_job_starts_registered_and_claimed(index: Index, raw_hash: Hasher) -> None:
    started = index.jobs.start(NewJob(raw_hash=raw_hash("one"), engine_set="e1", request_json="{}"), owner="me")
    assert started.is_new
    assert (started.job.state, started.job.owner, started.job.claims) == (S.REGISTERED, "me", 1)
    assert index.jobs.get(started.job.job_id) == started.job
    assert index.jobs.open_jobs() == (started.job,)


def test_the_first_steps_can_be_made_with_the_start(index: Index, raw_hash: Hasher, begin: tuple[S, ...]) -> None:
    job = index.jobs.start(NewJob(raw_hash=raw_hash("one"), steps=begin), owner="me").job
    assert (job.state, job.seq, job.attempts) == (S.CONVERSION_PENDING, 3, 1)
    assert [entry.after for entry in index.jobs.transitions(job.job_id)] == [S.REGISTERED, *begin]
    assert index.jobs.transitions(job.job_id)[0].before is None


def test_a_start_that_is_no_way_leaves_nothing(index: Index, raw_hash: Hasher) -> None:
    with pytest.raises(IllegalTransition, match="registered"):
        index.jobs.start(NewJob(raw_hash=raw_hash("one"), steps=(S.CONVERTED,)), owner="me")
    assert index.jobs.open_jobs() == ()


def test_the_same_work_is_not_begun_twice(index: Index, raw_hash: Hasher) -> None:
    """ENG-22: the second surface is given the first one's job."""
    first = index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner="me").job
    again = index.jobs.start(NewJob(raw_hash=raw_hash("one"), source_instance_id="other"), owner="you")
    assert again == (first, False)
    reconvert = index.jobs.start(NewJob(raw_hash=raw_hash("one"), intent=Intent.RECONVERT), owner="you")
    assert reconvert.is_new


def test_extraction_is_work_of_its_own_for_each_way_in(index: Index, raw_hash: Hasher) -> None:
    """ENG-3: extraction is per corpus membership, conversion is not."""
    new = NewJob(raw_hash=raw_hash("one"), intent=Intent.EXTRACT, source_instance_id="a")
    starts = index.jobs.start_many([new, replace(new, source_instance_id="b"), new], owner="me")
    assert [start.is_new for start in starts] == [True, True, False]


def test_jobs_without_bytes_do_not_exclude_each_other(index: Index) -> None:
    starts = index.jobs.start_many([NewJob(raw_hash=None), NewJob(raw_hash=None)], owner="me")
    assert [start.is_new for start in starts] == [True, True]


def test_a_finished_job_makes_way_for_a_new_one(index: Index, librarian: Any) -> None:
    """ENG-3: terminal states are final; trying again is a new job."""
    first = librarian.finish(librarian.start("one"), "one")
    assert first.state is S.COMPLETE
    assert first.owner is None
    second = librarian.finish(librarian.start("one", intent=Intent.RECONVERT), "one")
    third = librarian.start("one", intent=Intent.RECONVERT)
    assert len({first.job_id, second.job_id, third.job_id}) == 3


def test_what_was_finished_a_moment_ago_is_not_ingested_again(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """ENG-22: between a look at the hashes and the start of the job, another surface may have finished it."""
    assert index.documents.find_by_hash([raw_hash("one")]) == {}
    done = librarian.finish(librarian.start("one"), "one")
    new = NewJob(raw_hash=raw_hash("one"), unless_converted=True)
    assert index.jobs.start(new, owner="you") == (done, False)
    assert index.jobs.open_jobs() == ()
    assert index.jobs.of_hash(raw_hash("one")) == (done,)


def test_what_failed_may_be_ingested_again(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """ENG-6: never by itself, but whoever starts it again is not refused."""
    librarian.fail(librarian.start("one"), "one", HardFailReason.CONVERSION_TIMEOUT)
    assert index.jobs.start(NewJob(raw_hash=raw_hash("one"), unless_converted=True), owner="me").is_new


def test_several_transitions_are_logged_in_order(index: Index, raw_hash: Hasher, begin: tuple[S, ...]) -> None:
    """ENG-27: an entry has step, start, end, outcome, cost, error, tool."""
    job = index.jobs.start(NewJob(raw_hash=raw_hash("one")), owner="me").job
    job = index.jobs.advance(job, *begin)
    step = Step(
        state=S.CONVERTED, step="convert", started_at="t0", ended_at="t1", outcome="ok", cost=0.5, tool="pdfium 5.15"
    )
    job = index.jobs.advance(job, step, S.CLASSIFIED, Step(state=S.SUMMARIZED, skipped=True))
    assert job.state is S.SUMMARIZED
    entries = index.jobs.transitions(job.job_id)
    assert [entry.seq for entry in entries] == list(range(7))
    assert entries[4].details == {
        "step": "convert",
        "start": "t0",
        "end": "t1",
        "outcome": "ok",
        "cost": 0.5,
        "error": None,
        "tool": "pdfium 5.15",
    }
    assert (entries[6].before, entries[6].after, entries[6].skipped) == (S.CLASSIFIED, S.SUMMARIZED, True)
    assert entries[6].details["outcome"] == "skipped"


def test_an_illegal_transition_changes_nothing(index: Index, librarian: Any) -> None:
    """ENG-3: strict; also when only the last of several steps is illegal."""
    job = librarian.start("one")
    with pytest.raises(IllegalTransition, match="from classified to indexed"):
        index.jobs.advance(job, S.CONVERTED, S.CLASSIFIED, S.INDEXED)
    assert index.jobs.get(job.job_id) == job
    assert len(index.jobs.transitions(job.job_id)) == 4


def test_a_final_job_does_not_move(index: Index, librarian: Any) -> None:
    done = librarian.finish(librarian.start("one"), "one")
    with pytest.raises(IllegalTransition, match="terminal"):
        index.jobs.advance(done, S.CONVERSION_PENDING)
    assert index.jobs.claim(done, owner="you") is None


def test_hard_failed_is_not_entered_without_its_reason(index: Index, librarian: Any) -> None:
    with pytest.raises(ValueError, match="through complete"):
        index.jobs.advance(librarian.start("one"), S.HARD_FAILED)


def test_who_holds_an_outdated_job_changes_nothing(index: Index, librarian: Any) -> None:
    """ENG-4: compare and set; a host that was taken for dead finds its job gone."""
    mine = librarian.start("one")
    theirs = index.jobs.claim(mine, owner="you")
    assert theirs is not None
    with pytest.raises(IllegalTransition, match="was taken over: it is in conversion_pending, owned by you"):
        index.jobs.advance(mine, S.CONVERTED)
    with pytest.raises(IllegalTransition, match="was taken over"):
        index.jobs.release(mine)
    assert index.jobs.advance(theirs, S.CONVERTED).state is S.CONVERTED
    with pytest.raises(
        IllegalTransition, match="it is in converted, owned by you; expected conversion_pending, owned by you"
    ):
        index.jobs.advance(theirs, S.CONVERTED)


def test_of_two_claims_one_wins(index: Index, librarian: Any) -> None:
    job = librarian.start("one")
    first, second = index.jobs.claim(job, owner="a"), index.jobs.claim(job, owner="b")
    assert first is not None
    assert (first.owner, first.claims, second) == ("a", 2, None)


def test_retries_are_counted(index: Index, librarian: Any) -> None:
    """ENG-7: retries are bounded, so each try is counted."""
    job = librarian.start("one")
    for _ in range(2):
        job = index.jobs.advance(job, S.CONVERSION_FAILED, S.CONVERSION_PENDING)
    assert job.attempts == 3


def test_a_try_that_its_own_host_stopped_is_given_back(index: Index, librarian: Any) -> None:
    """ENG-7: only what the document or its tool may have ended counts against it."""
    job = index.jobs.advance(librarian.start("one"), S.CONVERSION_FAILED, S.CONVERSION_PENDING)
    given = index.jobs.give_back(job)
    assert (given.state, given.owner, given.attempts) == (S.CONVERSION_FAILED, None, 1)
    assert index.jobs.get(job.job_id) == given
    assert index.jobs.transitions(job.job_id)[-1].details["outcome"] == "stopped"
    with pytest.raises(IllegalTransition):
        index.jobs.give_back(given)


def test_a_job_waits_for_a_tool_in_its_pending_state(index: Index, librarian: Any) -> None:
    """ENG-7: tool_unavailable keeps the job where it is."""
    job = index.jobs.release(librarian.start("one"), waiting_reason=HardFailReason.TOOL_UNAVAILABLE)
    assert (job.state, job.owner, job.waiting_reason) == (S.CONVERSION_PENDING, None, "tool_unavailable")
    assert index.jobs.get(job.job_id) == job
    taken = index.jobs.claim(job, owner="you")
    assert taken is not None
    assert (taken.owner, taken.waiting_reason) == ("you", None)


def test_renewal_prolongs_every_claim_of_an_owner(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    one = librarian.start("one", lease_seconds=1)
    other = index.jobs.start(NewJob(raw_hash=raw_hash("two")), owner="somebody").job
    assert index.jobs.renew(owner=librarian.store.owner, lease_seconds=3600) == 1
    assert (index.jobs.get(one.job_id).lease_until or "") > (one.lease_until or "")
    assert index.jobs.get(other.job_id) == other


def test_an_unknown_job_is_a_usage_error(index: Index) -> None:
    with pytest.raises(UsageError, match="there is no job 'x'"):
        index.jobs.get("x")


def test_the_processing_log_is_the_transitions_of_every_job(index: Index, librarian: Any, raw_hash: Hasher) -> None:
    """ENG-2: `processing_log.json` is a projection of the log."""
    first = librarian.finish(librarian.start("one"), "one")
    second = librarian.start("one", intent=Intent.RECONVERT)
    log = json.loads(index.jobs.processing_log(raw_hash("one")))
    assert log["raw_hash"] == raw_hash("one")
    assert [(job["job_id"], job["intent"], job["state"]) for job in log["jobs"]] == [
        (first.job_id, "ingest", "complete"),
        (second.job_id, "reconvert", "conversion_pending"),
    ]
    entry = log["jobs"][0]["entries"][6]
    assert (entry["from"], entry["to"], entry["skipped"], entry["step"]) == (
        "classified",
        "summarized",
        True,
        "summarized",
    )
    assert [job.job_id for job in index.jobs.of_hash(raw_hash("one"))] == [first.job_id, second.job_id]
