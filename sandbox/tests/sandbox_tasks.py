"""Functions that the sandbox's tests run in workers: some that serve, most that misbehave."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from octavo_contracts import HookContext, SourceCorrupt, SourceView

MIB = 1 << 20


def echo(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return payload


def pid(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return str(os.getpid()).encode()


def loaded_modules(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return " ".join(name for name in payload.decode().split() if name in sys.modules).encode()


def many_bytes(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return bytes(int(payload))


def text(payload: bytes, source: SourceView | None, context: HookContext) -> Any:
    return "no bytes"


def surroundings(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    facts = {
        "environ": dict(os.environ),
        "cwd": os.getcwd(),
        "work_dir": str(context.work_dir),
        "temp": tempfile.gettempdir(),
        "left": sorted(os.listdir(context.work_dir)),
        "remaining": context.remaining(),
        "umask": os.umask(0o077),
        "hash": hash("octavo"),
        "session": os.getsid(0) == os.getpid(),
        "stdin": sys.stdin.read(),
        "safe_path": sys.flags.safe_path,
        "user_site": not sys.flags.no_user_site,
    }
    Path(context.work_dir, "left-behind").write_bytes(payload)
    return json.dumps(facts).encode()


def spin(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    while True:
        pass


def sleep(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    time.sleep(float(payload))
    return b"slept"


def hold_the_gil(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return bytes(bool(re.match(r"(a+)+$", "a" * 64 + "b")))


def segfault(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    ctypes.string_at(0)
    raise AssertionError("unreachable")


def abort(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    os.abort()


def leave(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    os._exit(7)


def spend_processor_time(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    signal.raise_signal(signal.SIGXCPU)
    raise AssertionError("unreachable")


def one_large_block(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return bytes(len(bytearray(int(payload) * MIB)) > 0)


def many_small_objects(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    kept: list[object] = []
    while True:
        kept.append([len(kept)])


def memory_no_limit_counts(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Shared mappings are no data to RLIMIT_DATA: only the host's monitor sees them."""
    import mmap

    kept = [mmap.mmap(-1, int(payload) * MIB)]
    for at in range(0, len(kept[0]), 4096):
        kept[0][at] = 1
    time.sleep(30)
    return b""


_LEAK: list[bytearray] = []


