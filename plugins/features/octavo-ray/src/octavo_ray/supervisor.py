"""The actor of a node: keeps the process that converts there, and reports what it says.

The actor converts nothing itself: a Ray worker has many threads and sockets, so it is neither forked nor confined. Its
child is `python -m octavo_ray.node`. The pipe to the child's standard input ties the two together: when the actor dies in
any way, the pipe ends, and the child returns its documents to the queue. The actor itself follows its parent, Ray's process
of the node: a worker that was left behind by a lost cluster has been seen to live on for minutes, and its child to go on
converting for a run that had ended. Only the standard library is imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from typing import TypedDict

KEPT_LINES = 20_000
"""Lines that wait for the next report; the oldest are dropped, and counted."""

REPORT_LINES = 2_000
"""Lines of one report."""

PARENT_SECONDS = 1.0
"""Seconds between two looks at whether the parent still lives."""

REPORTED_ERROR = 2
"""Exit code of a child whose last line is the error that ended it; any other code than this and 0 is a crash."""


class Report(TypedDict):
    """What a supervisor reports.

    Attributes:
        pid: process id of the child.
        exit: exit code of the child; None while it runs.
        lines: its lines since the last report, each a JSON object.
        lost: number of lines that were dropped before this report.
    """

    pid: int
    exit: int | None
    lines: list[str]
    lost: int


class Supervisor:
    """Keeps one child process. Ray creates it again when its process dies.

    Args:
        spec: the work, as `NodeSpec.to_json` writes it.
    """

    def __init__(self, spec: str) -> None:
        self._lines: deque[str] = deque()
        self._lost = 0
        self._exit: int | None = None
        self._is_stopping = False
        self._news = threading.Condition()
        # What Ray sets for its own workers means nothing to the child, and nothing to the programs that it starts.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "octavo_ray.node"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
            encoding="utf-8",
            # Ray kills the children of a worker that died, and a terminal's Ctrl-C reaches its session: the child follows
            # the pipe alone, and has the time to return its documents.
            start_new_session=True,
        )
        threading.Thread(target=self._read, name="octavo-child", daemon=True).start()
        threading.Thread(target=_end_with_parent, args=(os.getppid(),), name="octavo-parent", daemon=True).start()
        assert self._child.stdin is not None  # a pipe
        self._child.stdin.write(spec + "\n")
        self._child.stdin.flush()

    def report(self, patience: float) -> Report:
        """Give what the child has said since the last report.

        The actor ends if the child has crashed: Ray then starts both again, as often as it may.

        Args:
            patience: seconds to wait for a line.
        """
        with self._news:
            self._news.wait_for(lambda: bool(self._lines) or self._exit is not None, timeout=patience)
            if not self._lines and not self._is_stopping and self._exit not in (None, 0, REPORTED_ERROR):
                os._exit(1)
            return self._take()

    def stop(self, patience: float) -> Report:
        """End the child, which returns its documents to the queue; kill it if that takes longer than `patience` seconds."""
        with self._news:
            self._is_stopping = True
        self._close_input()
        try:
            self._child.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self._child.kill()
        with self._news:
            self._news.wait_for(lambda: self._exit is not None, timeout=patience)
            return self._take()

    def _take(self) -> Report:
        lines = [self._lines.popleft() for _ in range(min(REPORT_LINES, len(self._lines)))]
        lost, self._lost = self._lost, 0
        return Report(pid=self._child.pid, exit=self._exit, lines=lines, lost=lost)

    def _close_input(self) -> None:
        assert self._child.stdin is not None  # a pipe
        try:
            self._child.stdin.close()
        except OSError:
            time.sleep(0)  # the child has ended already

    def _read(self) -> None:
        assert self._child.stdout is not None  # a pipe
        for line in self._child.stdout:
            with self._news:
                self._lines.append(line.rstrip("\n"))
                if len(self._lines) > KEPT_LINES:
                    self._lines.popleft()
                    self._lost += 1
                self._news.notify_all()
        code = self._child.wait()
        with self._news:
            self._exit = code
            self._news.notify_all()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent has died: it then has another one. The pipe tells the child."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(1)
