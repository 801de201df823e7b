"""The program of a worker: confines itself, then answers one frame after another until the host ends.

It starts outside its package (see `spawn`), so that it is confined before anything large is imported.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import os
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import parent_death
from .confine import confine
from .framing import EndOfStream, Frame, read_blocking, send_blocking
from .level import SandboxLevel
from .rlimits import ResourceLimits

if TYPE_CHECKING:
    from octavo_contracts import OctavoError

    from .task import Task
    from .worker_requests import ChannelFetcher

_MAX_TEXT = 64_000
"""Maximum characters of a message or a traceback sent to the host."""
_MAX_NAMES = 16


def main(channel: int) -> None:
    """Serve the host at the other end of a socket.

    Args:
        channel: the socket's descriptor.
    """
    os.set_inheritable(channel, False)
    with socket.socket(fileno=channel) as sock:
        start = read_blocking(sock).header
        parent_death.follow_host(start["host"], guarded=start["guarded"], channel=channel)
        with contextlib.suppress(EndOfStream):
            _serve(sock, start)
    os._exit(0)


def _serve(sock: socket.socket, start: dict[str, Any]) -> None:
    sys.path[:0] = [entry for entry in start["import_paths"] if entry not in sys.path]
    sys.dont_write_bytecode = True
    resource_limits = ResourceLimits()
    level = SandboxLevel(missing=("the host requested a process without protections",))
    if start["confine"]:
        level = confine(
            temp=Path(start["temp"]),
            subprocess=start["subprocess"],
            readable=[Path(path) for path in start["readable"]],
            home=Path(start["home"]) if start["home"] else None,
        )
    # Every call needs it; imported before the hello frame, it does not count against a call's deadline.
    importlib.import_module("octavo_contracts")
    from .worker_requests import ChannelFetcher

    send_blocking(sock, {"kind": "hello", "pid": os.getpid(), "level": level.to_wire()})
    work_dir = Path(start["work_dir"])
    while True:
        frame = read_blocking(sock)
        if frame.header["kind"] == "import":
            send_blocking(sock, _import(frame.header["modules"]))
        else:
            # Without a fetcher of the host the call has none, so that a plugin finds `context.fetch` to be None.
            fetcher = ChannelFetcher(sock, nonce=frame.header["nonce"]) if frame.header["fetches"] else None
            answer = _answer(frame, resource_limits=resource_limits, work_dir=work_dir, fetcher=fetcher)
            if fetcher is not None:
                fetcher.close()
            send_blocking(sock, *answer)


def _import(modules: list[str]) -> dict[str, Any]:
    """Import modules in advance. A failed import is ignored: the call that needs the module reports it."""
    failed: dict[str, str] = {}
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - a plugin's import may raise anything
            failed[name] = _clip(f"{type(error).__name__}: {error}")
    return {"kind": "imported", "failed": failed}


def _answer(
    frame: Frame, *, resource_limits: ResourceLimits, work_dir: Path, fetcher: ChannelFetcher | None
) -> tuple[dict[str, Any], bytes]:
    """Run one call; its result or its error becomes a frame."""
    started = time.perf_counter()
    call = frame.header
    held = _descriptors() - (frame.fd is not None)
    try:
        os.chdir(work_dir)
        resource_limits.start()
        resource_limits.set_limits(call["limits"])
        payload = _run(frame, work_dir, fetcher)
        if len(payload) > call["limits"]["result"]:
            raise _too_large(f"the tool returned {len(payload)} bytes, more than {call['limits']['result']}")
        header: dict[str, Any] = {"kind": "result"}
    except BaseException as error:  # noqa: BLE001 - sys.exit and a panic of an extension are answers too
        resource_limits.release_memory()
        payload = b""
        header = {
            "kind": "error",
            "record": _typed(error, call["function"]),
            "raised": _names(error),
            "traceback": _clip("".join(traceback.format_exception(error))),
        }
    _flush()
    if _descriptors() > held:
        # Closes file objects in reference cycles: the host replaces a worker that holds files open.
        gc.collect()
    header["nonce"] = call["nonce"]
    header["duration_ms"] = (time.perf_counter() - started) * 1000
    header["peak_rss_mb"] = resource_limits.peak_mb()
    return header, payload


def _run(frame: Frame, work_dir: Path, fetcher: ChannelFetcher | None) -> bytes:
    from octavo_contracts import HookContext

    from .document import FdSource

    call = frame.header
    source = None if frame.fd is None else FdSource(frame.fd, facts=call["source"], work_dir=work_dir)
    try:
        task = _resolve(call["function"])
        context = HookContext(work_dir=work_dir, deadline=time.monotonic() + call["wall_seconds"], fetch=fetcher)
        payload = task(frame.body, source, context)
    finally:
        if source is not None:
            source.close()
    if not isinstance(payload, bytes):
        raise TypeError(f"{call['function']} returned {type(payload).__name__} instead of bytes")
    return payload


def _resolve(function: str) -> Task:
    from octavo_contracts import ToolUnavailable

    module, _, name = function.partition(":")
    try:
        task: Task = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ToolUnavailable(f"{function} cannot be imported in the worker: {error}") from error
    return task


def _typed(error: BaseException, function: str) -> dict[str, Any]:
    """Return an error as the fields of an `ErrorRecord`."""
    from octavo_contracts import ContractViolation, ConverterCrashed, ErrorRecord, MemoryExceeded, OctavoError

    typed: OctavoError
    if isinstance(error, OctavoError):
        typed = error
    elif isinstance(error, MemoryError):
        typed = MemoryExceeded("the tool requested more memory than its limit allows")
    elif isinstance(error, OSError) and error.errno == errno.EFBIG:
        typed = _too_large("the tool wrote a temporary file larger than its limit")
    else:
        typed = ConverterCrashed(f"{function} raised {describe(error)}")
    try:
        record: dict[str, Any] = ErrorRecord.of(typed).model_dump(mode="json")
    except ValueError as malformed:
        # Page 0, or a message that is not a string: the plugin violated the contract in its error.
        violation = ContractViolation(f"{function} raised a malformed {type(error).__name__}: {malformed}")
        record = ErrorRecord.of(violation).model_dump(mode="json")
    record["message"] = _clip(str(record["message"]))
    record["remedy"] = _clip(str(record["remedy"]))
    return record


def _names(error: BaseException | None) -> list[str]:
    """Class names of an exception and of its causes: the host removes unknown words from a message."""
    names: list[str] = []
    while error is not None and len(names) < _MAX_NAMES:
        names.append(type(error).__name__)
        error = error.__cause__ or error.__context__
    return names


def _too_large(message: str) -> OctavoError:
    from octavo_contracts import ContentTooLarge

    return ContentTooLarge(message)


def describe(error: BaseException) -> str:
    """Return an exception's type and message on one line."""
    return f"{type(error).__name__}: {' '.join(_text_of(error).split()).rstrip('.')}"


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an exception's own __str__ may raise
        return "(its message cannot be formatted)"


def _clip(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT // 2]} … {text[-_MAX_TEXT // 2 :]}"


def _descriptors() -> int:
    """Number of open descriptors of this process; 0 if the system does not report it."""
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


def _flush() -> None:
    """Flush the output so that it is attributed to its call; the tool may have closed or replaced the streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
