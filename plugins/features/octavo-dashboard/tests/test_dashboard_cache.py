"""Counts are kept the longer, the longer they took, and never for another corpus."""

from __future__ import annotations

from octavo_dashboard.timed_cache import KEPT_FOR, LONGEST, TimedCache


def test_a_value_is_kept_in_proportion_to_its_cost() -> None:
    now = 0.0
    calls: list[float] = []

    def compute() -> int:
        nonlocal now
        calls.append(now)
        now += 0.1
        return len(calls)

    cache: TimedCache[int] = TimedCache(clock=lambda: now)
    assert cache.get("a", compute) == 1
    now += KEPT_FOR * 0.1 - 0.01
    assert cache.get("a", compute) == 1
    now += 0.02
    assert cache.get("a", compute) == 2
    assert cache.get("b", compute) == 3
    now += LONGEST + 1
    assert cache.get("a", compute) == 4


def test_a_cheap_value_is_computed_each_time() -> None:
    cache: TimedCache[int] = TimedCache(clock=lambda: 0.0)
    values = iter(range(10_000))
    assert [cache.get("a", lambda: next(values)) for _ in range(3)] == [0, 1, 2]
