"""The machine is watched while work goes on: pauses, room for people, and the disk's reserve."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from octavo.settings.engine import LEASE_SECONDS, POOL_SIZES, CareSettings
from octavo.settings.step_names import StepName
from octavo_library.ingestion.events import EventHub, PauseCause, Paused, PoolResized, Resumed
from octavo_library.ingestion.machine_probe import MachineProbe, Readings
from octavo_library.ingestion.pools import StepPools
from octavo_library.ingestion.throttle import ReserveReached, Throttle
from octavo_sandbox import Cancelled

REST = Readings(memory_percent=10.0, memory_stall_percent=0.0, disk_free=10**11, disk_size=10**12, heat=None, load=0.1)


class Machine:
    """A machine whose readings and whose clock the test sets."""

    def __init__(self):
        self.readings = REST
        self.now = 1000.0

    def read(self):
        return self.readings

    def disk_free(self):
        return self.readings.disk_free

    def clock(self):
        return self.now

    def turn(self, *, after=1.0, **readings):
        self.now += after
        self.readings = replace(self.readings, **readings)


@pytest.fixture
def machine():
    return Machine()


@pytest.fixture
def told():
    return []


@pytest.fixture
def throttle(machine, told):
    return make(machine, told)


def make(machine, told, *, advice="", **settings):
    events = EventHub()
    events.subscribe(told.append)
    pools = StepPools(POOL_SIZES, LEASE_SECONDS, cores=4, events=events)
    made = Throttle(
        CareSettings(**settings), machine, pools, events=events, safe_to_purge=lambda: advice, clock=machine.clock
    )
    made.pools = pools
    return made


def test_memory_above_its_mark_pauses_new_work_and_says_so(throttle, machine, told):
    """ENG-30."""
    assert throttle.may_begin()
    machine.turn(memory_percent=90.0)
    assert not throttle.may_begin()
    assert throttle.is_memory_low()
    machine.turn(memory_percent=80.0)
    assert not throttle.may_begin()
    [hold] = throttle.holds()
    assert (hold.cause, hold.resumes_at, hold.seconds) == (PauseCause.MEMORY, 75.0, 1.0)
    assert str(hold) == "memory usage is 80%; work resumes below 75%"
    machine.turn(memory_percent=70.0)
    assert throttle.may_begin()
    assert [type(event) for event in told] == [Paused, Resumed]
    assert told[1].seconds == throttle.seconds_held[PauseCause.MEMORY] == 2.0


def test_a_run_does_not_starve_where_others_use_the_memory_up(throttle, machine):
    """One document passes every ten seconds: the pause protects the machine, not the others' appetite."""
    machine.turn(memory_percent=90.0)
    passed = []
    for _ in range(35):
        passed.append(throttle.may_begin())
        machine.turn()
    assert passed.count(True) == 3


def test_heat_pauses_only_when_it_lasts(machine, told):
    throttle = make(machine, told, trickle=3600.0)
    for heat, allowed in ((96.0, True), (97.0, True), (96.0, False), (91.0, False), (89.0, True)):
        machine.turn(after=16.0, heat=heat)
        assert throttle.may_begin() is allowed


def test_what_no_sensor_tells_is_named(throttle, machine):
    assert throttle.unwatched() == ("the processor's temperature cannot be read here",)


def test_the_reserve_is_kept_by_the_write_that_would_touch_it(throttle, machine, told):
    """ENG-12: the breaker looks at what is free less what is to be written, before it is written."""
    machine.turn(disk_free=5_100_000_000, disk_size=10**12)
    throttle.before_write(50_000_000, cancel=None)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        throttle.before_write(200_000_000, cancel=stop)
    assert str(throttle.holds()[0]) == "the disk has 4.9 GB free; writing resumes at 6.0 GB"
    machine.turn(disk_free=5_900_000_000)
    assert not throttle.may_begin()
    machine.turn(disk_free=6_000_000_000)
    assert throttle.may_begin()
    assert [type(event) for event in told] == [Paused, Resumed]


def test_a_small_disk_keeps_a_tenth_of_itself(throttle, machine):
    machine.turn(disk_free=21_000_000, disk_size=200_000_000)
    throttle.before_write(500_000, cancel=None)
    machine.turn(disk_free=19_000_000)
    assert not throttle.may_begin()
    assert throttle.holds()[0].resumes_at == 24_000_000


def test_a_disk_that_stays_full_ends_the_wait_with_what_can_be_done(machine, told):
    throttle = make(machine, told, advice="`octavo purge --expired` frees 3.1 GB", give_up=60.0)
    machine.turn(disk_free=10)
    assert not throttle.may_begin()
    machine.turn(after=61.0)
    with pytest.raises(ReserveReached, match=r"0 MB free; writing resumes at 6\.0 GB") as caught:
        throttle.may_begin()
    assert caught.value.remedy == told[0].advice == "`octavo purge --expired` frees 3.1 GB"
    assert caught.value.reason == "storage_exhausted"


def test_a_disk_that_can_not_be_asked_holds_nothing_back(throttle, machine):
    machine.turn(disk_free=None, disk_size=None)
    throttle.before_write(10**12, cancel=None)
    assert throttle.may_begin()


def test_pools_shrink_for_a_person_and_grow_back(throttle, machine, told):
    pool = throttle.pools[StepName.CONVERT]
    assert pool.size == 4
    throttle.user_active()
    assert pool.size == 2
    machine.turn(after=59.0)
    assert throttle.may_begin()
    assert pool.size == 2
    machine.turn(after=2.0)
    assert throttle.may_begin()
    assert pool.size == 4
    because = {event.because for event in told if isinstance(event, PoolResized)}
    assert because == {"a person is active", "it is idle again"}


def test_pools_shrink_under_load_and_recover(throttle, machine):
    for load, size in ((2.9, 4), (3.0, 2), (2.0, 2), (1.4, 4)):
        machine.turn(load=load)
        throttle.may_begin()
        assert throttle.pools[StepName.CONVERT].size == size


def test_waiting_ends_when_the_cause_is_gone(machine, told):
    throttle = make(machine, told, every=0.0)
    machine.turn(memory_percent=99.0)
    done = threading.Event()
    waiting = threading.Thread(target=lambda: (throttle.wait(cancel=None), done.set()))
    waiting.start()
    time.sleep(0.15)
    assert not done.is_set()
    machine.turn(memory_percent=10.0)
    assert done.wait(5.0)
    waiting.join()


def test_waiting_ends_when_the_run_is_cancelled(machine, told):
    throttle = make(machine, told)
    machine.turn(memory_percent=99.0)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        throttle.wait(cancel=stop)


def test_this_machine_can_be_read(tmp_path):
    readings = MachineProbe(tmp_path).read()
    assert 0 < readings.memory_percent <= 100
    assert 0 < readings.disk_free < readings.disk_size
    assert readings.load is None or readings.load >= 0


def test_a_folder_that_is_gone_has_no_disk():
    assert MachineProbe(Path("/nowhere/at/all")).disk_free() is None