def leak(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    _LEAK.append(bytearray(b"x" * (int(payload) * MIB)))
    return str(os.getpid()).encode()


def print_much(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    line = "chatter " * 1000
    for _ in range(int(payload) * MIB // len(line)):
        print(line)  # noqa: T201 - what an engine should not do is what is tested
    return b"done"


def print_and_crash(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    print("last words", flush=True)  # noqa: T201 - what an engine should not do is what is tested
    os.write(2, b"in the error stream\n")
    os.abort()


def typed_error(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    raise SourceCorrupt("the trailer is missing", source="a.pdf", plugin="pdfium", page=3, remedy="Save it again")


def malformed_error(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    raise SourceCorrupt("no such page", page=0)


def untyped_error(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    raise ValueError("seven is no page")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def unprintable_error(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    raise Unprintable


def system_exit(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    sys.exit("enough")


def try_to_fork(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    refused = []
    attempts = {
        "fork": os.fork,
        "run": lambda: subprocess.run(["/bin/true"], check=True),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "setsid": os.setsid,
    }
    for name, attempt in attempts.items():
        try:
            attempt()
        except PermissionError:
            refused.append(name)
    return json.dumps(refused).encode()


def network_families_refused() -> list[str]:
    refused = []
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        try:
            socket.socket(family, socket.SOCK_RAW if family == socket.AF_NETLINK else socket.SOCK_STREAM).close()
        except PermissionError:
            refused.append(family.name)
    return refused


def try_network_only(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return json.dumps(network_families_refused()).encode()


def outcomes(attempts: Mapping[str, Callable[[], object]]) -> bytes:
    """Each attempt's name with "done" or the name of its error, as JSON."""
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
            found[name] = "done"
        except OSError as error:
            found[name] = errno.errorcode[error.errno or 0]
    return json.dumps(found).encode()


def try_local_sockets(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Every way to reach the socket at `payload`, a path, and the one way that leads nowhere else."""
    address = payload.decode()
    host = channel()
    near, far = socket.socketpair()
    with host, near, far:
        near.sendall(b"within")
        assert far.recv(6) == b"within"
        return outcomes(
            {
                "socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).close(),
                "stream": lambda: socket.socket(socket.AF_UNIX).close(),
                "datagram pair": lambda: [end.close() for end in socket.socketpair(type=socket.SOCK_DGRAM)],
                "packet pair": lambda: [end.close() for end in socket.socketpair(type=socket.SOCK_SEQPACKET)],
                "connect": lambda: near.connect(address),
                "sendto": lambda: near.sendto(b"secret", address),
                "sendmsg": lambda: near.sendmsg([b"secret"], [], 0, address),
                "channel": lambda: host.sendto(b"secret", address),
            }
        )


def try_datagram(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        return outcomes({"bind": lambda: sender.bind("mine")})


def tamper_with_original(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """What a descriptor for reading allows, and its way through /proc, short of writing."""
    fd: int = source._fd  # type: ignore[union-attr]  # hostile code looks where it should not
    path = f"/proc/self/fd/{fd}"
    return outcomes(
        {
            "utime": lambda: os.utime(fd, (1, 1)),
            "utime now": lambda: os.utime(fd),
            "utime by path": lambda: os.utime(path, (1, 1)),
            "utime by path now": lambda: os.utime(path),
            "fchmod": lambda: os.fchmod(fd, 0o777),
            "flags": lambda: fcntl.ioctl(fd, 0x40086602, struct.pack("l", 0x40)),
            "project": lambda: fcntl.ioctl(fd, 0x401C5820, bytes(28)),
            "version": lambda: fcntl.ioctl(fd, 0x40087602, struct.pack("l", 7)),
            "lease": lambda: fcntl.fcntl(fd, 1024, fcntl.F_RDLCK),
            "owner": lambda: fcntl.fcntl(fd, fcntl.F_SETOWN, os.getppid()),
            "flock": lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
        }
    )


def copy_with_times(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """What honest tools do with times."""
    first, second = Path(context.work_dir, "first"), Path(context.work_dir, "second")
    first.touch()
    first.touch()
    first.write_bytes(payload)
    shutil.copy2(first, second)
    return second.read_bytes()


def slow_down_others(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Reschedule the process that `payload` names, then this one."""
    other = int(payload)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    return outcomes(
        {
            "affinity": lambda: os.sched_setaffinity(other, {0}),
            "scheduler": lambda: os.sched_setscheduler(other, os.SCHED_IDLE, os.sched_param(0)),
            "parameters": lambda: os.sched_setparam(other, os.sched_param(0)),
            "priority": lambda: os.setpriority(os.PRIO_PROCESS, other, 15),
            "priority of user": lambda: os.setpriority(os.PRIO_USER, 0, 15),
            "limits": lambda: resource.prlimit(other, resource.RLIMIT_NOFILE, limit),
            "own affinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
            "own priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0)),
            "own limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit),
        }
    )


def try_to_signal(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    os.kill(os.getpid(), 0)
    os.kill(int(payload), 0)
    return b"signalled"


def signal_parent(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    os.kill(os.getppid(), signal.SIGSTOP)
    return b"signalled"


def try_to_read(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return Path(payload.decode()).read_bytes()


def try_to_write(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    Path(payload.decode()).write_bytes(b"written")
    return b"written"


def change_mode(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    os.chmod(payload.decode(), 0o777)
    return b"changed"


def use_threads(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    done: list[int] = []
    threads = [threading.Thread(target=done.append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return bytes(sorted(done))


def run_program(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    return subprocess.run(["/bin/echo", "from a program"], check=True, capture_output=True).stdout


def leave_children(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Start a sleeper in a session of its own, then end as the payload says."""
    sleeper = subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True, stdout=subprocess.DEVNULL)
    if payload == b"abort":
        print(f"sleeper {sleeper.pid}", flush=True)  # noqa: T201 - the only way to tell the test before dying
        os.abort()
    if payload.startswith(b"/"):
        Path(payload.decode()).write_text(str(sleeper.pid))
        time.sleep(1000)
    sleeper.returncode = 0  # the host ends it; nobody here waits for it
    return str(sleeper.pid).encode()


def start_many(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    sleepers = [subprocess.Popen(["/bin/sleep", "1000"]) for _ in range(int(payload))]
    for sleeper in sleepers:
        sleeper.wait()
    return b""


def read_source(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    assert source is not None
    first, second = source.open(), source.open()
    with first, second:
        first.seek(4)
        begin, middle = second.read(4), first.read(4)
        first.seek(-4, os.SEEK_END)
        end = first.read()
        second.seek(0)
        again = second.read()
    facts = [begin, middle, end, again, source.read_bytes(), source.path.read_bytes()]
    return json.dumps([part.decode() for part in facts] + [source.path.suffix, str(source.path.parent)]).encode()


def describe_source(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    assert source is not None
    return json.dumps([source.name, source.media_type, source.size, source.sha256]).encode()


def write_through_descriptors(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Try every descriptor, and its way back through /proc, for the right to write the original."""
    written = []
    for number in range(3, 64):
        for attempt in (lambda fd: os.pwrite(fd, b"X", 0), lambda fd: os.open(f"/proc/self/fd/{fd}", os.O_RDWR)):
            try:
                if os.fstat(number).st_size == len(payload) and os.pread(number, 1 << 16, 0) == payload:
                    attempt(number)
                    written.append(number)
            except OSError:
                continue
    return json.dumps(written).encode()


def flood_files(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    for number in range(int(payload)):
        Path(context.work_dir, f"file-{number}").touch()
    return b"done"


def flood_bytes(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    block = b"x" * MIB
    for number in range(int(payload)):
        Path(context.work_dir, f"file-{number}").write_bytes(block)
    time.sleep(30)
    return b"done"


def one_large_file(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    Path(context.work_dir, "large").write_bytes(bytes(int(payload) * MIB))
    return b"done"


def nameless_files(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    descriptors = [os.memfd_create(f"part-{number}") for number in range(int(payload))]
    for fd in descriptors:
        os.write(fd, b"x" * MIB)
    time.sleep(30)
    return b"done"


def dig_deep(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    for _ in range(int(payload)):
        os.mkdir("deeper" * 40)
        os.chdir("deeper" * 40)
    Path("bottom").touch()
    return b"done"


def forfeit_folder(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Put a link to somebody's folder where the host will clear up."""
    os.rename(context.work_dir, f"{context.work_dir}-moved")
    os.symlink(payload.decode(), context.work_dir)
    return str(os.getpid()).encode()


def channel() -> socket.socket:
    for number in range(3, 64):
        try:
            return socket.socket(fileno=os.dup(number))
        except OSError:
            continue
    raise AssertionError("a worker has a socket to its host")


NONCE = b"N" * 32
"""Where a forged frame wants the nonce of the call it is sent in."""


def nonce_of_this_call() -> bytes:
    """Found on the stack: nothing is secret within a process."""
    frame = sys._getframe()
    while "call" not in frame.f_locals:
        assert frame.f_back is not None
        frame = frame.f_back
    return str(frame.f_locals["call"]["nonce"]).encode()


def forge(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Say something of one's own over the channel, as a worker would that a document has taken over."""
    channel().sendall(payload.replace(NONCE, nonce_of_this_call()))
    time.sleep(30)
    return b""


def answer_ahead(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Send a result for the next call, `payload` seconds after this one has been answered."""
    header = f'{{"kind":"result","nonce":"{nonce_of_this_call().decode()}","duration_ms":1,"peak_rss_mb":1}}'.encode()
    frame = struct.pack("!4sIQ", b"OCT1", len(header), 6) + header + b"forged"
    threading.Timer(float(payload), channel().sendall, [frame]).start()
    return str(os.getpid()).encode()


_KEPT: list[Any] = []


def keep(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Hold on to what the payload names beyond the call."""
    assert source is not None
    what = payload.decode()
    if what == "descriptor":
        _KEPT.append(os.dup(source._fd))  # type: ignore[attr-defined]  # hostile code looks where it should not
    elif what == "stream":
        _KEPT.append(source.open())
    elif what == "copy":
        _KEPT.append(source.path.open("rb"))
    elif what == "memory":
        _KEPT.append(os.memfd_create("copy"))
    else:
        cycle: list[Any] = [source.open(), source.path.open("rb")]
        cycle.append(cycle)
    return str(os.getpid()).encode()


def leave_notes(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """What earlier calls left in the folders, and one note more in the folder that the payload names."""
    home = Path(os.environ["HOME"])
    found = sorted(os.listdir(home)) + sorted(os.listdir(context.work_dir))
    folder = {"home": home, "beside": home.parent}[payload.decode()]
    (folder / "note").write_text("of this document")
    return json.dumps([os.getpid(), *found]).encode()


def flood_beside(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Files in the worker's own root, apart from both folders it was given."""
    for number in range(int(payload)):
        Path(os.environ["HOME"]).with_name(f"file-{number}").touch()
    return b"done"


def start_threads(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    never = threading.Event()
    threading.stack_size(1 << 16)
    for _ in range(int(payload)):
        threading.Thread(target=never.wait, daemon=True).start()
    return b"done"


def hang_up(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    channel().shutdown(socket.SHUT_RDWR)
    time.sleep(30)
    return b""


def pass_a_descriptor(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    socket.send_fds(channel(), [b"OC"], [0, 1, 2])
    time.sleep(30)
    return b""


def ancestry(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """What a worker has of the process it was forked from, and of its neighbours."""
    facts = {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "umask": os.umask(0o077),
        "descriptors": sorted(
            target
            for number in os.listdir("/proc/self/fd")
            if (target := _target(number)) and not target.startswith(("pipe:", "/dev/null"))
        ),
        "modules": sorted(sys.modules),
        "tempdir": tempfile.tempdir,
        "random": random.random(),
    }
    return json.dumps(facts).encode()


def _target(number: str) -> str:
    """What a descriptor is, by its kind; nothing for the one that listed them."""
    try:
        target = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return ""
    return target.split("[")[0]


def kill_process(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Kill a process and wait for what comes of it."""
    os.kill(int(payload), signal.SIGKILL)
    time.sleep(60)
    return b""
