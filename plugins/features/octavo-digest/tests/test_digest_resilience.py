"""Breaker, batches, fidelity: each row of DIG-17 and DIG-20 to DIG-23, by a clock that the test turns."""

from __future__ import annotations

import asyncio

import pytest
from digest_doubles import QUERY, Writer, source
from octavo_digest import (
    CircuitBreaker,
    DigestPolicy,
    FidelityLevel,
    SourceQuality,
    digest_batch,
    rank_sources,
    record_of,
    select_sources,
)


class Hand:
    """A clock moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def attempts(breaker: CircuitBreaker, outcomes: str) -> None:
    """Run attempts to their ends: 'x' fails, '.' succeeds."""
    for outcome in outcomes:
        kind = breaker.enter()
        assert kind is not None
        breaker.record(kind, failed=outcome == "x")


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ("xxxx", "closed"),  # four samples are too few
        ("xxxxx", "open"),
        ("x.xxx", "open"),  # 80 %
        ("xx.x.xx", "open"),  # 5 of 7: 71.4 %
        ("...xxxxxxx", "closed"),  # 7 of 10: exactly 70 % is borne
        ("..........xxxxxxx", "closed"),
        ("..........xxxxxxxx", "open"),  # the window holds the last ten: 8 of 10
        (".....", "closed"),
    ],
)
def test_it_opens_above_seventy_per_cent_of_at_least_five(outcomes: str, state: str) -> None:
    breaker = CircuitBreaker(clock=Hand())

    attempts(breaker, outcomes)

    assert breaker.state == state


def opened() -> tuple[CircuitBreaker, Hand, list[tuple[int, int]]]:
    clock, told = Hand(), []
    breaker = CircuitBreaker(clock=clock, on_open=lambda *numbers: told.append(numbers))
    attempts(breaker, "xxxxx")
    return breaker, clock, told


def test_open_it_lets_nothing_through_until_a_minute_is_over() -> None:
    breaker, clock, told = opened()

    clock.now = 59.9
    assert (breaker.enter(), breaker.state) == (None, "open")
    clock.now = 60.0
    assert breaker.state == "half_open"
    assert told == [(5, 5)]


def test_half_open_it_lets_one_probe_through() -> None:
    breaker, clock, _ = opened()
    clock.now = 60.0

    assert breaker.enter() == "probe"
    assert breaker.enter() is None


def test_a_probe_that_succeeds_closes_it_with_an_empty_window() -> None:
    breaker, clock, _ = opened()
    clock.now = 60.0
    breaker.record(breaker.enter(), failed=False)

    assert breaker.state == "closed"
    attempts(breaker, "xxxx")
    assert breaker.state == "closed"


def test_a_probe_that_fails_opens_it_for_another_minute() -> None:
    breaker, clock, told = opened()
    clock.now = 60.0
    breaker.record(breaker.enter(), failed=True)

    clock.now = 119.9
    assert breaker.state == "open"
    clock.now = 120.0
    assert breaker.state == "half_open"
    assert told == [(5, 5), (1, 1)]


def test_a_probe_that_is_cancelled_makes_room_for_the_next() -> None:
    breaker, clock, _ = opened()
    clock.now = 60.0

    breaker.leave(breaker.enter())

    assert breaker.enter() == "probe"


def test_what_began_before_it_opened_has_no_say_afterwards() -> None:
    breaker = CircuitBreaker(clock=Hand())
    early = breaker.enter()
    attempts(breaker, "xxxxx")

    breaker.record(early, failed=False)
    breaker.leave(early)

    assert breaker.state == "open"


def test_a_reset_closes_it_and_forgets() -> None:
    breaker, clock, _ = opened()
    clock.now = 60.0
    probe = breaker.enter()

    breaker.reset()
    breaker.record(probe, failed=True)

    assert breaker.state == "closed"


def test_open_the_cache_still_answers_and_new_work_is_skipped(make, run) -> None:
    """DIG-21."""
    made = make()
    run(made.digestor.digest(source(0), QUERY))
    made.writer.error = RuntimeError("down")
    # One success and five failures: 83 %. The fifth attempt is the fourth failure: 80 %.
    for number in range(1, 5):
        run(made.digestor.digest(source(number), QUERY))
    asked = len(made.writer.asked)

    cached = run(made.digestor.digest(source(0), QUERY))
    new = run(made.digestor.digest(source(9), QUERY))

    assert cached.cache_hit
    assert (new.status, new.reason) == ("skipped", "breaker_open")
    assert len(made.writer.asked) == asked
    triggered = [event for event in made.events if event.name == "digest.circuit_breaker_triggered"]
    assert [dict(event.fields) for event in triggered] == [{"window_failures": 4, "window_size": 5}]


def test_it_closes_by_itself_after_a_minute_and_a_success(make, run) -> None:
    made = make(Writer(error=RuntimeError("down")))
    for number in range(5):
        run(made.digestor.digest(source(number), QUERY))
    assert run(made.digestor.digest(source(6), QUERY)).reason == "breaker_open"
    made.writer.error = None
    made.clock.advance(60)

    assert run(made.digestor.digest(source(7), QUERY)).status == "digested"
    assert run(made.digestor.digest(source(8), QUERY)).status == "digested"


def test_a_new_iteration_resets_it(make, run) -> None:
    made = make(Writer(error=RuntimeError("down")))
    for number in range(5):
        run(made.digestor.digest(source(number), QUERY))
    made.writer.error = None

    made.digestor.reset_circuit_breaker()

    assert run(made.digestor.digest(source(6), QUERY)).status == "digested"


def test_timeouts_count_and_skips_do_not(make, run) -> None:
    made = make(Writer(seconds=99))
    for number in range(4):
        run(made.digestor.digest(source(number), QUERY))
    for _ in range(20):
        run(made.digestor.digest(source(content=""), QUERY))
    assert made.digestor.breaker.state == "closed"

    run(made.digestor.digest(source(5), QUERY))

    assert made.digestor.breaker.state == "open"


def test_a_probe_that_is_skipped_or_cancelled_says_nothing(make, loop, run) -> None:
    made = make(Writer(error=RuntimeError("down")))
    for number in range(5):
        run(made.digestor.digest(source(number), QUERY))
    made.clock.advance(60)
    made.writer.error, made.writer.seconds = None, 30

    async def cancelled() -> None:
        task = asyncio.create_task(made.digestor.digest(source(6), QUERY))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])

    loop.run_until_complete(cancelled())
    assert made.digestor.breaker.state == "half_open"
    made.writer.seconds = 0
    assert run(made.digestor.digest(source(content="tiny text"), QUERY)).reason == "no_gain"
    assert made.digestor.breaker.state == "half_open"
    assert run(made.digestor.digest(source(7), QUERY)).status == "digested"


# -- batches ------------------------------------------------------------------------------------------------------


def test_sources_are_ranked_by_quality_relevance_length_and_id() -> None:
    """DIG-17, by the raw texts."""
    low = source(1, quality=SourceQuality.LOW, relevance=1.0, id="low")
    medium = source(2, quality=SourceQuality.MEDIUM, relevance=0.9, id="medium")
    near = source(3, relevance=0.8, id="near")
    long = source(4, relevance=0.5, content="x" * 900, id="long")
    b, a = source(5, relevance=0.5, content="x" * 20, id="b"), source(6, relevance=0.5, content="y" * 20, id="a")

    assert [s.id for s in rank_sources([low, b, medium, a, long, near])] == ["near", "long", "a", "b", "medium", "low"]


def test_the_first_eight_eligible_ones_are_selected(make) -> None:
    made = make(policy=DigestPolicy.AUTO)
    sources = [source(n, relevance=n / 100) for n in range(12)] + [source(99, content="short", relevance=1.0)]

    chosen = select_sources(made.digestor, sources)

    assert [round(s.relevance * 100) for s in chosen] == [11, 10, 9, 8, 7, 6, 5, 4]


def test_three_are_digested_at_a_time(make, run, loop) -> None:
    made = make(Writer(seconds=10))

    items = run(digest_batch(made.digestor, [source(n) for n in range(8)], QUERY))

    assert made.writer.most_at_once == 3
    assert loop.now == pytest.approx(1_030, abs=0.1)
    assert all(item.source.is_digest for item in items)
    assert [item.source.id for item in items] == [source(n).id for n in range(8)]


def test_each_source_has_its_whole_deadline_however_many_there_are(make, run, loop) -> None:
    """R-8: the seed's timeout ÷ concurrency would have ended every one of these."""
    made = make(Writer(seconds=50))

    items = run(digest_batch(made.digestor, [source(n) for n in range(7)], QUERY))

    assert all(item.result.status == "digested" for item in items)
    assert loop.now == pytest.approx(1_150, abs=0.1)


