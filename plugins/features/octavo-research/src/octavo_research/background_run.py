"""Starts a process of its own that executes a run."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from octavo_sandbox.filesystem.durable import make_folder, storage_errors


def start_in_background(library: str, research_id: str, *, log: Path) -> int:
    """Start `octavo research resume` for a run, in a session of its own, and return the id of the process.

    Args:
        library: the folder of the library, from the current one, or its URL.
        research_id: the run.
        log: file for the output of the process, made readable by its owner only.

    Raises:
        StorageError: the log cannot be written.
    """
    make_folder(log.parent)
    arguments = [sys.executable, "-m", "octavo", "research", "resume", research_id]
    with storage_errors(log.parent, doing="starting a research run"):
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab") as output:
        process = subprocess.Popen(
            [*arguments, f"--library={library}", "--json"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    # A host that goes on must collect the exit status, or the process stays a zombie.
    threading.Thread(target=process.wait, name="octavo-research-wait", daemon=True).start()
    return process.pid
