"""A seccomp filter: the system calls that a worker may make, enforced by the kernel.

Landlock guards paths. The filter guards what has no path: sockets, processes, signals, rarely used kernel
interfaces, and the file attributes that Landlock does not cover. It is built as plain data, so a test can run it.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from typing import NamedTuple

from . import libc
from .syscalls import ARCHITECTURES, Architecture

_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16

ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
REFUSE = _ERRNO | errno.EPERM
DENY = _ERRNO | errno.EACCES
UNKNOWN = _ERRNO | errno.ENOSYS
PRETEND = _ERRNO | 0
"""The call is skipped and reports success."""
ASK = 0x7FC00000
"""A process that listens decides about the call."""

_AF_UNIX = 1
_CLONE_THREAD = 0x00010000
_CLONE_NEW_NAMESPACES = 0x7E020000
_PDEATHSIG, _DUMPABLE = 1, 4
_STREAM_SOCKETS = tuple(1 | flags for flags in (0, 0o4000, 0o2000000, 0o2004000))
"""SOCK_STREAM, alone and with SOCK_NONBLOCK and SOCK_CLOEXEC."""
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_FILE_CONTROLS = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY: signal other processes, or block their access to a file."""
_FILE_IOCTLS = (
    0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x40086604, 0x40046604,
    0x40806685, 0x800C6613, 0xC0045877, 0xC0045878, 0x41009432,
    0x8901, 0x8902,
)  # fmt: skip
"""Flags, project, version of a file; verity, encryption, freezing, label of its file system; signal owner."""

_SET_MODE_FILTER, _FLAG_ALL_THREADS, _FLAG_NEW_LISTENER = 1, 1, 8


class Instruction(NamedTuple):
    """One instruction of classic BPF; a jump is relative to the next instruction."""

    code: int
    jump_true: int
    jump_false: int
    operand: int


Program = list[Instruction]


def build(architecture: Architecture, *, subprocess: bool, pid: int) -> Program:
    """Build the filter for one worker.

    Args:
        architecture: the machine's system-call numbers.
        subprocess: whether programs may be started; if not, only threads may, and the only sockets are stream pairs.
        pid: the worker's process id. The worker may not change limits, priority or CPU affinity of another process,
            nor, without `subprocess`, signal one.
    """
    builder = _Builder(architecture)
    builder.refuse(REFUSE, *KERNEL_DOORS)
    _guard_files(builder)
    _guard_neighbours(builder, pid)
    # The flags of clone3 are in memory that a filter cannot read; if refused, the C library falls back to clone.
    builder.refuse(UNKNOWN, "clone3")
    builder.if_bits("clone", 0, _CLONE_NEW_NAMESPACES, REFUSE)
    builder.unless_equal("socketpair", 0, (_AF_UNIX,), DENY)
    if subprocess:
        builder.unless_equal("socket", 0, (_AF_UNIX,), DENY)
    else:
        _guard_loner(builder, pid)
    return builder.finish()


def build_wire(architecture: Architecture) -> Program:
    """Build a filter that asks its listener about each network socket, and allows everything else."""
    builder = _Builder(architecture)
    builder.unless_equal("socket", 0, (_AF_UNIX,), ASK)
    return builder.finish()


def _guard_loner(builder: _Builder, pid: int) -> None:
    """Isolate a worker that starts no programs: its channel to the host is its only connection."""
    builder.refuse(REFUSE, *PROCESSES)
    builder.unless_bits("clone", 0, _CLONE_THREAD, REFUSE)
    # A stream pair is connected to one peer permanently. A datagram socket, even one of a pair, can send to any
    # address, so to any listening program on the machine. `sendmsg` passes the address where a filter cannot read it.
    builder.refuse(DENY, "socket", "connect", "bind", "sendmsg", "sendmmsg")
    builder.unless_equal("socketpair", 1, _STREAM_SOCKETS, DENY)
    builder.unless_null("sendto", 4, DENY)
    for name in ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        builder.unless_equal(name, 0, (0, pid), REFUSE)
    # This process must keep dying with its host, and the host must keep access to its /proc entry.
    builder.if_equal("prctl", 0, (_PDEATHSIG, _DUMPABLE), REFUSE)


def _guard_files(builder: _Builder) -> None:
    """Guard file attributes, which Landlock does not: through any path or read-only descriptor a worker could set them.

    All files that a worker may write are deleted afterwards. So a tool that copies modes, owners and times loses
    nothing if the calls only pretend to succeed, and a hostile tool cannot change the mode, owner or times of the
    user's files, or lock them.
    """
    builder.refuse(PRETEND, *ATTRIBUTES)
    builder.refuse(REFUSE, *EXTENDED_ATTRIBUTES)
    # Setting explicit times pretends to succeed. Setting "now" by path is refused: tools use it to test whether a
    # file exists, and create the file if the call fails.
    builder.unless_null("utimensat", 2, PRETEND)
    builder.unless_null("utimensat", 1, REFUSE)
    builder.refuse(PRETEND, "utimensat")
    for name, times in (("utime", 1), ("utimes", 1), ("futimesat", 2)):
        builder.unless_null(name, times, PRETEND)
        builder.refuse(REFUSE, name)
    builder.if_equal("ioctl", 1, _FILE_IOCTLS, REFUSE)
    builder.if_equal("fcntl", 1, _FILE_CONTROLS, REFUSE)
    # A lock on the user's file would block the user's programs; no other program sees the worker's own files.
    builder.refuse(PRETEND, "flock")


