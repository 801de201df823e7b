"""`python -m octavo_conformance.elsewhere`: one call of a hook in a process with other surroundings than a worker's.

Reads the task as JSON from stdin and writes {"answer": JSON text or null, "sockets": how many it made} to stdout.
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

from .surroundings import SocketWire, fence_files, rename_machine, shift_clock

task = json.loads(sys.stdin.buffer.read())
# The plugin's output must not mix with the answer.
answer_to, sys.stdout = sys.stdout.buffer, sys.stderr
around = task.pop("surroundings")
rename_machine(around["machine"])
shift_clock(around["clock"])
fence_files(
    Path(around["writable"]), readable=[Path(path) for path in around["readable"]], subprocess=around["subprocess"]
)
wire = None if around["subprocess"] else SocketWire()
with ExitStack() as closing:
    folder = Path(closing.enter_context(tempfile.TemporaryDirectory(dir=around["work"])))
    document = task.pop("document")
    source = document and FileSource(document["path"], media_type=document["media_type"], work_dir=folder)
    context = HookContext(work_dir=folder, deadline=time.monotonic() + 60)
    answer = call_hook(json.dumps(task).encode(), source, context).decode()
answer_to.write(json.dumps({"answer": answer, "sockets": wire.count if wire else 0}).encode())
