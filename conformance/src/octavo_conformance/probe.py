"""Runs in the worker with the plugin: calls a hook as the host would, and records the side effects of the call.

Python's audit events show what Python code requests from the system, even if the sandbox refuses it and the plugin
hides the refusal. Native code raises no audit events; only the sandbox's protections stop it.
"""

from __future__ import annotations

import decimal
import errno
import gc
import hashlib
import json
import locale
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.plugins.worker import call_hook, load, typed_error
from octavo_contracts import ErrorRecord, Model, OctavoError

from .resident_size import kept_mb, resident_mb

if TYPE_CHECKING:
    from octavo_contracts import HookContext, SourceView

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")
_NETWORK = (
    "socket.__new__", "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
    "socket.getnameinfo", "urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect",
)  # fmt: skip
_PROGRAMS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system")
_SHARED = ("builtins", "csv", "json", "re", "zipfile", "zlib", "octavo_contracts", "octavo_contracts.authoring")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM)
_KEPT = 20
"""Maximum reported events of a kind; further ones would be repetitions."""


class _Recorder:
    """Collects the audit events of one call at a time. An audit hook of the interpreter cannot be removed."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.writes: list[str] = []
        self.network: list[str] = []
        self.programs: list[str] = []
        sys.addaudithook(self._note)

    @contextmanager
    def recording(self, root: Path) -> Iterator[dict[str, list[str]]]:
        """Record while the block runs; writes below `root` are allowed. Yields the events, filled as they occur."""
        self.writes, self.network, self.programs = [], [], []
        self.root = str(root.resolve())
        try:
            yield {"writes": self.writes, "network": self.network, "programs": self.programs}
        finally:
            self.root = None

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.root is None:
            return
        if event in _NETWORK:
            self._keep(self.network, f"{event}{self._shown(arguments)}")
        elif event in _PROGRAMS:
            self._keep(self.programs, f"{event}{self._shown(arguments)}")
        elif event in _CHANGES or (event == "open" and self._writes(arguments)):
            path = arguments[0]
            if isinstance(path, str | bytes | os.PathLike) and not self._allowed(os.fsdecode(path)):
                self._keep(self.writes, f"{event} {os.fsdecode(path)}")

    @staticmethod
    def _keep(events: list[str], text: str) -> None:
        if len(events) < _KEPT:
            events.append(text)

    @staticmethod
    def _shown(arguments: tuple[Any, ...]) -> str:
        return "(" + ", ".join(str(argument)[:80] for argument in arguments if not hasattr(argument, "fileno")) + ")"

    @staticmethod
    def _writes(arguments: tuple[Any, ...]) -> bool:
        flags = arguments[2] if len(arguments) > 2 else 0
        return isinstance(flags, int) and bool(flags & _WRITING)

    def _allowed(self, path: str) -> bool:
        full = os.path.abspath(path)
        return full.startswith((f"{self.root}{os.sep}", "/dev/")) or full == self.root


_recorder: _Recorder | None = None


def recorder() -> _Recorder:
    """Return the recorder of this process."""
    global _recorder
    _recorder = _recorder or _Recorder()
    return _recorder


def call(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Call a hook and report its side effects.

    Args:
        payload: same as for `octavo.plugins.worker.call_hook`.
        source: the document, for hooks that take one.
        context: the work folder and the deadline.

    Returns:
        JSON {"answer": JSON text or null, "error": an `ErrorRecord` or null, "facts": the side effects}.
    """
    task = json.loads(payload)
    if task.get("seconds") is not None:
        context = replace(context, deadline=time.monotonic() + task["seconds"])
    manager = load(task["plugin"], task["module"], tuple(task["hooks"]))
    facts: dict[str, Any] = {"changed_arguments": [], "round_trip": None}
    given: dict[str, str] = {}

    def before(hook_name: str, methods: object, kwargs: Mapping[str, Any]) -> None:
        given.update({name: value.to_json() for name, value in kwargs.items() if isinstance(value, Model)})

    def after(outcome: Any, hook_name: str, methods: object, kwargs: Mapping[str, Any]) -> None:
        facts["changed_arguments"] = [name for name, text in given.items() if kwargs[name].to_json() != text]
        if outcome.exception is None:
            facts["round_trip"] = _loses(outcome.get_result())

    undo = manager.add_hookcall_monitoring(before, after)
    state, held = _state(), _open_files()
    answer, error = None, None
    started, worked = time.perf_counter(), _busy_seconds()
    # The parent has the worker's folders: the call's, and the home folder with the engines' caches.
    with recorder().recording(context.work_dir.parent) as events:
        try:
            answer = call_hook(payload, source, context).decode()
        except OctavoError as raised:
            error = ErrorRecord.of(raised).model_dump(mode="json")
        except Exception as raised:  # the sandbox's side: any exception of the plugin is the observed result
            if isinstance(raised, MemoryError) or getattr(raised, "errno", None) == errno.EFBIG:
                raise  # the sandbox's own limits: the sandbox reports them
            typed = typed_error(raised, task["hook"], plugin=task["plugin"], module=task["module"])
            error = ErrorRecord.of(typed).model_dump(mode="json")
        finally:
            undo()
    idle = time.perf_counter() - started - (_busy_seconds() - worked)
    facts |= {
        **events,
        "changed_state": _changed(state, _state()),
        "kept_files": _kept(held, root=context.work_dir.parent, source=source),
        "process": os.getpid(),
        "threads": threading.active_count(),
        "descriptors": len(_open_files()),
        "idle_seconds": round(max(0.0, idle), 3),
        "resident_mb": resident_mb(),
        "kept_mb": kept_mb(),
    }
    return json.dumps({"answer": answer, "error": error, "facts": facts}).encode()


