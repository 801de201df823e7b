"""Document, corpus and run are counted from one state, so that they cannot contradict each other (ENG-17)."""

from __future__ import annotations

import json
import threading
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import HardFailReason, IngestionState, UsageError
from octavo_library.storage import (
    CompletedJob,
    DocumentState,
    JobFailure,
    NewJob,
    NewRun,
    Phase,
    PolicyContext,
    Provenance,
    ReuseEvent,
    RunCounts,
    Status,
    Step,
    document_id_for,
)

S = IngestionState
DEGRADED_END = (S.CONVERTED, S.CLASSIFIED, S.SUMMARIZED, S.INDEXED, S.EXTRACTION_PENDING, S.EXTRACTED, S.VERIFIED)
RUN = NewRun(surface="corpus")


def added(statuses: list[Status]) -> Status:
    """What several documents come to together."""

    def total(name: str) -> dict:
        return dict(sum((Counter(getattr(one, name)) for one in statuses), Counter()))

    phases = {phase: sum(one.phases[phase] for one in statuses) for phase in Phase}
    return Status(
        documents=len(statuses),
        standing=total("standing"),
        failures=total("failures"),
        waiting=total("waiting"),
        phases=phases,
    )


class Desk:
    """Takes documents through a run in one of the ways that a document can go."""

    def __init__(self, librarian, begin, raw_hash) -> None:
        self.librarian, self.begin, self.hash_of = librarian, begin, raw_hash
        self.index, self.store = librarian.index, librarian.store

    def job(self, text: str, run: str | None):
        request = json.dumps({"path": f"file:/in/{text}"})
        new = NewJob(raw_hash=self.hash_of(text), steps=self.begin, run_id=run, request_json=request)
        return self.index.jobs.start(new, owner=self.store.owner).job

    def sighting(self, text: str, run: str | None, corpus: str | None) -> Provenance:
        return Provenance(path=f"file:/in/{text}", corpus_id=corpus, run_id=run)

    def take(self, way: str, text: str, run: str | None, corpus: str | None) -> None:
        sighting = self.sighting(text, run, corpus)
        known = self.index.documents.find_by_hash([self.hash_of(text)]).get(self.hash_of(text))
        if known is not None and known.active_version is not None:
            self.index.jobs.record_reuse([ReuseEvent(document_id=known.document_id, sighting=sighting)])
            return
        job = self.job(text, run)
        if way == "complete":
            self.librarian.finish(job, text, sighting=sighting)
        elif way == "degraded":
            end = (*DEGRADED_END, S.WRITTEN, S.DEGRADED_COMPLETE)
            self.librarian.finish(job, text, sighting=sighting, end=end)
        elif way == "failed":
            steps = (S.CONVERSION_FAILED,)
            self.librarian.fail(job, text, HardFailReason.SOURCE_CORRUPT, steps=steps, sighting=sighting)
        elif way == "waiting":
            self.index.jobs.release(job, waiting_reason=HardFailReason.TOOL_UNAVAILABLE)
        elif way == "interrupted":
            self.index.jobs.release(job)
        # "in_progress": the job stays claimed


WAYS = ("complete", "degraded", "failed", "waiting", "interrupted", "in_progress")
STANDS = {name: DocumentState(name) for name in WAYS}


