"""When workers start and end, and what is left of them: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from octavo_contracts import RetryableToolFailure, UsageError
from octavo_sandbox import Cancelled, WorkerGroup, WorkerPool, sweep_stale

PROGRAMS = WorkerGroup(name="programs", subprocess=True)
TASKS = Path(__file__).parent
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="the guardian needs Linux")

MakePool = Callable[..., WorkerPool]


def pid_of(pool: WorkerPool, lane: WorkerGroup = WorkerGroup()) -> int:  # noqa: B008 - a frozen lane is a constant
    return int(pool.run("sandbox_tasks:pid", b"", lane=lane).payload)


def gone(pid: int, *, within: float = 5.0) -> bool:
    """Whether a process ends in time."""
    deadline = time.monotonic() + within
    while True:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)


def test_a_warm_worker_is_used_again(make_pool: MakePool) -> None:
    pool = make_pool(size=2)
    first = pool.run("sandbox_tasks:pid", b"")
    second = pool.run("sandbox_tasks:pid", b"")
    assert first.payload == second.payload
    assert first.cold
    assert not second.cold


def test_a_worker_started_ahead_of_need_is_warm(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    pool.warm(imports=["sandbox_tasks", "no_such_module_at_all"])
    pool.warm(imports=["decimal"])
    reply = pool.run("sandbox_tasks:loaded_modules", b"sandbox_tasks decimal colorsys")
    assert reply.payload == b"sandbox_tasks decimal"
    assert not reply.cold


def test_work_of_the_host_is_done_once_and_fails_no_call(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    done: list[float] = []

    def chore() -> None:
        done.append(time.monotonic())

    def failing() -> None:
        done.append(0.0)
        raise ImportError("no such module")

    pool.when_waiting(failing)
    pool.when_waiting(chore)
    pool.run("sandbox_tasks:echo", b"", lane=WorkerGroup(name="first"))
    assert len(done) == 2
    pool.when_waiting(chore)
    pool.run("sandbox_tasks:echo", b"")
    assert len(done) == 2


def test_host_and_worker_work_at_the_same_time(make_pool: MakePool) -> None:
    """Its request is sent before the host works, and the answer is read afterwards."""
    pool = make_pool(size=1)
    pool.run("sandbox_tasks:echo", b"")
    pool.when_waiting(lambda: time.sleep(2.0))
    started = time.monotonic()
    pool.run("sandbox_tasks:sleep", b"2")
    assert time.monotonic() - started < 3.5  # one after the other would take 4 s


def test_a_replaced_worker_imports_what_its_lane_wants(make_pool: MakePool) -> None:
    pool = make_pool(size=1, recycle_after=1)
    pool.warm(imports=["colorsys"])
    for _ in range(2):
        assert pool.run("sandbox_tasks:loaded_modules", b"colorsys").payload == b"colorsys"


def test_lanes_do_not_share_workers(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    assert pid_of(pool) != pid_of(pool, WorkerGroup(name="heavy"))
    assert len({pid_of(pool) for _ in range(3)}) == 1


def test_lanes_that_take_turns_stay_warm(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    lanes = [WorkerGroup(), WorkerGroup(name="one"), WorkerGroup(name="two"), WorkerGroup(name="three")]
    for lane in lanes:
        pid_of(pool, lane)
    assert not any(pool.run("sandbox_tasks:echo", b"", lane=lane).cold for lane in lanes * 2)


def test_a_lane_with_two_idle_workers_gives_one_up_first(make_pool: MakePool) -> None:
    pool = make_pool(size=2)
    oldest = pid_of(pool, WorkerGroup(name="oldest"))
    naps = [threading.Thread(target=pool.run, args=("sandbox_tasks:sleep", b"0.5")) for _ in range(2)]
    for nap in naps:
        nap.start()
    for nap in naps:
        nap.join()
    for number in range(6):
        pid_of(pool, WorkerGroup(name=f"lane-{number}"))
    assert pid_of(pool, WorkerGroup(name="oldest")) == oldest


def test_the_least_used_lane_makes_room(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    pids = [pid_of(pool, WorkerGroup(name=f"lane-{number}")) for number in (0, 1, 2, 3, 4, 5, 0, 6)]
    assert pids[0] == pids[6]
    assert [gone(pid, within=0) for pid in pids] == [False, True, False, False, False, False, False, False]


def test_a_worker_is_replaced_after_its_calls(make_pool: MakePool) -> None:
    pool = make_pool(size=1, recycle_after=2)
    pids = [pid_of(pool) for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]
    assert gone(pids[0], within=0)


def test_a_worker_that_grew_is_replaced(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    first = pid_of(pool)
    assert int(pool.run("sandbox_tasks:leak", b"300").payload) == first
    assert pid_of(pool) != first


@pytest.mark.parametrize("options", [{"size": 0}, {"recycle_after": 0}, {"level": "off"}])
def test_a_pool_that_can_not_work_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        WorkerPool(**options)  # type: ignore[arg-type]  # wrong values are what is tested


def test_a_closed_pool_leaves_nothing(make_pool: MakePool, tmp_path: Path) -> None:
    pool = make_pool(size=2)
    pids = [pid_of(pool), pid_of(pool, PROGRAMS)]
    assert list((tmp_path / "pools").iterdir())
    pool.close()
    pool.close()
    assert all(gone(pid, within=0) for pid in pids)
    assert list((tmp_path / "pools").iterdir()) == []
    for use in (pool.warm, lambda: pool.run("sandbox_tasks:echo", b"")):
        with pytest.raises(UsageError, match="closed"):
            use()


def test_closing_ends_the_calls_that_run_and_wait(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    outcomes: list[BaseException] = []

    def call() -> None:
        with pytest.raises(Cancelled) as caught:
            pool.run("sandbox_tasks:spin", b"")
        outcomes.append(caught.value)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    pool.close()
    for thread in threads:
        thread.join(timeout=5)
    assert len(outcomes) == 2


def test_a_copy_of_a_pool_in_a_forked_process_is_refused_and_ends_nothing(make_pool: MakePool, tmp_path: Path) -> None:
    pool = make_pool(size=1)
    before = pid_of(pool)
    child = os.fork()
    if not child:
        try:
            pool.run("sandbox_tasks:echo", b"")
        except UsageError:
            pool.close()
            pool._finalizer()  # what the interpreter's exit would do
            os._exit(42)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert len(list((tmp_path / "pools").glob("octavo-*/worker-1/call"))) == 1
    assert pid_of(pool) == before


@pytest.mark.parametrize("end", ["", "pool.close()", "raise SystemExit(0)"])
def test_the_interpreter_ends_without_a_word(tmp_path: Path, end: str) -> None:
    """No hang, no ResourceWarning, no folder, whether or not the pool was closed."""
    script = f"""
        from pathlib import Path
        from octavo_sandbox import WorkerPool
        pool = WorkerPool(size=2, import_paths=[Path({str(TASKS)!r})], temp=Path({str(tmp_path)!r}))
        assert pool.run("sandbox_tasks:echo", b"x").payload == b"x"
        pool.warm()
        {end}
    """
    done = host(script, "-X", "dev", "-W", "error")
    output, _ = done.communicate(timeout=20)
    assert (output, done.returncode) == (b"", 0)
    assert list(tmp_path.iterdir()) == []


def test_threads_that_outlive_the_main_one_keep_their_workers(tmp_path: Path) -> None:
    script = f"""
        import threading
        from pathlib import Path
        from octavo_sandbox import WorkerPool
        pool = WorkerPool(size=1, import_paths=[Path({str(TASKS)!r})], temp=Path({str(tmp_path)!r}))
        def call():
            print(pool.run("sandbox_tasks:sleep", b"0.5").payload.decode())
        threading.Thread(target=call).start()
    """
    output, _ = host(script).communicate(timeout=20)
    assert output == b"slept\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_a_host_killed_outright_leaves_nothing(tmp_path: Path, lane: WorkerGroup) -> None:
    """After kill -9 of the host no worker lives on, nor what it started, and the next sweep takes the folder."""
    note, folder = tmp_path / "note", tmp_path / "pools"
    note.mkdir()
    folder.mkdir()
    task = ("leave_children", str(note / "sleeper").encode()) if lane.subprocess else ("spin", b"")
    script = f"""
        import threading
        from pathlib import Path
        from octavo_sandbox import *
        pool = WorkerPool(size=2, level="process", import_paths=[Path({str(TASKS)!r})], temp=Path({str(folder)!r}))
        lane = WorkerGroup(name={lane.name!r}, subprocess={lane.subprocess})
        print(pool.run("sandbox_tasks:pid", b"", lane=lane).payload.decode(), flush=True)
        pool.run("sandbox_tasks:{task[0]}", {task[1]!r}, lane=lane)
    """
    process = host(script)
    assert process.stdout is not None
    pids = [int(process.stdout.readline())]
    if lane.subprocess:
        while not (note / "sleeper").exists() or not (note / "sleeper").read_text():
            time.sleep(0.01)
        pids.append(int((note / "sleeper").read_text()))
    assert sweep_stale(parent=folder) == []
    process.kill()
    process.communicate()
    assert all(gone(pid) for pid in pids)
    assert len(sweep_stale(parent=folder)) == 1
    assert list(folder.iterdir()) == []


def host(script: str, *options: str) -> subprocess.Popen[bytes]:
    """A host process of its own, running a script."""
    return subprocess.Popen(
        [sys.executable, *options, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def test_a_program_left_running_ends_with_its_call(make_pool: MakePool) -> None:
    pool = make_pool(size=1)
    before = pid_of(pool, PROGRAMS)
    sleeper = int(pool.run("sandbox_tasks:leave_children", b"", lane=PROGRAMS).payload)
    assert gone(sleeper)
    assert pid_of(pool, PROGRAMS) == before


@LINUX_ONLY
def test_a_program_ends_with_a_worker_that_died(make_pool: MakePool) -> None:
    """It has a session of its own and no parent any more; the guardian finds it."""
    pool = make_pool(size=1)
    with pytest.raises(RetryableToolFailure, match="SIGABRT") as caught:
        pool.run("sandbox_tasks:leave_children", b"abort", lane=PROGRAMS)
    assert gone(int(vars(caught.value)["worker_output"].split()[1]), within=1)


@LINUX_ONLY
def test_a_program_ends_with_a_worker_that_is_killed_though_its_guardian_is_stopped(
    make_pool: MakePool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo_sandbox.worker_process._GUARDIAN_SECONDS", 0.2)
    pool = make_pool(size=1, level="process")
    note, cancel = tmp_path / "sleeper", threading.Event()

    def stop_the_guardian() -> None:
        while not note.exists() or not note.read_text():
            time.sleep(0.01)
        sleeper = psutil.Process(int(note.read_text()))
        guardian = sleeper.parents()[1]
        guardian.send_signal(signal.SIGSTOP)
        cancel.set()

    helper = threading.Thread(target=stop_the_guardian)
    helper.start()
    with pytest.raises(Cancelled):
        pool.run("sandbox_tasks:leave_children", str(note).encode(), lane=PROGRAMS, cancel=cancel)
    helper.join()
    assert gone(int(note.read_text()), within=1)


def test_a_worker_imports_what_the_host_finds_by_pythonpath(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "found_by_pythonpath.py").write_text("def answer(payload, source, context): return b'found'\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    with WorkerPool(size=1) as pool:
        assert pool.run("found_by_pythonpath:answer", b"").payload == b"found"
