"""Workers that die, lie or hang up: the tool's failure, never the host's nor a neighbour's (ENG-7, ENG-10)."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from octavo_contracts import ContentTooLarge, RetryableToolFailure, ToolUnavailable
from octavo_sandbox import SandboxLimits, WorkerGroup, WorkerPool

NONCE = b"N" * 32
"""Stands for the call's own, which the forging task puts in."""
PROGRAMS = WorkerGroup(name="programs", subprocess=True)
SHORT = SandboxLimits(wall_seconds=10)


@pytest.mark.parametrize(
    ("task", "end"), [("segfault", "died of SIGSEGV"), ("abort", "died of SIGABRT"), ("leave", "exited with code 7")]
)
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_a_death_is_told_with_its_cause(shared_pool: WorkerPool, task: str, end: str, lane: WorkerGroup) -> None:
    with pytest.raises(RetryableToolFailure, match=f"the worker running sandbox_tasks:{task} {end}"):
        shared_pool.run(f"sandbox_tasks:{task}", b"", lane=lane)
    assert shared_pool.run("sandbox_tasks:echo", b"next", lane=lane).payload == b"next"


def test_a_death_keeps_the_last_words_apart_from_the_message(shared_pool: WorkerPool) -> None:
    """What a tool prints may quote the document, so it stands in no message."""
    with pytest.raises(RetryableToolFailure) as caught:
        shared_pool.run("sandbox_tasks:print_and_crash", b"")
    assert "words" not in str(caught.value)
    assert "last words" in vars(caught.value)["worker_output"]
    assert "in the error stream" in vars(caught.value)["worker_output"]


def test_a_neighbour_of_a_crash_is_unharmed(shared_pool: WorkerPool) -> None:
    answers: list[bytes] = []
    neighbour = threading.Thread(target=lambda: answers.append(shared_pool.run("sandbox_tasks:sleep", b"0.5").payload))
    neighbour.start()
    for _ in range(2):
        with pytest.raises(RetryableToolFailure):
            shared_pool.run("sandbox_tasks:segfault", b"")
    neighbour.join()
    assert answers == [b"slept"]


def test_a_worker_that_was_killed_while_idle_is_replaced(make_pool: Callable[..., WorkerPool]) -> None:
    pool = make_pool(size=1)
    victim = psutil.Process(int(pool.run("sandbox_tasks:pid", b"").payload))
    victim.kill()
    while victim.is_running() and victim.status() != psutil.STATUS_ZOMBIE:
        pass
    reply = pool.run("sandbox_tasks:pid", b"")
    assert int(reply.payload) != victim.pid
    assert reply.cold


@pytest.mark.parametrize(
    "nonsense",
    [
        b"GET / HTTP/1.1\r\n\r\n" + b"x" * 100,
        struct.pack("!4sIQ", b"OCT1", 1 << 30, 0),
        struct.pack("!4sIQ", b"OCT1", 2, 0) + b"[]",
        struct.pack("!4sIQ", b"OCT1", 16, 0) + b'{"kind":"hello"}',
        struct.pack("!4sIQ", b"OCT1", 17, 0) + b'{"kind":"result"}',
        struct.pack("!4sIQ", b"OCT1", 60, 0) + b'{"kind":"result","nonce":"' + NONCE + b'"}',
        struct.pack("!4sIQ", b"OCT1", 71, 0) + b'{"kind":"error","nonce":"' + NONCE + b'","record":{}}',
    ],
)
def test_a_worker_that_talks_nonsense_is_killed(shared_pool: WorkerPool, nonsense: bytes) -> None:
    with pytest.raises(RetryableToolFailure):
        shared_pool.run("sandbox_tasks:forge", nonsense, limits=SHORT)
    assert shared_pool.run("sandbox_tasks:echo", b"next").payload == b"next"


def test_a_forged_cancellation_is_not_believed(shared_pool: WorkerPool) -> None:
    header = b'{"kind":"error","nonce":"%s","traceback":"","record":{"error":"Cancelled","message":"stop"}}' % NONCE
    with pytest.raises(RetryableToolFailure, match="malformed"):
        shared_pool.run("sandbox_tasks:forge", struct.pack("!4sIQ", b"OCT1", len(header), 0) + header, limits=SHORT)


def test_a_forged_length_costs_the_host_no_memory(shared_pool: WorkerPool) -> None:
    huge = struct.pack("!4sIQ", b"OCT1", 17, 1 << 60) + b'{"kind":"result"}'
    with pytest.raises(ContentTooLarge, match="returned 1152921504606846976 bytes"):
        shared_pool.run("sandbox_tasks:forge", huge, limits=SHORT)


@pytest.mark.parametrize("task", ["hang_up", "pass_a_descriptor"])
def test_a_worker_that_breaks_the_channel_is_killed(make_pool: Callable[..., WorkerPool], task: str) -> None:
    """Without protections: behind them no descriptor can be sent at all."""
    pool = make_pool(size=1, level="process")
    assert pool.run("sandbox_tasks:echo", b"").payload == b""
    here = psutil.Process().num_fds()
    with pytest.raises((RetryableToolFailure, Exception)) as caught:
        pool.run(f"sandbox_tasks:{task}", b"", limits=SandboxLimits(wall_seconds=1))
    assert caught.type.__name__ in ("RetryableToolFailure", "ConversionTimeout")
    assert psutil.Process().num_fds() <= here


def test_a_folder_put_in_another_place_ends_the_worker_and_spares_the_place(
    make_pool: Callable[..., WorkerPool], tmp_path: Path
) -> None:
    """A worker that swaps its folder for a link gets nobody else's folder emptied."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letter.txt").write_text("dear")
    pool = make_pool(size=1)
    culprit = pool.run("sandbox_tasks:forfeit_folder", str(precious).encode()).payload
    assert pool.run("sandbox_tasks:pid", b"").payload != culprit
    assert (precious / "letter.txt").read_text() == "dear"


def test_a_python_that_does_not_start_is_an_unavailable_tool(
    make_pool: Callable[..., WorkerPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = make_pool(size=1)
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(ToolUnavailable, match=r"a worker did not start: .* exited with code 1"):
        pool.run("sandbox_tasks:echo", b"")
    assert pool.level == "none"
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(ToolUnavailable, match="cannot be started"):
        pool.run("sandbox_tasks:echo", b"")
    monkeypatch.setattr("sys.executable", "")
    with pytest.raises(ToolUnavailable, match="does not know its own executable"):
        pool.warm()
