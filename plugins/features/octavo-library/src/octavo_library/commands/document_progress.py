"""The progress bar of a command that goes through documents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from octavo_cli.toolkit.output import clean
from octavo_cli.toolkit.verbosity import is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class DocumentProgress:
    """A progress bar on stderr, if it is a terminal and the user did not ask for silence."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        if sys.stderr.isatty() and not is_quiet():
            self._start()

    def show(self, source: str, *, total: int, finished: int = 0) -> None:
        """Name a document and add finished ones.

        Args:
            source: name of the document.
            total: number of documents.
            finished: documents that have finished since the last call.
        """
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=finished, total=total, description=clean(source)[-40:])

    def close(self) -> None:
        """Remove the progress bar."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("", total=None)
        self._progress.start()
