"""Calls of a hook in a process with other surroundings than a worker's: the process of one call of `call_server`.

A task is {"surroundings", "plugin", …, "arguments", "document"}; the answer is {"answer": JSON text or null, "sockets": network
sockets that it asked for, "native_sockets": those not by Python code}. With `at_once`, a number, the hook is called in that
many processes at the same time, and the answer is {"answers": a list of {"answer": JSON text} or {"error": text}}. With
`calls`, a list of {"arguments", "document"}, it is called once with each, in one process; the answer is the same. With
`hidden` the process finds no tools of tests. With `services`, tasks of `service_probe.run`, services are called instead of a
hook.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from octavo.plugins.worker import call_hook
from octavo_contracts import FileSource, HookContext

from .socket_wire import SocketWire
from .surroundings import fence_files, hide_tools, rename_machine, shift_clock

LISTEN_SECONDS = 12.0
"""Seconds from the beginning of a call for which sockets are counted if threads are left: libraries that report usage do so
from a thread of their own, seconds after they are loaded."""
_LOOK_SECONDS = 0.2


def call(task: dict[str, Any], document: dict[str, str] | None, work: str) -> str:
    """Call the hook with a work folder of its own."""
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(dir=work)))
        source = document and FileSource(document["path"], media_type=document["media_type"], work_dir=folder)
        context = HookContext(work_dir=folder, deadline=time.monotonic() + 60)
        return call_hook(json.dumps(task).encode(), source or None, context).decode()


def call_counted(task: dict[str, Any], document: dict[str, str] | None, work: str) -> dict[str, Any]:
    """Call the hook, and count the network sockets that it and the threads that it leaves behind ask for."""
    began = time.monotonic()
    wire, by_python = SocketWire(), [0]

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.__new__":
            by_python[0] += 1

    sys.addaudithook(note)
    answer = call(task, document, work)
    while wire.counts and len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < began + LISTEN_SECONDS:
        time.sleep(_LOOK_SECONDS)
    sockets = wire.count()
    return {"answer": answer, "sockets": sockets, "native_sockets": max(0, sockets - by_python[0])}


def call_at_once(count: int, task: dict[str, Any], document: dict[str, str] | None, work: str) -> list[dict[str, str]]:
    """Call the hook in several processes, which are forked before the plugin is loaded.

    Returns:
        Of each process, {"answer": JSON text} or {"error": type and message}.
    """
    # Files, not pipes: a process that the plugin leaves behind would keep a pipe open.
    files = [tempfile.TemporaryFile() for _ in range(count)]  # noqa: SIM115 - they are closed below
    children = []
    for file in files:
        child = os.fork()
        if child == 0:
            try:
                told = {"answer": call(task, document, work)}
            except BaseException as error:  # noqa: BLE001 - whatever the plugin raises is its answer
                told = {"error": f"{type(error).__name__}: {error}"}
            file.write(json.dumps(told).encode())
            file.flush()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    answers = []
    for file in files:
        with file:
            file.seek(0)
            answers.append(json.loads(file.read() or b'{"error": "the process ended without an answer"}'))
    return answers


def call_each(calls: list[dict[str, Any]], task: dict[str, Any], work: str) -> list[dict[str, str]]:
    """Call the hook with each of several inputs.

    Returns:
        Of each call, {"answer": JSON text} or {"error": type and message}.
    """
    answers = []
    for one in calls:
        try:
            answers.append({"answer": call(task | {"arguments": one["arguments"]}, one["document"], work)})
        except Exception as error:  # noqa: BLE001 - whatever the plugin raises is its answer
            answers.append({"error": f"{type(error).__name__}: {error}"})
    return answers


def call_service(task: dict[str, Any], work: str) -> str:
    """Create a service and call it step by step, with a work folder of its own."""
    from . import service_probe  # a hook's process loads nothing by which a plugin could tell that it is watched

    with tempfile.TemporaryDirectory(dir=work) as folder:
        context = HookContext(work_dir=Path(folder), deadline=time.monotonic() + 60)
        return service_probe.run(json.dumps(task).encode(), None, context).decode()


def run(task: dict[str, Any], answer: IO[bytes]) -> None:
    """Change the surroundings, make the calls of a task, and write the answer as JSON."""
    around, document, at_once = task.pop("surroundings"), task.pop("document", None), task.pop("at_once", None)
    calls, hidden = task.pop("calls", None), task.pop("hidden", False)
    services = task.pop("services", None)
    rename_machine(around["machine"])
    shift_clock(around["clock"])
    fence_files(
        Path(around["writable"]), readable=[Path(path) for path in around["readable"]], subprocess=around["subprocess"]
    )
    told: dict[str, Any]
    if services is not None:
        told = {"answers": [{"answer": call_service(one, around["work"])} for one in services]}
    elif calls is not None:
        if hidden:
            hide_tools()
        told = {"answers": call_each(calls, task, around["work"])}
    elif at_once is None:
        told = call_counted(task, document, around["work"])
    else:
        told = {"answers": call_at_once(at_once, task, document, around["work"])}
    answer.write(json.dumps(told).encode())
    answer.flush()