@pytest.fixture
def desk(librarian, begin, raw_hash) -> Desk:
    return Desk(librarian, begin, raw_hash)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 999)), max_size=8, unique_by=lambda one: one[1]),
    seed=st.integers(0, 10**9),
)
def test_a_corpus_and_a_run_are_the_sum_of_their_documents(desk, data, seed):
    """Whatever documents went through, both levels equal what a person would count from the documents."""
    corpus = desk.index.corpora.create(f"corpus {seed} {desk.index.runs.all(limit=1000).__len__()}").corpus_id
    run = desk.index.runs.start(NewRun(surface="corpus", corpus_id=corpus), owner=desk.store.owner)
    texts = [(way, f"{run} {number}") for way, number in data]
    for way, text in texts:
        desk.take(way, text, run, corpus)
    expected = Counter(STANDS[way] for way, _ in texts)
    of_run, of_corpus = desk.index.status.of_run(run), desk.index.status.of_corpus(corpus)
    assert of_run == of_corpus
    assert of_run.standing == dict(expected)
    documents = [
        document_id_for(desk.hash_of(text)) for way, text in texts if way in ("complete", "degraded", "failed")
    ]
    alone = added([desk.index.status.of_document(document) for document in documents])
    done = {
        name: of_run.standing.get(name, 0)
        for name in (DocumentState.COMPLETE, DocumentState.DEGRADED, DocumentState.FAILED)
    }
    assert {name: alone.standing.get(name, 0) for name in done} == done
    assert alone.failures == of_run.failures
    assert of_run.phases[Phase.REGISTERED] == len(texts)
    assert of_run.phases[Phase.SHALLOW] == alone.phases[Phase.SHALLOW] == alone.phases[Phase.DEEP]


