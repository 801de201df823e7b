"""Counts are kept the longer, the longer they took, and never for another corpus."""

from __future__ import annotations

import threading

import pytest
from octavo_dashboard.timed_cache import KEPT_FOR, LONGEST, STALE, TimedCache


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


def test_a_cheap_value_is_kept_for_the_least_time() -> None:
    now = 0.0
    cache: TimedCache[int] = TimedCache(clock=lambda: now, least=2.0)
    values = iter(range(10_000))

    def value() -> int:
        return cache.get("a", lambda: next(values))

    assert (value(), value()) == (0, 0)
    now = 2.1
    assert value() == 1


@pytest.mark.parametrize(("age", "expected"), [(STALE - 1, "old"), (STALE + 1, "new")])
def test_others_get_the_old_value_while_one_computes_the_new_one(age: float, expected: str) -> None:
    """Unless it is too old: then they wait."""
    now = 0.0

    def dear() -> str:
        nonlocal now
        now += LONGEST
        return "old"

    cache: TimedCache[str] = TimedCache(clock=lambda: now)
    assert cache.get("a", dear) == "old"
    now += LONGEST + age
    begun, may_end = threading.Event(), threading.Event()
    answers: list[str] = []

    def slow() -> str:
        begun.set()
        may_end.wait(30)
        return "new"

    first = threading.Thread(target=lambda: answers.append(cache.get("a", slow)))
    first.start()
    assert begun.wait(30)
    second = threading.Thread(target=lambda: answers.append(cache.get("a", slow)))
    second.start()
    if expected == "old":
        second.join(30)
        assert answers == ["old"]
    may_end.set()
    first.join(30)
    second.join(30)
    assert sorted(answers) == sorted(["new", expected])