def import_facts(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Import a plugin's module in a worker that has not imported it; measure the time and check for the engine.

    Args:
        payload: JSON {"module": the plugin's module, "engine": the engine's module or null}.
        source: not used.
        context: not used.

    Returns:
        JSON {"seconds": float, "engine_imported": bool}.
    """
    task = json.loads(payload)
    started = time.perf_counter()
    import_module(task["module"])
    seconds = time.perf_counter() - started
    return json.dumps({"seconds": seconds, "engine_imported": task["engine"] in sys.modules}).encode()


_kept_whole: set[tuple[type[Model], bytes]] = set()
"""Types of answers that lost nothing in a round trip, each with the SHA-256 of the answer's JSON."""


def _loses(answer: object) -> str | None:
    """Describe what the answer loses in its JSON form, or return None."""
    for item in answer if isinstance(answer, tuple | list) else (answer,):
        if not isinstance(item, Model):
            continue
        # A model that was built without validation warns during serialisation; the host refuses it anyway.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = item.to_json()
        # Most calls of a series give the same answer again, and reading a long one takes as long as converting the document.
        key = type(item), hashlib.sha256(text.encode()).digest()
        if key in _kept_whole:
            continue
        try:
            again = type(item).read(text)
        except ValueError as error:
            return f"its JSON is invalid: {str(error).splitlines()[0]}"
        if again.to_json() != text or again != item:
            names = [name for name in type(item).model_fields if getattr(again, name) != getattr(item, name)]
            return f"the fields {', '.join(names)} change in a round trip"
        _kept_whole.add(key)
    return None


def _state() -> dict[str, object]:
    """Return the process state that a hook must not change."""
    return {
        "working folder": os.getcwd(),
        "environment": dict(os.environ),
        "locale": locale.setlocale(locale.LC_ALL),
        "recursion limit": sys.getrecursionlimit(),
        "standard output": id(sys.stdout),
        "garbage collector": gc.isenabled(),
        "import path": tuple(sys.path),
        "decimal precision": decimal.getcontext().prec,
        "socket timeout": socket.getdefaulttimeout(),
        "file mode mask": _mask(),
        **{f"handler of {number.name}": signal.getsignal(number) for number in _SIGNALS},
        **_functions(),
    }


def _changed(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """Name what differs. A module that a call imports was not there before; its functions are no change."""
    return [name for name, value in before.items() if name in after and after[name] != value]


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _functions() -> dict[str, object]:
    """Return the functions that all plugins of a process share, so that none may replace one."""
    return {
        f"{module}.{name}": id(value)
        for module in _SHARED
        if module in sys.modules
        for name, value in vars(sys.modules[module]).items()
        if callable(value) and not name.startswith("_")
    }


def _busy_seconds() -> float:
    """Time in which this process ran, its ended programs too, or its main thread waited for a processor."""
    times = os.times()
    waited = 0.0
    with suppress(OSError, IndexError, ValueError):  # without /proc a busy machine looks idle: see OC-TIME-005
        waited = int(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    return times.user + times.system + times.children_user + times.children_system + waited


def _open_files() -> dict[int, str]:
    """Return the open descriptors of this process with their targets; empty if there is no /proc."""
    found: dict[int, str] = {}
    if os.path.isdir("/proc/self/fd"):
        for name in os.listdir("/proc/self/fd"):
            with suppress(OSError):  # the descriptor used for the listing is closed
                found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    return found


def _kept(before: dict[int, str], *, root: Path, source: SourceView | None) -> list[str]:
    """Return the files in its folder, and the document, that a call left open: the host cannot reuse such a worker."""
    document = set(before.values()) if source is not None else set()
    return [
        "the document" if target in document else target.replace(str(root), "the work folder")
        for number, target in _open_files().items()
        if before.get(number) != target and (target.startswith(f"{root}{os.sep}") or _is_file_of(target, document))
    ]


def _is_file_of(target: str, document: set[str]) -> bool:
    return target in document and target.startswith("/") and not target.startswith("/dev/")
