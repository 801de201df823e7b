"""Every limit of security.md's table, passed by a worker that means it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

import pytest
from octavo_contracts import (
    ContentTooLarge,
    ConversionTimeout,
    ConverterCrashed,
    ExitCode,
    MemoryExceeded,
)
from octavo_sandbox import Cancelled, SandboxLimits, WorkerGroup, WorkerPool

MIB = 1 << 20
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="/proc is needed to see files without a name")


def test_a_result_within_the_cap_comes_back(shared_pool: WorkerPool) -> None:
    reply = shared_pool.run("sandbox_tasks:many_bytes", str(MIB).encode(), limits=SandboxLimits(result_bytes=MIB))
    assert len(reply.payload) == MIB


def test_a_result_beyond_the_cap_is_refused(shared_pool: WorkerPool) -> None:
    with pytest.raises(ContentTooLarge, match="returned 1048577 bytes"):
        shared_pool.run("sandbox_tasks:many_bytes", str(MIB + 1).encode(), limits=SandboxLimits(result_bytes=MIB))


@pytest.mark.parametrize("task", ["spin", "hold_the_gil"])
def test_a_hang_ends_at_the_deadline(shared_pool: WorkerPool, task: str) -> None:
    """ENG-11; `re` holds the interpreter's lock, so nothing inside the worker could end it."""
    started = time.monotonic()
    with pytest.raises(ConversionTimeout, match=r"within 0\.5 s"):
        shared_pool.run(f"sandbox_tasks:{task}", b"", limits=SandboxLimits(wall_seconds=0.5))
    assert 0.5 <= time.monotonic() - started < 5


def test_the_deadline_counts_from_dispatch(make_pool: Callable[..., WorkerPool]) -> None:
    """A call that waits for a place, or for its worker to start, loses nothing of its time."""
    pool = make_pool(size=1)
    limits = SandboxLimits(wall_seconds=1.5)
    answers: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: answers.append(pool.run("sandbox_tasks:sleep", b"1.0", limits=limits).payload))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [b"slept", b"slept"]


@pytest.mark.parametrize(("task", "payload"), [("one_large_block", b"512"), ("many_small_objects", b"")])
def test_memory_is_limited_inside_the_worker(shared_pool: WorkerPool, task: str, payload: bytes) -> None:
    with pytest.raises(MemoryExceeded):
        shared_pool.run(f"sandbox_tasks:{task}", payload, limits=SandboxLimits(memory_mb=128))


def test_memory_within_the_limit_is_given(shared_pool: WorkerPool) -> None:
    reply = shared_pool.run("sandbox_tasks:one_large_block", b"100", limits=SandboxLimits(memory_mb=128))
    assert reply.peak_rss_mb > 100


def test_the_peak_of_one_call_is_not_told_of_the_next(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1)
    large = pool.run("sandbox_tasks:one_large_block", b"150")
    small = pool.run("sandbox_tasks:echo", b"")
    assert large.peak_rss_mb - small.peak_rss_mb > 100


def test_memory_is_watched_from_outside(shared_pool: WorkerPool) -> None:
    with pytest.raises(MemoryExceeded, match="more than 64 MiB of memory and was killed"):
        shared_pool.run("sandbox_tasks:memory_no_limit_counts", b"256", limits=SandboxLimits(memory_mb=64))


def test_too_many_files_are_refused_even_after_the_call(shared_pool: WorkerPool) -> None:
    with pytest.raises(ContentTooLarge, match="more than 256 temporary files"):
        shared_pool.run("sandbox_tasks:flood_files", b"300")


def test_files_within_the_limit_are_fine(shared_pool: WorkerPool) -> None:
    assert shared_pool.run("sandbox_tasks:flood_files", b"250").payload == b"done"


@pytest.mark.parametrize("task", ["flood_bytes", pytest.param("nameless_files", marks=LINUX_ONLY)])
def test_too_many_temporary_bytes_are_refused(shared_pool: WorkerPool, task: str) -> None:
    with pytest.raises(ContentTooLarge, match="more than 16 MiB of temporary files"):
        shared_pool.run(f"sandbox_tasks:{task}", b"40", limits=SandboxLimits(temp_bytes=16 * MIB))


def test_one_file_beyond_the_limit_is_refused_as_it_is_written(shared_pool: WorkerPool) -> None:
    with pytest.raises(ContentTooLarge, match="temporary file"):
        shared_pool.run("sandbox_tasks:one_large_file", b"20", limits=SandboxLimits(temp_bytes=16 * MIB))


def test_a_folder_too_deep_for_a_path_is_refused_and_removed(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1)
    with pytest.raises(ContentTooLarge):
        pool.run("sandbox_tasks:dig_deep", b"20")
    assert pool.run("sandbox_tasks:echo", b"next").payload == b"next"


def test_a_spent_processor_limit_is_a_timeout(shared_pool: WorkerPool) -> None:
    with pytest.raises(ConversionTimeout, match="processor time"):
        shared_pool.run("sandbox_tasks:spend_processor_time", b"")


def test_too_many_processes_are_refused(shared_pool: WorkerPool) -> None:
    with pytest.raises(ConverterCrashed, match="more than 5 processes"):
        shared_pool.run(
            "sandbox_tasks:start_many",
            b"20",
            limits=SandboxLimits(processes=5),
            lane=WorkerGroup(name="programs", subprocess=True),
        )


@LINUX_ONLY
def test_too_many_threads_are_refused_even_after_the_call(shared_pool: WorkerPool) -> None:
    with pytest.raises(ConverterCrashed, match="more than 40 threads"):
        shared_pool.run("sandbox_tasks:start_threads", b"50", limits=SandboxLimits(threads=40))
    with pytest.raises(ConverterCrashed, match="more than 256 threads"):
        shared_pool.run("sandbox_tasks:start_threads", b"300")


def test_files_beside_the_two_folders_are_counted(shared_pool: WorkerPool) -> None:
    with pytest.raises(ContentTooLarge, match="more than 20 temporary files"):
        shared_pool.run("sandbox_tasks:flood_beside", b"30", limits=SandboxLimits(temp_files=20))


def test_a_call_can_be_cancelled(shared_pool: WorkerPool) -> None:
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(Cancelled) as caught:
        shared_pool.run("sandbox_tasks:spin", b"", cancel=cancel)
    assert time.monotonic() - started < 1.5
    assert caught.value.exit_code is ExitCode.INTERRUPTED
    assert caught.value.reason is None


def test_a_call_can_be_cancelled_while_it_waits_for_a_place(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1)
    first, second = threading.Event(), threading.Event()
    holder = threading.Thread(target=lambda: _run_until(pool, first))
    holder.start()
    while not pool._busy:  # the only way to know that the place is taken
        time.sleep(0.01)
    threading.Timer(0.1, second.set).start()
    with pytest.raises(Cancelled, match="before it began"):
        pool.run("sandbox_tasks:echo", b"", cancel=second)
    first.set()
    holder.join()


def _run_until(pool: WorkerPool, cancel: threading.Event) -> None:
    with pytest.raises(Cancelled):
        pool.run("sandbox_tasks:spin", b"", cancel=cancel)
