"""The process that converts on a node: `python -m octavo_ray.node`, started by a supervisor.

It reads a `NodeSpec` from the first line of standard input and then works on the queue of the library, as `octavo worker`
does. When standard input ends, so does the process: its documents return to the queue. It writes lines of JSON to standard
output (`event_lines`), and messages to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import IO

from octavo.settings.sources import load_settings
from octavo_contracts import OctavoError, UsageError
from octavo_library import Library
from octavo_library.ingestion.events import EngineEvent
from octavo_sandbox.pool import usable_cores

from .event_lines import error_line, event_line, open_line
from .node_spec import NodeSpec
from .supervisor import REPORTED_ERROR

STOP_SECONDS = 30.0
"""The longest that the process works on after its input has ended. Its documents then wait for the end of its lease."""

KILLED = 3
"""Exit code of a process that did not stop in time."""


class Lines:
    """Writes lines to the supervisor. Thread-safe. Lines to a supervisor that has died are dropped.

    Args:
        stream: the pipe.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._is_open = True

    def write(self, line: str | None) -> None:
        """Write a line; None is left out."""
        with self._lock:
            if line is None or not self._is_open:
                return
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except OSError:
                self._is_open = False


def main() -> int:
    """Work until standard input ends; return the exit code."""
    # Standard output belongs to the protocol: what else prints goes to standard error.
    lines = Lines(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    stop = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches the whole terminal; the run decides what it means
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    spec = NodeSpec.from_json(sys.stdin.readline())
    threading.Thread(target=_stop_at_end_of_input, args=(stop,), name="octavo-input", daemon=True).start()
    try:
        work(spec, lines, stop)
    except OctavoError as error:
        lines.write(error_line(error))
        return REPORTED_ERROR
    return 0


def work(spec: NodeSpec, lines: Lines, stop: threading.Event) -> None:
    """Work on the queue of a library.

    Raises:
        UsageError: the folder of the library is another one here.
        OctavoError: the library cannot be opened or written.
    """
    settings = load_settings(flags=spec.settings, folder=Path("/")).settings

    def send(event: EngineEvent) -> None:
        lines.write(event_line(event))

    with Library.open(spec.library, settings=settings, create=False) as library:
        if not library.context.artifacts.is_alive(spec.owner):
            raise UsageError(
                f"the library at {library.context.place} is not the one of the run",
                remedy="Give a folder that all nodes share under the same path, or a library in an object store",
            )
        slots = spec.slots or settings.workers or usable_cores()
        library.context.events.subscribe(send)
        lines.write(open_line(slots=slots))
        library.queue.work(stop=stop, slots=slots)


def _stop_at_end_of_input(stop: threading.Event) -> None:
    sys.stdin.read()
    stop.set()
    threading.Event().wait(STOP_SECONDS)
    os._exit(KILLED)


if __name__ == "__main__":
    sys.exit(main())
