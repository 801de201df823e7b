"""Bands: what a run comes to, estimated from what is done of it."""

from __future__ import annotations

import random

import pytest
from octavo_library.facade.runs import Estimate, total_of
from octavo_library.facade.runs.estimates import LEAST, intervals


def test_what_is_done_is_measured_and_not_guessed():
    assert total_of([1.0, 2.0, 4.0], more=0) == Estimate(7.0, 7.0)
    assert total_of([], more=0) == Estimate(0.0, 0.0)


def test_too_few_samples_say_nothing():
    assert total_of([1.0] * (LEAST - 1), more=1) is None


def test_equal_documents_leave_no_doubt():
    assert total_of([2.0] * 5, more=10) == Estimate(30.0, 30.0)


def test_a_band_never_promises_less_than_is_spent():
    band = total_of([0.0, 0.0, 0.0, 0.0, 100.0], more=1)
    assert band is not None
    assert band.low == 100.0


@pytest.mark.parametrize(("seen", "more"), [(10, 90), (50, 50), (90, 10)])
def test_the_band_holds_about_nineteen_times_out_of_twenty(seen, more):
    """Skewed sizes, as documents have them; the floor leaves room for the skew and for chance."""
    draw = random.Random(20261122)
    held = 0
    for _ in range(400):
        costs = [draw.lognormvariate(0.0, 0.6) for _ in range(seen + more)]
        band = total_of(costs[:seen], more=more)
        assert band is not None
        held += band.low <= sum(costs) <= band.high
    assert held / 400 >= 0.88


def test_intervals_lie_between_neighbours():
    assert intervals([1.0, 3.0, 3.5]) == [2.0, 0.5]
