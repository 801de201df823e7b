"""Recognition runs in background threads: progress, waiting and cancelling."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from octavo_contracts import OctavoError, UsageError

from .recognised import RecognitionResult


@dataclass(frozen=True, kw_only=True)
class RecognisedDocument:
    """The outcome of one document of a selection.

    Attributes:
        document_id: the document.
        recognised: the recognition; None if it failed, and if another run recognised the document meanwhile.
        error: why it failed, or None.
        done: finished documents of the selection, this one included.
        total: documents of the selection.
    """

    document_id: str
    recognised: RecognitionResult | None = None
    error: OctavoError | None = None
    done: int
    total: int


class RecognitionRun:
    """A recognition run in the background. Thread-safe.

    Attributes:
        stop: set to end the run.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._ended = threading.Event()
        self._found: list[RecognisedDocument] = []
        self._error: BaseException | None = None

    @property
    def documents(self) -> tuple[RecognisedDocument, ...]:
        """The finished documents so far."""
        return tuple(self._found)

    @property
    def is_running(self) -> bool:
        """Whether the run has not ended."""
        return not self._ended.is_set()

    def cancel(self) -> None:
        """End the run: the current page is abandoned, the rest is not attempted."""
        self.stop.set()

    def wait(self, timeout: float | None = None) -> tuple[RecognisedDocument, ...]:
        """Wait for the end of the run.

        Args:
            timeout: seconds; None: unlimited.

        Returns:
            All of its documents; fewer after a timeout, see `is_running`.

        Raises:
            OctavoError: the error that ended the run, such as a library that can no longer be written.
            Exception: the exception that the caller's `progress` raised.
        """
        self._ended.wait(timeout)
        if self._error is not None:
            raise self._error
        return self.documents

    def _work(self, found: Iterator[RecognisedDocument]) -> None:
        try:
            for one in found:
                self._found.append(one)
        except BaseException as error:  # noqa: BLE001 - `wait` raises it again, an error of `progress` too
            self._error = error
        finally:
            self._ended.set()


class BackgroundRuns:
    """The background runs of one open library."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[tuple[RecognitionRun, threading.Thread]] = []
        self._is_closed = False

    def start(self, run: RecognitionRun, found: Iterator[RecognisedDocument]) -> None:
        """Start a run.

        Args:
            run: receives the outcomes.
            found: yields one document after the other, and stops at `run.stop`.

        Raises:
            UsageError: the library is closed.
        """
        thread = threading.Thread(target=run._work, args=(found,), name="octavo-recognition", daemon=True)
        with self._lock:
            if self._is_closed:
                raise UsageError("the library is closed", remedy="Open it with Library.open")
            self._threads = [(known, worker) for known, worker in self._threads if known.is_running]
            self._threads.append((run, thread))
            thread.start()

    def cancel(self) -> None:
        """Cancel all runs; no other can be started."""
        with self._lock:
            self._is_closed = True
            for run, _ in self._threads:
                run.cancel()

    def close(self) -> None:
        """Cancel all runs and wait for their ends."""
        self.cancel()
        with self._lock:
            threads, self._threads = self._threads, []
        for _, thread in threads:
            if thread is not threading.current_thread():  # a caller's `progress` may close the library
                thread.join()
