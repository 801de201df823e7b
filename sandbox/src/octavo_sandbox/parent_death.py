"""Ties the lifetime of a worker to its host, and that of the worker's child processes to the worker.

On Linux the kernel kills the worker when its host dies. A worker that may start programs has a guardian above it: a
small unconfined process that adopts and kills the processes that the worker leaves behind. On other systems a thread
polls whether the host still runs.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

from .linux import libc

_POLL_SECONDS = 1.0


def follow_host(host: int, *, guarded: bool, channel: int) -> None:
    """Tie this process to its host.

    With `guarded`, on Linux, the process forks: the parent becomes the guardian and never returns, the child
    continues as the worker.

    Args:
        host: the host's process id.
        guarded: whether programs may be started.
        channel: descriptor of the socket, which the guardian must not hold open.
    """
    if sys.platform != "linux":
        threading.Thread(target=_monitor, args=(host,), name="octavo-lifeline", daemon=True).start()
        return
    if not guarded:
        libc.signal_at_parents_death(signal.SIGKILL, parent=host)
        return
    waited_for = {signal.SIGTERM, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    libc.signal_at_parents_death(signal.SIGTERM, parent=host)
    libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    guardian = os.getpid()
    worker = os.fork()
    if worker:
        _guard(worker, channel=channel, waited_for=waited_for)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, waited_for)
    libc.signal_at_parents_death(signal.SIGKILL, parent=guardian)


def _monitor(host: int) -> None:
    while os.getppid() == host:
        time.sleep(_POLL_SECONDS)
    os.killpg(0, signal.SIGKILL)


def _guard(worker: int, *, channel: int, waited_for: set[signal.Signals]) -> None:
    """Wait until the worker ends or the host signals, kill what is left, and exit with the worker's status."""
    os.close(channel)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)
    status: int | None = None
    while status is None:
        told = signal.sigwait(waited_for)
        status = signal.SIGKILL if told == signal.SIGTERM else _reap().get(worker)
    _kill_all_below()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, waited_for)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))


def _reap() -> dict[int, int]:
    """Collect the children that have ended, with their wait status."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended[pid] = status


def _kill_all_below() -> None:
    """Kill every descendant. This process adopts orphans, so none escapes; stopping them first keeps any from forking."""
    for number in (signal.SIGSTOP, signal.SIGSTOP, signal.SIGKILL):
        for pid in descendants(os.getpid()):
            _send(pid, number)
    while True:
        _reap()
        left = list(descendants(os.getpid()))
        if not left:
            return
        for pid in left:
            _send(pid, signal.SIGKILL)
        time.sleep(0.002)


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def descendants(root: int) -> Iterator[int]:
    """Yield the processes below `root` according to /proc, each after its parent."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stream:
                # The name in parentheses may contain any character; the parent's id is the second field after it.
                parent = int(stream.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError):
            continue
        children.setdefault(parent, []).append(int(name))
    queue = list(children.get(root, ()))
    while queue:
        pid = queue.pop(0)
        yield pid
        queue += children.get(pid, ())
