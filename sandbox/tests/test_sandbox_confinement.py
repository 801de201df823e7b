"""What a confined worker cannot do, tried by a worker (security.md, "While parsing")."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import ConverterCrashed, ToolUnavailable
from octavo_sandbox import SandboxLevel, SourceHandle, WorkerGroup, WorkerPool, probe_level
from octavo_sandbox.confine import confine

PROGRAMS = WorkerGroup(name="programs", subprocess=True)


@pytest.fixture(scope="module")
def level() -> SandboxLevel:
    return probe_level()


@pytest.fixture
def landlocked(level: SandboxLevel) -> None:
    if not level.landlock_abi:
        pytest.skip(f"this kernel has no Landlock: {level.missing}")


@pytest.fixture
def filtered(level: SandboxLevel) -> None:
    if not level.seccomp:
        pytest.skip(f"this system has no seccomp filter: {level.missing}")


def test_the_level_is_the_one_that_was_reached(shared_pool: WorkerPool, level: SandboxLevel) -> None:
    assert shared_pool.level == level.name
    assert (level.name == "landlock+seccomp") == (level.missing == ())


def test_a_level_is_named_by_the_fences_that_hold() -> None:
    assert SandboxLevel().name == "process"
    assert SandboxLevel(landlock_abi=3).name == "landlock"
    assert SandboxLevel(seccomp=True).name == "seccomp"
    assert SandboxLevel(landlock_abi=7, seccomp=True).name == "landlock+seccomp"


def test_a_pool_without_fences_says_so(make_pool: Callable[..., WorkerPool], tmp_path: Path) -> None:
    pool = make_pool(size=1, level="process")
    assert pool.level == "process"
    assert pool.run("sandbox_tasks:try_to_write", str(tmp_path / "out").encode()).payload == b"written"


def test_a_required_level_is_had_or_refused(make_pool: Callable[..., WorkerPool], level: SandboxLevel) -> None:
    pool = make_pool(size=1, level="require")
    if level.name == "landlock+seccomp":
        assert pool.run("sandbox_tasks:echo", b"safe").payload == b"safe"
    else:
        with pytest.raises(ToolUnavailable, match="is required"):
            pool.run("sandbox_tasks:echo", b"")


def test_less_than_the_required_level_is_refused_with_the_reason(
    make_pool: Callable[..., WorkerPool], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = make_pool(size=1, level="require")
    monkeypatch.setattr(pool._spawner, "_confine", False)
    with pytest.raises(ToolUnavailable, match=r"sandbox level 'process'.*a process without protections") as caught:
        pool.run("sandbox_tasks:echo", b"")
    assert "Landlock" in caught.value.remedy
    assert pool.level == "process"


def test_a_process_with_threads_is_not_called_confined(tmp_path: Path) -> None:
    """Landlock would not hold for the older threads."""
    import threading

    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    try:
        level = confine(temp=tmp_path, subprocess=False, readable=(), home=None)
    finally:
        release.set()
        thread.join()
    assert level.name == "process"
    assert "thread" in level.missing[0]


@pytest.mark.parametrize("refusal", [OSError(38, "Function not implemented"), None], ids=["absent", "without effect"])
def test_a_fence_that_is_absent_or_does_not_hold_is_not_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: OSError | None
) -> None:
    """The level is what was tried after it was set up, not what the kernel said."""

    def put_up(*_: object, **__: object) -> int:
        if refusal is not None:
            raise refusal
        return 7

    monkeypatch.setattr("octavo_sandbox.confine._threads", lambda: 1)
    monkeypatch.setattr("octavo_sandbox.linux.landlock.restrict", put_up)
    monkeypatch.setattr("octavo_sandbox.linux.seccomp.install", put_up)
    level = confine(temp=tmp_path, subprocess=False, readable=(), home=None)
    assert level.name == "process"
    assert len(level.missing) == 2
    assert all(("is not available" if refusal else "has no effect") in reason for reason in level.missing)


def test_an_architecture_without_a_filter_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_sandbox.confine._threads", lambda: 1)
    monkeypatch.setattr("octavo_sandbox.linux.landlock.restrict", lambda **_: 7)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    level = confine(temp=tmp_path, subprocess=False, readable=(), home=None)
    assert "no filter for this architecture" in level.missing[1]


@pytest.mark.parametrize("wire", [None, {}, {"landlock_abi": "x", "seccomp": True, "missing": []}])
def test_a_malformed_level_is_refused(wire: object) -> None:
    with pytest.raises(ValueError, match=r"malformed|invalid literal"):
        SandboxLevel.from_wire(wire)


@pytest.mark.usefixtures("landlocked")
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_files_outside_can_not_be_read(shared_pool: WorkerPool, tmp_path: Path, lane: WorkerGroup) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    for path in (secret, Path("/etc/shadow"), Path(f"/proc/{os.getpid()}/environ")):
        with pytest.raises(ConverterCrashed, match="PermissionError"):
            shared_pool.run("sandbox_tasks:try_to_read", str(path).encode(), lane=lane)


@pytest.mark.usefixtures("landlocked")
def test_a_lane_may_read_what_it_names(shared_pool: WorkerPool, tmp_path: Path) -> None:
    model = tmp_path / "model.bin"
    model.write_bytes(b"weights")
    lane = WorkerGroup(name="model", readable=(tmp_path,))
    assert shared_pool.run("sandbox_tasks:try_to_read", str(model).encode(), lane=lane).payload == b"weights"
    with pytest.raises(ConverterCrashed, match="PermissionError"):
        shared_pool.run("sandbox_tasks:try_to_write", str(model).encode(), lane=lane)


@pytest.mark.usefixtures("landlocked")
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_nothing_outside_can_be_written(shared_pool: WorkerPool, tmp_path: Path, lane: WorkerGroup) -> None:
    for path in (tmp_path / "new", Path("/dev/shm/octavo-test"), Path("/tmp/octavo-test"), Path(__file__)):
        with pytest.raises(ConverterCrashed, match=r"PermissionError|FileNotFoundError"):
            shared_pool.run("sandbox_tasks:try_to_write", str(path).encode(), lane=lane)
        assert path == Path(__file__) or not path.exists()


@pytest.mark.usefixtures("filtered")
def test_modes_of_files_outside_can_not_be_changed(shared_pool: WorkerPool, tmp_path: Path) -> None:
    """The one thing Landlock leaves open; the call reports success so that copying tools go on."""
    letter = tmp_path / "letter"
    letter.touch(mode=0o600)
    assert shared_pool.run("sandbox_tasks:change_mode", str(letter).encode()).payload == b"changed"
    assert letter.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("filtered")
def test_no_program_starts_in_the_shared_lane(shared_pool: WorkerPool) -> None:
    refused = json.loads(shared_pool.run("sandbox_tasks:try_to_fork", b"").payload)
    assert refused == ["fork", "run", "exec", "setsid"]


@pytest.mark.usefixtures("filtered")
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_no_network_socket_is_made(shared_pool: WorkerPool, lane: WorkerGroup) -> None:
    refused = json.loads(shared_pool.run("sandbox_tasks:try_network_only", b"", lane=lane).payload)
    assert refused == ["AF_INET", "AF_INET6", "AF_NETLINK"]


@pytest.mark.usefixtures("filtered")
def test_no_program_of_this_machine_is_told_anything(shared_pool: WorkerPool, tmp_path: Path) -> None:
    """A datagram needs no connection: only the path of a socket that somebody listens at."""
    address = tmp_path / "service"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(str(address))
        service.setblocking(False)
        tried = json.loads(shared_pool.run("sandbox_tasks:try_local_sockets", str(address).encode()).payload)
        assert len(tried) == 8
        assert set(tried.values()) == {"EACCES"}
        with pytest.raises(BlockingIOError):
            service.recv(1)
    assert shared_pool.run("sandbox_tasks:echo", b"the channel works").payload == b"the channel works"


@pytest.mark.usefixtures("filtered")
def test_programs_talk_to_each_other(shared_pool: WorkerPool) -> None:
    tried = json.loads(shared_pool.run("sandbox_tasks:try_datagram", b"", lane=PROGRAMS).payload)
    assert tried == {"bind": "done"}


@pytest.mark.usefixtures("filtered")
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_nothing_of_the_original_is_changed_through_its_descriptor(
    shared_pool: WorkerPool, open_source: Callable[..., SourceHandle], tmp_path: Path, lane: WorkerGroup
) -> None:
    """CNV-17: neither times nor modes nor flags, and no lock keeps the user's programs out."""
    source = open_source(b"an original")
    before = (tmp_path / source.name).stat()
    with (tmp_path / source.name).open("rb") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        tried = json.loads(shared_pool.run("sandbox_tasks:tamper_with_original", b"", source=source, lane=lane).payload)
    after = (tmp_path / source.name).stat()
    pretended = {"utime", "utime now", "utime by path", "fchmod", "flock"}
    assert {name for name, outcome in tried.items() if outcome == "done"} == pretended
    assert {outcome for name, outcome in tried.items() if name not in pretended} == {"EPERM"}
    assert (after.st_mtime_ns, after.st_ctime_ns, after.st_mode) == (
        before.st_mtime_ns, before.st_ctime_ns, before.st_mode,
    )  # fmt: skip


