"""`python -m octavo_conformance.elsewhere`: one call of a hook in a process with other surroundings than a worker's.

Reads the task as JSON from stdin and writes {"answer": JSON text or null, "sockets": network sockets that it
asked for, "native_sockets": those not by Python code} to stdout.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from octavo.plugins.worker import call_hook
from octavo_contracts import FileSource, HookContext

from .socket_wire import SocketWire
from .surroundings import fence_files, rename_machine, shift_clock

task = json.loads(sys.stdin.buffer.read())
# The plugin's output must not mix with the answer.
answer_to, sys.stdout = sys.stdout.buffer, sys.stderr
around = task.pop("surroundings")
rename_machine(around["machine"])
shift_clock(around["clock"])
fence_files(
    Path(around["writable"]), readable=[Path(path) for path in around["readable"]], subprocess=around["subprocess"]
)
wire, by_python = SocketWire(), [0]


def note(event: str, arguments: tuple[object, ...]) -> None:
    """Count the sockets that Python code makes; the wire counts them too."""
    if event == "socket.__new__":
        by_python[0] += 1


sys.addaudithook(note)
with ExitStack() as closing:
    folder = Path(closing.enter_context(tempfile.TemporaryDirectory(dir=around["work"])))
    document = task.pop("document")
    source = document and FileSource(document["path"], media_type=document["media_type"], work_dir=folder)
    context = HookContext(work_dir=folder, deadline=time.monotonic() + 60)
    answer = call_hook(json.dumps(task).encode(), source, context).decode()
sockets = wire.count()
told = {"answer": answer, "sockets": sockets, "native_sockets": max(0, sockets - by_python[0])}
answer_to.write(json.dumps(told).encode())
