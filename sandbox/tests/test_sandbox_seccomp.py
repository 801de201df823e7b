"""The system-call filter, run by an interpreter of its small language for both architectures."""

from __future__ import annotations

import errno
import struct
import sys

import pytest
from octavo_sandbox.linux import landlock, seccomp
from octavo_sandbox.linux.seccomp import ALLOW, DENY, PRETEND, REFUSE, UNKNOWN, Program
from octavo_sandbox.linux.syscalls import ARCHITECTURES, Architecture

PID = 4321
READ = {"x86_64": 0, "aarch64": 63}
AF_INET, AF_UNIX, AF_TIPC = 2, 1, 30
STREAM, DATAGRAM, CLOSE_ON_EXEC = 1, 2, 0o2000000
POINTER, HIGH_POINTER = 0x7F00_1234_5678, 0x7F00_0000_0000
THREAD_FLAGS, FORK_FLAGS, NEW_USER_NAMESPACE = 0x003D0F00, 0x01200011, 0x10000011


def decide(program: Program, *, audit: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would return for a call: classic BPF over `struct seccomp_data`."""
    data = struct.pack("=IIQ6Q", number, audit, 0, *(arguments + (0,) * (6 - len(arguments))))
    at = accumulator = 0
    while True:
        code, jump_true, jump_false, operand = program[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:
            return operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[code]
            at += jump_true if holds else jump_false


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def verdict(machine: str, name: str, *arguments: int, subprocess: bool = False) -> int:
    architecture = ARCHITECTURES[machine]
    program = seccomp.build(architecture, subprocess=subprocess, pid=PID)
    return decide(program, audit=architecture.audit, number=architecture.numbers[name], arguments=arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "shared", "programs"),
    [
        ("socket", (AF_UNIX,), DENY, ALLOW),
        ("socketpair", (AF_UNIX, STREAM), ALLOW, ALLOW),
        ("socketpair", (AF_UNIX, STREAM | CLOSE_ON_EXEC), ALLOW, ALLOW),
        ("socketpair", (AF_UNIX, DATAGRAM | CLOSE_ON_EXEC), DENY, ALLOW),
        ("socketpair", (AF_TIPC, STREAM), DENY, DENY),
        ("sendto", (3, POINTER, 6, 0, 0), ALLOW, ALLOW),
        ("sendto", (3, POINTER, 6, 0, POINTER), DENY, ALLOW),
        ("sendto", (3, POINTER, 6, 0, HIGH_POINTER), DENY, ALLOW),
        ("sendmsg", (), DENY, ALLOW),
        ("sendmmsg", (), DENY, ALLOW),
        ("socket", (AF_INET,), DENY, DENY),
        ("connect", (), DENY, ALLOW),
        ("clone", (THREAD_FLAGS,), ALLOW, ALLOW),
        ("clone", (FORK_FLAGS,), REFUSE, ALLOW),
        ("clone", (NEW_USER_NAMESPACE,), REFUSE, REFUSE),
        ("clone3", (), UNKNOWN, UNKNOWN),
        ("execve", (), REFUSE, ALLOW),
        ("setsid", (), REFUSE, ALLOW),
        ("kill", (PID,), ALLOW, ALLOW),
        ("kill", (0,), ALLOW, ALLOW),
        ("kill", (1,), REFUSE, ALLOW),
        ("kill", (0xFFFFFFFF,), REFUSE, ALLOW),
        ("tgkill", (PID,), ALLOW, ALLOW),
        ("prlimit64", (0,), ALLOW, ALLOW),
        ("prlimit64", (1,), REFUSE, REFUSE),
        ("prctl", (1,), REFUSE, ALLOW),
        ("prctl", (4,), REFUSE, ALLOW),
        ("prctl", (15,), ALLOW, ALLOW),
        ("sched_setaffinity", (0,), ALLOW, ALLOW),
        ("sched_setaffinity", (PID,), ALLOW, ALLOW),
        ("sched_setaffinity", (1,), REFUSE, REFUSE),
        ("sched_setattr", (1,), REFUSE, REFUSE),
        ("setpriority", (0, 0), ALLOW, ALLOW),
        ("setpriority", (0, 1), REFUSE, REFUSE),
        ("setpriority", (2, 0), REFUSE, REFUSE),
        ("ioprio_set", (1, PID), ALLOW, ALLOW),
        ("ioprio_set", (1, 1), REFUSE, REFUSE),
        ("ioprio_set", (3, 0), REFUSE, REFUSE),
        ("fchmod", (), PRETEND, PRETEND),
        ("utimensat", (3, 0, POINTER), PRETEND, PRETEND),
        ("utimensat", (3, 0, HIGH_POINTER), PRETEND, PRETEND),
        ("utimensat", (3, 0, 0), PRETEND, PRETEND),
        ("utimensat", (3, POINTER, 0), REFUSE, REFUSE),
        ("utimensat", (3, HIGH_POINTER, 0), REFUSE, REFUSE),
        ("flock", (), PRETEND, PRETEND),
        ("fcntl", (3, 1), ALLOW, ALLOW),
        ("fcntl", (3, 1024), REFUSE, REFUSE),
        ("ioctl", (3, 0x5401), ALLOW, ALLOW),
        ("ioctl", (3, 0x40086602), REFUSE, REFUSE),
        ("setxattr", (), REFUSE, REFUSE),
        ("ptrace", (), REFUSE, REFUSE),
        ("io_uring_setup", (), REFUSE, REFUSE),
        ("mount", (), REFUSE, REFUSE),
        ("process_vm_writev", (), REFUSE, REFUSE),
    ],
)
def test_a_call_is_decided(machine: str, name: str, arguments: tuple[int, ...], shared: int, programs: int) -> None:
    assert verdict(machine, name, *arguments) == shared
    assert verdict(machine, name, *arguments, subprocess=True) == programs


@pytest.mark.parametrize(("name", "times"), [("utime", 1), ("utimes", 1), ("futimesat", 2)])
def test_the_older_ways_to_set_times_are_closed(name: str, times: int) -> None:
    """They are calls of x86 alone."""
    given = (POINTER,) * times + (POINTER,)
    assert verdict("x86_64", name, *given) == PRETEND
    assert verdict("x86_64", name, *given[:-1], 0) == REFUSE


def test_what_no_rule_names_is_allowed(machine: str) -> None:
    architecture = ARCHITECTURES[machine]
    program = seccomp.build(architecture, subprocess=False, pid=PID)
    assert decide(program, audit=architecture.audit, number=READ[machine]) == ALLOW


def test_calls_by_another_convention_are_refused() -> None:
    """A filter that looks at numbers alone is passed by calling with those of 32-bit programs."""
    architecture = ARCHITECTURES["x86_64"]
    program = seccomp.build(architecture, subprocess=False, pid=PID)
    assert decide(program, audit=0x40000003, number=0) == REFUSE
    assert decide(program, audit=architecture.audit, number=0x40000000) == REFUSE


def test_every_name_is_known_to_an_architecture() -> None:
    known = set().union(*(architecture.numbers for architecture in ARCHITECTURES.values()))
    named = {*seccomp.KERNEL_DOORS, *seccomp.ATTRIBUTES, *seccomp.EXTENDED_ATTRIBUTES, *seccomp.PROCESSES}
    assert named <= known


def test_numbers_do_not_repeat(machine: str) -> None:
    numbers = list(ARCHITECTURES[machine].numbers.values())
    assert len(numbers) == len(set(numbers))


def test_the_program_fits_the_kernels_limit(machine: str) -> None:
    assert len(seccomp.build(ARCHITECTURES[machine], subprocess=False, pid=PID)) < 4096


def test_no_filter_where_none_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert seccomp.this_architecture() is None
    monkeypatch.setattr(sys, "platform", "darwin")
    assert seccomp.this_architecture() is None
    assert landlock.abi() == 0


def test_the_verdicts_are_the_errors_they_stand_for() -> None:
    assert [verdict & 0xFFFF for verdict in (REFUSE, DENY, UNKNOWN, PRETEND)] == [
        errno.EPERM, errno.EACCES, errno.ENOSYS, 0,
    ]  # fmt: skip


@pytest.mark.parametrize(("version", "rights"), [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (7, 16)])
def test_each_landlock_refuses_the_rights_it_knows(version: int, rights: int) -> None:
    assert landlock.rights_known_to(version) == (1 << rights) - 1


def test_an_architecture_is_found_for_this_machine() -> None:
    if sys.platform != "linux":
        pytest.skip("seccomp is Linux's own")
    found = seccomp.this_architecture()
    assert found is None or isinstance(found, Architecture)
