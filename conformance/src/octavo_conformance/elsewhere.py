"""`python -m octavo_conformance.elsewhere`: one conversion in a plain process, for another hash seed and locale.

Reads the task as JSON from stdin and writes the conversion's JSON to stdout.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from octavo.plugins.worker import call_hook
from octavo_contracts import FileSource, HookContext

task = json.loads(sys.stdin.buffer.read())
# The plugin's output must not mix with the answer.
answer_to, sys.stdout = sys.stdout.buffer, sys.stderr
with tempfile.TemporaryDirectory(prefix="octavo-conformance-") as folder:
    source = FileSource(task["path"], media_type=task["media_type"], work_dir=Path(folder))
    context = HookContext(work_dir=Path(folder), deadline=time.monotonic() + 60)
    answer_to.write(call_hook(json.dumps(task).encode(), source, context))
