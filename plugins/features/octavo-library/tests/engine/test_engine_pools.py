"""Places for each step: the specification's numbers, bounded by the cores, lent for a time (ENG-8, ENG-9, ENG-10)."""

from __future__ import annotations

import threading
import time

import pytest
from octavo.settings.engine import LEASE_SECONDS, POOL_SIZES
from octavo.settings.step_names import StepName
from octavo_library.ingestion.events import EventHub
from octavo_library.ingestion.pools import StepPool, StepPools
from octavo_sandbox import Cancelled


def test_the_sizes_are_the_specifications():
    pools = StepPools(POOL_SIZES, LEASE_SECONDS, cores=64, events=EventHub())
    assert pools.sizes() == {
        StepName.CONVERT: 12,
        StepName.CONVERT_HEAVY: 4,
        StepName.OCR: 2,
        StepName.ENTITIES: 8,
        StepName.MODEL: 16,
        StepName.INDEX_WRITE: 4,
    }


def test_every_step_is_bounded_by_the_cores():
    sizes = StepPools(POOL_SIZES, LEASE_SECONDS, cores=3, events=EventHub()).sizes()
    assert (sizes[StepName.CONVERT], sizes[StepName.OCR], sizes[StepName.ENTITIES]) == (3, 2, 3)


def test_calls_of_models_wait_for_a_server_and_are_not_bounded_by_the_cores():
    """ENG-8: classification and extraction by models have a pool of their own."""
    assert StepPools(POOL_SIZES, LEASE_SECONDS, cores=2, events=EventHub()).sizes()[StepName.MODEL] == 16


def test_a_step_that_is_left_out_has_its_usual_places():
    sizes = StepPools({StepName.OCR: 1}, {}, cores=64, events=EventHub()).sizes()
    assert (sizes[StepName.OCR], sizes[StepName.CONVERT]) == (1, 12)


def test_no_more_are_let_in_than_have_places():
    pool = StepPool(StepName.CONVERT, size=2)
    inside = most = 0
    lock = threading.Lock()

    def work():
        nonlocal inside, most
        with pool.slot():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.02)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2
    assert pool.use.entered == 6
    assert pool.use.worked >= 6 * 0.02
    assert pool.use.waited > 0.05


def test_a_pool_shrinks_without_taking_places_away_and_never_below_one():
    pool = StepPool(StepName.CONVERT, size=4)
    with pool.slot(), pool.slot():
        assert pool.resize(0)
        assert pool.size == 1
        stop = threading.Event()
        stop.set()
        with pytest.raises(Cancelled), pool.slot(cancel=stop):
            pass
    assert not pool.resize(1)
    assert pool.resize(99)
    assert pool.size == 4


def test_a_place_that_does_not_come_back_in_time_is_lent_anew():
    """ENG-10: a lease on capacity ends by itself; what holds it on is no longer counted."""
    pool = StepPool(StepName.OCR, size=1, lease_seconds=0.05)
    with pool.slot():
        with pool.slot() as waited:
            assert waited >= 0.04
        assert pool.use.overdue == 1
    with pool.slot() as waited:
        assert waited < 0.04