def _guard_neighbours(builder: _Builder, pid: int) -> None:
    """Protect limits, scheduling and priority of all other processes, above all the host's."""
    for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        builder.unless_equal(name, 0, (0, pid), REFUSE)
    for name, kind in (("setpriority", _PRIO_PROCESS), ("ioprio_set", _IOPRIO_WHO_PROCESS)):
        builder.unless_equal(name, 0, (kind,), REFUSE)
        builder.unless_equal(name, 1, (0, pid), REFUSE)


class _Builder:
    """Emits one block for each rule; between blocks the accumulator holds the call's number."""

    def __init__(self, architecture: Architecture) -> None:
        self._numbers = architecture.numbers
        self._program: Program = [
            Instruction(_LOAD, 0, 0, _ARCH_AT),
            Instruction(_EQUAL, 1, 0, architecture.audit),
            Instruction(_RETURN, 0, 0, REFUSE),
            Instruction(_LOAD, 0, 0, _NUMBER_AT),
        ]
        if architecture.foreign_from is not None:
            self._program += [
                Instruction(_AT_LEAST, 0, 1, architecture.foreign_from),
                Instruction(_RETURN, 0, 0, REFUSE),
            ]

    def refuse(self, verdict: int, *names: str) -> None:
        """Always end these calls with `verdict`; skip calls that this architecture does not have."""
        for name in names:
            self._rule(name, [Instruction(_RETURN, 0, 0, verdict)])

    def unless_equal(self, name: str, argument: int, values: tuple[int, ...], verdict: int) -> None:
        """End the call with `verdict` unless the low word of an argument is one of `values`."""
        tests = [Instruction(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        self._rule(name, [_load(argument), *tests, Instruction(_RETURN, 0, 0, verdict)])

    def if_equal(self, name: str, argument: int, values: tuple[int, ...], verdict: int) -> None:
        """End the call with `verdict` if the low word of an argument is one of `values`."""
        last = len(values) - 1
        tests = [Instruction(_EQUAL, last - at, int(at == last), value) for at, value in enumerate(values)]
        self._rule(name, [_load(argument), *tests, Instruction(_RETURN, 0, 0, verdict)])

    def unless_null(self, name: str, argument: int, verdict: int) -> None:
        """End the call with `verdict` unless an argument, a pointer, is null in both words."""
        refused = Instruction(_RETURN, 0, 0, verdict)
        low, high = _load(argument), _load(argument, high=True)
        self._rule(name, [low, Instruction(_EQUAL, 1, 0, 0), refused, high, Instruction(_EQUAL, 1, 0, 0), refused])

    def unless_bits(self, name: str, argument: int, bits: int, verdict: int) -> None:
        """End the call with `verdict` unless the argument has one of `bits`."""
        self._rule(name, [_load(argument), Instruction(_BITS, 1, 0, bits), Instruction(_RETURN, 0, 0, verdict)])

    def if_bits(self, name: str, argument: int, bits: int, verdict: int) -> None:
        """End the call with `verdict` if the argument has one of `bits`."""
        self._rule(name, [_load(argument), Instruction(_BITS, 0, 1, bits), Instruction(_RETURN, 0, 0, verdict)])

    def finish(self) -> Program:
        """Return the program; it allows every call that no rule names."""
        return [*self._program, Instruction(_RETURN, 0, 0, ALLOW)]

    def _rule(self, name: str, block: Program) -> None:
        number = self._numbers.get(name)
        if number is None:
            return
        if len(block) > 1:
            block = [*block, Instruction(_LOAD, 0, 0, _NUMBER_AT)]
        self._program += [Instruction(_EQUAL, 0, len(block), number), *block]


def _load(argument: int, *, high: bool = False) -> Instruction:
    """Load one word of an argument; both architectures are little-endian."""
    return Instruction(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument + 4 * high)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def this_architecture() -> Architecture | None:
    """System-call numbers of this machine, or None if there is no filter for it."""
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return None
    return ARCHITECTURES.get(platform.machine())


def install(program: Program) -> None:
    """Irrevocably install a filter on every thread of this process.

    Raises:
        OSError: the kernel refused.
    """
    _install(program, _FLAG_ALL_THREADS)


def install_listener(program: Program) -> int:
    """Irrevocably install a filter on this process, and return the descriptor from which its questions are read.

    Raises:
        OSError: the kernel refused.
    """
    return _install(program, _FLAG_NEW_LISTENER)


def _install(program: Program, flags: int) -> int:
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_program = _FilterProgram(length=len(program), instructions=ctypes.addressof(buffer))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    architecture = this_architecture()
    if architecture is None:
        raise OSError(errno.ENOSYS, "there is no seccomp filter for this architecture")
    return libc.syscall(architecture.numbers["seccomp"], _SET_MODE_FILTER, flags, filter_program)


KERNEL_DOORS = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd", "kcmp",
    "migrate_pages", "move_pages",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "unshare", "setns", "open_by_handle_at", "name_to_handle_at",
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "add_key", "request_key", "keyctl", "lookup_dcookie",
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm",
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "vhangup",
    "sethostname", "setdomainname", "settimeofday", "adjtimex", "clock_settime", "clock_adjtime",
    "shmget", "semget", "msgget", "mq_open",
)  # fmt: skip
"""Calls that no converter needs: other processes, mounts, the kernel itself, memory that outlives the process, and file
watches, which reveal names in unreadable folders; a privileged watch can also block other processes that open files."""

ATTRIBUTES = ("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat")
"""Modes and owners of files."""

EXTENDED_ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
    "removexattrat", "file_setattr",
)  # fmt: skip

PROCESSES = ("fork", "vfork", "execve", "execveat", "setsid", "setpgid", "tkill", "pidfd_send_signal")
"""Starting programs, leaving the process group, and signals by thread id or process descriptor."""
