"""Starts workers from a thread that stays, keeps the list of them, and ends them all."""

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
"""What workers have imported when they start, where a pool asks for nothing else."""
FORKS = sys.platform == "linux"
"""Elsewhere the system's own libraries do not bear a fork, and there is no signal at a parent's death."""


@contextmanager
def one_fork_server(*, import_paths: tuple[Path, ...] = (), modules: tuple[str, ...] = MODULES) -> Iterator[None]:
    """Have the workers of many pools forked from one process, which otherwise each pool starts for itself.

    Args:
        import_paths: those of the pools that it is for.
        modules: what these pools preload.
    """
    if not FORKS:
        yield
        return
    with shared_fork_server(import_paths=paths_of_imports(import_paths), modules=modules):
        yield


class WorkerSpawner:
    """The processes and folders of one pool, apart from it so that they can be ended after it is gone.

    Args:
        import_paths: folders that workers import from besides the host's.
        temp: where the pool's folder is made.
        confine: whether workers put up protections.
        modules: what workers have imported when they start, where the system lets one be forked.
    """

    def __init__(
        self, *, import_paths: tuple[Path, ...], temp: Path | None, confine: bool, modules: tuple[str, ...] = ()
    ) -> None:
        self._import_paths = import_paths
        self._modules = modules
        self._fork_server: ForkServerClient | None = None
        self._temp = temp
        self._confine = confine
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._live: set[Worker] = set()
        self._count = 0
        self._root: PoolRoot | None = None
        self.closed = False
        # Linux kills a worker when the thread that started it ends, so one thread starts them all. A daemon, not an
        # executor: executors end before the program's own last threads do, and would take their workers along.
        self._requests: SimpleQueue[tuple[WorkerGroup, Future[Worker]] | None] = SimpleQueue()
        self._starter = threading.Thread(target=self._serve, name="octavo-workers", daemon=True)
        self._starter.start()

    @property
    def is_copy(self) -> bool:
        """Whether a fork has copied it: the workers and folders are the other process's to end."""
        return os.getpid() != self._pid

    @property
    def live(self) -> int:
        """How many workers there are."""
        return len(self._live)

    def prepare(self) -> None:
        """Begin in the background with what every worker needs, ahead of the first."""
        with self._lock:
            self.check_usable()
            if FORKS:
                self._prepared()

    def start(self, lane: WorkerGroup) -> Worker:
        """A new worker, on its way: `Worker.await_ready` waits for it.

        Raises:
            ToolUnavailable: the system refuses.
            UsageError: the pool is closed, or was made in another process.
        """
        future: Future[Worker] = Future()
        with self._lock:
            self.check_usable()
            self._requests.put((lane, future))
        return future.result()

    def check_usable(self) -> None:
        """Refuse a pool that is closed, or that a fork has copied: its workers serve the other process.

        Raises:
            UsageError: it is.
        """
        if self.closed:
            raise UsageError("the worker pool is closed")
        if self.is_copy:
            raise UsageError("the worker pool was made in another process", remedy="Make a new one after a fork")

    def discard(self, worker: Worker) -> None:
        """End a worker and forget it."""
        worker.kill()
        with self._lock:
            self._live.discard(worker)

    def end_all(self) -> None:
        """Start no more, and end every worker's processes; the threads that wait for one are told by its death."""
        with self._lock:
            if not self.closed:
                self.closed = True
                self._requests.put(None)
        self._starter.join()
        for worker in self._workers():
            worker.end()

    def close(self) -> None:
        """End all workers and remove all folders. Nothing happens in a forked copy."""
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
        """A process of the fork server, and of a new one where the old one has died."""
        try:
            return self._fork_server_now().fork(root)
        except ForkServerGone:
            with self._lock:
                self._prepared(renew=True)
        try:
            return self._fork_server_now().fork(root)
        except ForkServerGone as gone:
            message = f"a worker did not start: the process that it is forked from {gone}"
            raise ToolUnavailable(message) from gone

    def _fork_server_now(self) -> ForkServerClient:
        with self._lock:
            return self._prepared()

    def _prepared(self, *, renew: bool = False) -> ForkServerClient:
        """The fork server. To be called with the lock held."""
        if self._fork_server is not None and (renew or self._fork_server.failed):
            leave(self._fork_server)
            self._fork_server = None
        if self._fork_server is None:
            self._fork_server = fork_server_for(
                import_paths=paths_of_imports(self._import_paths), modules=self._modules
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