def test_a_batch_ends_after_its_own_deadline(make, run, loop, monkeypatch) -> None:
    made = make(Writer(seconds=55))
    digest = made.digestor.digest

    async def late(item, query):
        await asyncio.sleep(20)  # time that no digest's own deadline covers
        return await digest(item, query)

    monkeypatch.setattr(made.digestor, "digest", late)

    items = run(digest_batch(made.digestor, [source(n) for n in range(3)], QUERY))

    assert loop.now == pytest.approx(1_060, abs=0.1)
    assert [item.result.reason for item in items] == ["timeout"] * 3
    assert all(item.fidelity.level is FidelityLevel.FULL for item in items)


def test_one_that_fails_stops_no_other(make, run) -> None:
    class OnlyThird(Writer):
        async def asummarise(self, text, *, query, max_chars=2000):
            if "Number 3." in text:
                raise RuntimeError("third")
            return await super().asummarise(text, query=query)

    items = run(digest_batch(make(OnlyThird()).digestor, [source(n) for n in range(5)], QUERY))

    assert [item.result.status for item in items] == ["digested"] * 3 + ["failed", "digested"]


def test_an_empty_batch_is_empty_and_unselected_sources_pass_through(make, run) -> None:
    made = make(policy=DigestPolicy.OFF)

    assert run(digest_batch(made.digestor, [], QUERY)) == []
    item = run(digest_batch(made.digestor, [source()], QUERY))[0]
    assert (item.result, item.source) == (None, source())
    assert (item.fidelity.level, item.fidelity.reason) == (FidelityLevel.FULL, "not_selected")


