"""The process that workers are forked from: what they have of it, and what they have not (ENG-7, ENG-10)."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from octavo.plugins import load_catalogue
from octavo.plugins.prestart import CALL_MODULES, WORKER_MODULES
from octavo_contracts import RetryableToolFailure
from octavo_sandbox import WorkerGroup, WorkerPool
from octavo_sandbox.worker_spawner import one_fork_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")

TASKS = Path(__file__).parent
PROGRAMS = WorkerGroup(name="programs", subprocess=True)
MakePool = Callable[..., WorkerPool]


def ancestry(pool: WorkerPool, lane: WorkerGroup = WorkerGroup()) -> dict[str, Any]:  # noqa: B008 - a frozen lane is a constant
    facts: dict[str, Any] = json.loads(pool.run("sandbox_tasks:ancestry", b"", lane=lane).payload)
    return facts


def wait_for_the_end_of(*workers: dict[str, Any]) -> None:
    """Wait until these workers are gone, which nobody killed: the system does, soon after the process above them."""
    deadline = time.monotonic() + 5
    while any(psutil.pid_exists(worker["pid"]) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [worker["pid"] for worker in workers if psutil.pid_exists(worker["pid"])]


def test_workers_of_all_lanes_are_forked_from_one_process(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    one, other = ancestry(pool), ancestry(pool, WorkerGroup(name="other"))
    assert one["pid"] != other["pid"]
    assert one["parent"] == other["parent"] != os.getpid()
    assert psutil.Process(one["parent"]).ppid() == os.getpid()


@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_a_worker_has_a_session_of_its_own_and_its_channel_alone(make_pool: MakePool, lane: WorkerGroup) -> None:
    """No way leads back to the process it was forked from, nor to a neighbour."""
    pool = make_pool(size=1)
    ancestry(pool, WorkerGroup(name="neighbour"))
    facts = ancestry(pool, lane)
    guarded = psutil.Process(facts["pid"]).ppid() if lane.subprocess else facts["pid"]
    assert facts["session"] == guarded
    assert facts["umask"] == 0o077
    assert facts["descriptors"].count("socket:") == 1
    assert [name for name in facts["descriptors"] if name != "socket:" and "clear_refs" not in name] == []


def test_workers_do_not_share_chance(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    assert ancestry(pool)["random"] != ancestry(pool, WorkerGroup(name="other"))["random"]


def test_what_workers_have_imported_is_neither_a_plugin_nor_an_engine(make_pool: MakePool) -> None:
    pool = make_pool(size=1, preload=(*WORKER_MODULES, *CALL_MODULES))
    facts = ancestry(pool)
    have = {name.split(".")[0] for name in facts["modules"]}
    foreign = set()
    for plugin in load_catalogue().plugins:
        foreign.add(plugin.module.split(".")[0])
        if plugin.manifest.engine is not None and plugin.manifest.engine.module is not None:
            foreign.add(plugin.manifest.engine.module.split(".")[0])
    assert {*WORKER_MODULES, *CALL_MODULES} <= set(facts["modules"])
    assert foreign - set(sys.stdlib_module_names)
    assert not have & (foreign - set(sys.stdlib_module_names))
    assert facts["tempdir"] is None


def test_later_workers_have_what_their_process_imported_while_it_waited(make_pool: MakePool) -> None:
    """The first worker does not wait for these modules; a failed import, or one that is not wanted, harms no worker."""
    idle = ("no_such_module_at_all", *CALL_MODULES)
    pool = make_pool(size=1, preload=WORKER_MODULES, preload_when_idle=idle)
    assert not set(CALL_MODULES) <= set(ancestry(pool)["modules"])
    deadline = time.monotonic() + 30
    number = 0
    while not set(CALL_MODULES) <= set((facts := ancestry(pool, WorkerGroup(name=f"later-{number}")))["modules"]):
        assert time.monotonic() < deadline, set(CALL_MODULES) - set(facts["modules"])
        number += 1
    assert facts["tempdir"] is None


def test_what_one_lane_imported_no_other_has(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    pool.warm(WorkerGroup(name="one"), imports=["colorsys"])
    assert pool.run("sandbox_tasks:loaded_modules", b"colorsys", lane=WorkerGroup(name="one")).payload == b"colorsys"
    assert pool.run("sandbox_tasks:loaded_modules", b"colorsys", lane=WorkerGroup(name="two")).payload == b""


def test_workers_end_with_the_process_they_were_forked_from_and_new_ones_start(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    first = ancestry(pool)
    psutil.Process(first["parent"]).kill()
    wait_for_the_end_of(first)
    second = ancestry(pool)
    assert second["parent"] != first["parent"]


def test_a_call_whose_worker_loses_its_parent_is_a_death_to_be_tried_again(make_pool: MakePool, tmp_path: Path) -> None:
    pool = make_pool(size=1, level="process")
    parent = ancestry(pool)["parent"]
    with pytest.raises(RetryableToolFailure, match="died of SIGKILL"):
        pool.run("sandbox_tasks:kill_process", str(parent).encode())
    assert ancestry(pool)["parent"] != parent


def test_a_closed_pool_ends_the_process_too(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    parent = ancestry(pool)["parent"]
    pool.close()
    assert not psutil.pid_exists(parent)


def test_a_pool_that_is_prepared_and_never_used_leaves_nothing(make_pool: MakePool) -> None:
    before = {child.pid for child in psutil.Process().children()}
    pool = make_pool(size=1)
    pool.prepare()
    pool.close()
    assert {child.pid for child in psutil.Process().children()} <= before


def test_pools_may_share_the_process_that_their_workers_are_forked_from(make_pool: MakePool) -> None:
    """One after the other and at the same time; it outlives each of them, and ends with the outer block."""
    with one_fork_server(import_paths=(TASKS,)), one_fork_server(import_paths=(TASKS,)):
        first, second = make_pool(size=1), make_pool(size=1)
        parents = {ancestry(pool)["parent"] for pool in (first, second)}
        worker = ancestry(first)["pid"]
        first.close()
        assert not psutil.pid_exists(worker)
        parents |= {ancestry(second)["parent"], ancestry(make_pool(size=1))["parent"]}
        assert len(parents) == 1
    assert not psutil.pid_exists(parents.pop())


def test_a_shared_process_serves_no_pool_of_another_kind(make_pool: MakePool) -> None:
    with one_fork_server(import_paths=(TASKS,), modules=WORKER_MODULES):
        assert not set(WORKER_MODULES) <= set(ancestry(make_pool(size=1))["modules"])


def test_a_shared_process_that_has_died_is_left_by_every_pool(make_pool: MakePool) -> None:
    with one_fork_server(import_paths=(TASKS,)):
        first, second = make_pool(size=1), make_pool(size=1)
        one, other = ancestry(first), ancestry(second)
        shared = one["parent"]
        assert other["parent"] == shared
        psutil.Process(shared).kill()
        wait_for_the_end_of(one, other)
        others = {ancestry(pool)["parent"] for pool in (first, second, make_pool(size=1))}
        assert len(others) == 3
        assert shared not in others


def test_a_pool_that_outlives_the_block_goes_on(make_pool: MakePool) -> None:
    with one_fork_server(import_paths=(TASKS,)):
        pool = make_pool(size=1)
        worker = ancestry(pool)
    wait_for_the_end_of(worker)
    assert ancestry(pool)["parent"] != worker["parent"]


def test_where_workers_can_not_be_forked_each_is_an_interpreter_of_its_own(
    make_pool: MakePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_sandbox.worker_spawner.FORKS", False)
    pool = make_pool(size=1)
    pool.prepare()
    facts = ancestry(pool)
    assert facts["parent"] == os.getpid()
    assert facts["session"] == facts["pid"]
    with pytest.raises(RetryableToolFailure, match="died of SIGSEGV"):
        pool.run("sandbox_tasks:segfault", b"")
    assert ancestry(pool)["pid"] != facts["pid"]
