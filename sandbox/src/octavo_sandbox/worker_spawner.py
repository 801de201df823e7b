"""Starts the workers of a pool from one permanent thread, keeps a list of them, and ends them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from octavo_contracts import ToolUnavailable, UsageError

from .forkserver_client import ForkServerClient, ForkServerGone, fork_server_for, leave, shared_fork_server
from .limits import WorkerGroup
from .spawn import Spawned, spawn
from .spawn import import_paths as paths_of_imports
from .tempdirs import PoolRoot, WorkerRoot, sweep_stale
from .worker_process import Worker

MODULES = ("octavo_contracts",)
"""Default modules that workers have already imported when they start."""
FORKS = sys.platform == "linux"
"""On other systems the system libraries are not fork-safe, and there is no signal on a parent's death."""


@contextmanager
def one_fork_server(
    *, import_paths: tuple[Path, ...] = (), modules: tuple[str, ...] = MODULES, idle_modules: tuple[str, ...] = ()
) -> Iterator[None]:
    """Fork the workers of many pools from one process, which each pool would otherwise start for itself.

    Args:
        import_paths: the import paths of these pools.
        modules: the modules that these pools preload.
        idle_modules: the modules that later workers have imported too; see `WorkerPool`.
    """
    if not FORKS:
        yield
        return
    paths = paths_of_imports(import_paths)
    with shared_fork_server(import_paths=paths, modules=modules, idle_modules=idle_modules):
        yield


class WorkerSpawner:
    """The processes and folders of one pool, kept apart so that they can be ended after the pool is garbage-collected.

    Args:
        import_paths: folders from which workers import, besides the host's.
        temp: parent of the pool's folder.
        confine: whether workers confine themselves.
        modules: modules already imported when workers start, on systems where workers are forked.
        idle_modules: modules that later workers have imported too; see `WorkerPool`.
    """

    def __init__(
        self,
        *,
        import_paths: tuple[Path, ...],
        temp: Path | None,
        confine: bool,
        modules: tuple[str, ...] = (),
        idle_modules: tuple[str, ...] = (),
    ) -> None:
        self._import_paths = import_paths
        self._modules = modules
        self._idle_modules = idle_modules
        self._fork_server: ForkServerClient | None = None
        self._temp = temp
        self._confine = confine
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._live: set[Worker] = set()
        self._count = 0
        self._root: PoolRoot | None = None
        self.closed = False
        # Linux kills a worker when the thread that started it ends, so one thread starts them all. It is a daemon thread,
        # not an executor: executors end before the program's last threads do, and their workers would be killed.
        self._requests: SimpleQueue[tuple[WorkerGroup, Future[Worker]] | None] = SimpleQueue()
        self._starter = threading.Thread(target=self._serve, name="octavo-workers", daemon=True)
        self._starter.start()

    @property
    def is_copy(self) -> bool:
        """True in a forked copy, whose workers and folders belong to the original process."""
        return os.getpid() != self._pid

    @property
    def live(self) -> int:
        """Number of workers."""
        return len(self._live)

    def prepare(self) -> None:
        """Start preparing what every worker needs in the background, before the first one."""
        with self._lock:
            self.check_usable()
            if FORKS:
                self._prepared()

    def start(self, lane: WorkerGroup) -> Worker:
        """Start a worker without waiting for it; see `Worker.await_ready`.

        Raises:
            ToolUnavailable: the system refuses to create a process.
            UsageError: the pool is closed, or was made in another process.
        """
        future: Future[Worker] = Future()
        with self._lock:
            self.check_usable()
            self._requests.put((lane, future))
        return future.result()

    def check_usable(self) -> None:
        """Raise if the pool is closed, or is a forked copy: its workers serve the original process.

        Raises:
            UsageError: the pool cannot be used.
        """
        if self.closed:
            raise UsageError("the worker pool is closed")
        if self.is_copy:
            raise UsageError("the worker pool was made in another process", remedy="Make a new one after a fork")

    def discard(self, worker: Worker) -> None:
        """End a worker and remove it from the list."""
        worker.kill()
        with self._lock:
            self._live.discard(worker)

    def end_all(self) -> None:
        """Refuse further starts and end every worker's processes; threads that wait for a worker see its death."""
        with self._lock:
            if not self.closed:
                self.closed = True
                self._requests.put(None)
        self._starter.join()
        for worker in self._workers():
            worker.end()

    def close(self) -> None:
        """End all workers and remove all folders. Has no effect in a forked copy."""
        if self.is_copy:
            return
        self.end_all()
        for worker in self._workers():
            self.discard(worker)
        fork_server, self._fork_server = self._fork_server, None
        if fork_server is not None:
            leave(fork_server)
        root, self._root = self._root, None
        if root is not None:
            root.remove()

    def _workers(self) -> list[Worker]:
        with self._lock:
            return list(self._live)

    def _serve(self) -> None:
        while (request := self._requests.get()) is not None:
            lane, future = request
            try:
                future.set_result(self._start(lane))
            except BaseException as error:  # noqa: BLE001 - it is raised where the worker is waited for
                future.set_exception(error)

    def _start(self, lane: WorkerGroup) -> Worker:
        if self._root is None:
            sweep_stale(parent=self._temp)
            self._root = PoolRoot(parent=self._temp)
        self._count += 1
        root = WorkerRoot(self._root.path / f"worker-{self._count}")
        spawned = self._fork(root) if FORKS else spawn(root)
        worker = Worker(lane, root, spawned, start=self._start_header(lane, root, parent=spawned.parent))
        with self._lock:
            self._live.add(worker)
        return worker

    def _fork(self, root: WorkerRoot) -> Spawned:
        """Fork a process from the fork server; start a new server if the old one has died."""
        try:
            return self._fork_server_now().fork(root)
        except ForkServerGone:
            with self._lock:
                self._prepared(renew=True)
        try:
            return self._fork_server_now().fork(root)
        except ForkServerGone as gone:
            message = f"a worker did not start: the fork server {gone}"
            raise ToolUnavailable(message) from gone

    def _fork_server_now(self) -> ForkServerClient:
        with self._lock:
            return self._prepared()

    def _prepared(self, *, renew: bool = False) -> ForkServerClient:
        """Return the fork server. The caller must hold the lock."""
        if self._fork_server is not None and (renew or self._fork_server.failed):
            leave(self._fork_server)
            self._fork_server = None
        if self._fork_server is None:
            self._fork_server = fork_server_for(
                import_paths=paths_of_imports(self._import_paths),
                modules=self._modules,
                idle_modules=self._idle_modules,
            )
        return self._fork_server

    def _start_header(self, lane: WorkerGroup, root: WorkerRoot, *, parent: int) -> dict[str, object]:
        home = os.path.expanduser("~")
        return {
            "kind": "start",
            "host": parent,
            "guarded": lane.subprocess and sys.platform == "linux",
            "subprocess": lane.subprocess,
            "confine": self._confine,
            "temp": str(root.path),
            "work_dir": str(root.call),
            "readable": [os.path.abspath(path) for path in lane.readable],
            "home": home if os.path.isabs(home) else None,
            "import_paths": paths_of_imports(self._import_paths),
        }