def test_what_waits_is_counted_by_what_it_waits_for(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.take("waiting", "one", run, None)
    status = desk.index.status.of_run(run)
    assert (status.standing, status.waiting) == ({DocumentState.WAITING: 1}, {"tool_unavailable": 1})


def test_a_failed_document_that_is_tried_again_is_in_progress(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.take("failed", "one", run, None)
    document = document_id_for(desk.hash_of("one"))
    job = desk.job("one", None)
    assert desk.index.status.of_document(document).standing == {DocumentState.IN_PROGRESS: 1}
    desk.index.jobs.release(job, waiting_reason=HardFailReason.AUTH_UNAVAILABLE)
    assert desk.index.status.of_document(document).waiting == {"auth_unavailable": 1}
    job = desk.index.jobs.claim(desk.index.jobs.get(job.job_id), owner=desk.store.owner)
    desk.index.jobs.release(job)
    assert desk.index.status.of_document(document).standing == {DocumentState.INTERRUPTED: 1}


def test_a_document_that_can_be_read_stands_as_it_is_while_it_is_reconverted(desk):
    desk.take("complete", "one", None, None)
    new = NewJob(raw_hash=desk.hash_of("one"), intent="reconvert", steps=desk.begin)
    desk.index.jobs.start(new, owner=desk.store.owner)
    assert desk.index.status.of_document(document_id_for(desk.hash_of("one"))).standing == {DocumentState.COMPLETE: 1}


def test_a_source_that_could_not_be_read_counts_in_its_run_only(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    job = desk.index.jobs.start(NewJob(raw_hash=None, run_id=run), owner=desk.store.owner).job
    failure = JobFailure(reason=HardFailReason.SOURCE_MISSING)
    sighting = Provenance(path="file:/gone", run_id=run)
    desk.index.jobs.complete([CompletedJob(job=job, failure=failure, sighting=sighting)])
    assert desk.index.status.of_run(run).failures == {"source_missing": 1}
    (case,) = desk.index.runs.open_cases(run)
    assert (case.path, case.document_id, case.raw_hash, case.reason) == ("file:/gone", None, None, "source_missing")


def test_counts_of_a_run_stay_as_they_were_and_its_status_follows_the_documents(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.take("failed", "one", run, None)
    desk.take("failed", "one", None, None)
    desk.librarian.finish(desk.job("one", None), "one", sighting=desk.sighting("one", None, None))
    assert desk.index.runs.counts([run])[run] == RunCounts(failed=1, failures={HardFailReason.SOURCE_CORRUPT: 1})
    assert desk.index.status.of_run(run).standing == {DocumentState.COMPLETE: 1}
    assert desk.index.runs.open_cases(run) == ()


def test_work_that_another_run_finished_counts_there(desk):
    first = desk.index.runs.start(RUN, owner=desk.store.owner)
    second = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.take("interrupted", "one", first, None)
    assert [case.reason for case in desk.index.runs.open_cases(first)] == ["interrupted"]
    (job,) = desk.index.jobs.open_jobs()
    claimed = desk.index.jobs.claim(job, owner=desk.store.owner)
    desk.librarian.finish(claimed, "one", sighting=desk.sighting("one", second, None))
    counts = desk.index.runs.counts([first, second])
    assert (counts[first].done, counts[second].done) == (0, 1)
    assert desk.index.status.of_run(first).standing == {DocumentState.COMPLETE: 1}


def test_recovered_work_counts_in_the_run_that_began_it(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    job = desk.job("one", run)
    desk.librarian.finish(job, "one", sighting=desk.sighting("one", None, None))
    assert desk.index.runs.counts([run])[run] == RunCounts(complete=1)


def test_steps_of_a_run_are_counted_in_the_order_of_the_states(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.take("complete", "one", run, None)
    desk.take("failed", "two", run, None)
    steps = {step.state: (step.entered, step.skipped) for step in desk.index.runs.steps(run)}
    assert list(steps) == [state for state in S if state in steps]
    assert (steps[S.REGISTERED], steps[S.SUMMARIZED], steps[S.HARD_FAILED]) == ((2, 0), (1, 1), (1, 0))


def test_costs_are_those_that_the_steps_tell(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    end = (Step(state=S.CONVERTED, cost=0.5), S.CLASSIFIED, Step(state=S.SUMMARIZED, cost=0.25), *DEGRADED_END[3:])
    desk.librarian.finish(desk.job("one", run), "one", end=(*end, S.WRITTEN, S.COMPLETE))
    desk.take("complete", "two", run, None)
    assert sorted(desk.index.runs.costs(run)) == [0.0, 0.75]


def test_a_policy_counts_what_came_in_under_it(desk):
    secret = PolicyContext(visibility="firewalled")
    desk.librarian.convert("one", sighting=Provenance(path=None, policy=secret))
    desk.librarian.convert("two", sighting=Provenance(path=None))
    assert desk.index.status.of_policy(secret).documents == 1
    assert desk.index.status.of_policy(PolicyContext()).documents == 1


def test_a_run_ends_once(desk):
    run = desk.index.runs.start(RUN, owner=desk.store.owner)
    desk.index.runs.end(run, "stopped", total=3, not_attempted=2, bottleneck="convert")
    desk.index.runs.end(run, "finished", total=9)
    record = desk.index.runs.get(run)
    assert (record.ended, record.total, record.not_attempted, record.bottleneck) == ("stopped", 3, 2, "convert")


def test_runs_are_named_by_digits_or_as_the_last(desk):
    first, second = (desk.index.runs.start(RUN, owner=desk.store.owner) for _ in range(2))
    assert [record.run_id for record in desk.index.runs.all()] == [second, first]
    assert desk.index.runs.resolve("last") == second
    assert desk.index.runs.resolve(first) == desk.index.runs.resolve(first[:12]) == first
    for wrong, words in (("", "too short"), (first[:2], "run"), ("ffff%", "no run")):
        with pytest.raises(UsageError, match=words):
            desk.index.runs.resolve(wrong)
    with pytest.raises(UsageError, match="no run"):
        desk.index.runs.get("0" * 32)
    with pytest.raises(UsageError, match="no document"):
        desk.index.status.of_document("none")


def test_a_status_is_of_one_state_while_documents_come_in(index, librarian):
    """A status takes two questions; what is committed between them is in both answers or in neither."""
    over = threading.Event()

    def bring() -> None:
        try:
            for number in range(30):
                librarian.convert(f"note {number}", sighting=Provenance(path=f"file:///in/{number}", surface="corpus"))
        finally:
            over.set()

    bringing = threading.Thread(target=bring)
    bringing.start()
    seen = set()
    while not over.is_set():
        status = index.status.of_policy(PolicyContext())
        assert status.phases[Phase.CONVERTED] == status.documents
        seen.add(status.documents)
    bringing.join()
    assert len(seen) > 2