def test_cancelling_a_batch_cancels_its_work(make, loop) -> None:
    made = make(Writer(seconds=30))

    async def main() -> None:
        task = asyncio.create_task(digest_batch(made.digestor, [source(n) for n in range(5)], QUERY))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    loop.run_until_complete(main())
    assert made.writer.at_once == 0
    assert len(made.digestor.cache) == 0


# -- fidelity -----------------------------------------------------------------------------------------------------


def test_a_digested_source_has_a_record_with_tokens(make, run) -> None:
    made = make()
    item = run(digest_batch(made.digestor, [source()], QUERY))[0]
    record = item.fidelity

    assert (record.level, record.phase, record.reason) == (FidelityLevel.DIGEST, "digest", "digest_compression")
    assert record.estimated
    assert record.original_tokens == -(-item.result.payload.original_chars // 4)
    assert record.final_tokens == -(-item.result.payload.digest_chars // 4)
    assert item.source.size == item.result.payload.digest_chars


def test_a_tokenizer_counts_instead_of_the_estimate(make, run) -> None:
    item = run(digest_batch(make().digestor, [source()], QUERY, tokenizer=lambda text: len(text.split())))[0]

    assert not item.fidelity.estimated
    assert item.fidelity.final_tokens < item.fidelity.original_tokens < 4_000


def test_a_digest_of_an_earlier_iteration_stays_one(make, run) -> None:
    made = make()
    view = run(digest_batch(made.digestor, [source()], QUERY))[0].source
    kept = source(content=view.content, content_type=view.content_type)

    item = run(digest_batch(made.digestor, [kept], QUERY))[0]

    assert (item.source, item.result) == (kept, None)
    assert (item.fidelity.level, item.fidelity.reason) == (FidelityLevel.DIGEST, "already_digested")
    assert len(made.writer.asked) == 1


def test_a_failed_source_stays_full_with_a_warning(make, run) -> None:
    """DIG-22."""
    item = run(digest_batch(make(Writer(error=RuntimeError())).digestor, [source()], QUERY))[0]

    assert item.fidelity.level is FidelityLevel.FULL
    assert item.fidelity.warnings[0] == "digest_failed: summary_failed"
    assert item.fidelity.final_tokens == item.fidelity.original_tokens
    assert item.source == source()


def test_the_level_of_a_digest_stands_between_key_points_and_truncated() -> None:
    order = list(FidelityLevel)

    assert (
        order.index(FidelityLevel.KEY_POINTS) < order.index(FidelityLevel.DIGEST) < order.index(FidelityLevel.TRUNCATED)
    )


def test_a_skipped_source_has_no_failure_in_its_record() -> None:
    record = record_of("s", "abcd", payload=None, status="skipped", reason="no_gain")

    assert (record.warnings, record.reason, record.original_tokens) == ((), "no_gain", 1)