@pytest.mark.usefixtures("filtered")
def test_tools_that_set_times_go_on(shared_pool: WorkerPool) -> None:
    assert shared_pool.run("sandbox_tasks:copy_with_times", b"text").payload == b"text"


@pytest.mark.usefixtures("filtered")
@pytest.mark.parametrize("lane", [WorkerGroup(), PROGRAMS], ids=["shared", "programs"])
def test_the_host_can_not_be_slowed_down(shared_pool: WorkerPool, lane: WorkerGroup) -> None:
    me = str(os.getpid()).encode()
    tried = json.loads(shared_pool.run("sandbox_tasks:slow_down_others", me, lane=lane).payload)
    own = {name: outcome for name, outcome in tried.items() if name.startswith("own")}
    assert set(own.values()) == {"done"}
    assert {outcome for name, outcome in tried.items() if name not in own} == {"EPERM"}


@pytest.mark.usefixtures("filtered")
def test_nobody_else_can_be_signalled(shared_pool: WorkerPool) -> None:
    with pytest.raises(ConverterCrashed, match="PermissionError"):
        shared_pool.run("sandbox_tasks:try_to_signal", str(os.getpid()).encode())


def test_threads_work(shared_pool: WorkerPool) -> None:
    assert shared_pool.run("sandbox_tasks:use_threads", b"").payload == bytes(range(8))


def test_programs_start_in_a_lane_that_may(shared_pool: WorkerPool) -> None:
    assert shared_pool.run("sandbox_tasks:run_program", b"", lane=PROGRAMS).payload == b"from a program\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the guardian needs Linux")
def test_a_guardian_can_not_be_reached_by_its_worker(shared_pool: WorkerPool, level: SandboxLevel) -> None:
    if level.landlock_abi < 6:
        pytest.skip("signals are fenced from Landlock 6 on")
    with pytest.raises(ConverterCrashed, match="PermissionError"):
        shared_pool.run("sandbox_tasks:signal_parent", b"", lane=PROGRAMS)
