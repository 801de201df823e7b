"""Recognition runs on threads of their own: progress, waiting and cancelling."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from octavo_contracts import OctavoError, UsageError

from .recognised import RecognitionResult


@dataclass(frozen=True, kw_only=True)
class RecognisedDocument:
    """What came of one document of a selection.

    Attributes:
        document_id: which.
        recognised: what was read; None where it failed, and where another run had read it meanwhile.
        error: why it failed.
        done: documents of the selection that are done, this one among them.
        total: documents of the selection.
    """

    document_id: str
    recognised: RecognitionResult | None = None
    error: OctavoError | None = None
    done: int
    total: int


class RecognitionRun:
    """A run behind everything else. Thread-safe.

    Attributes:
        stop: set when it is to end.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._ended = threading.Event()
        self._found: list[RecognisedDocument] = []
        self._error: BaseException | None = None

    @property
    def documents(self) -> tuple[RecognisedDocument, ...]:
        """What is done so far."""
        return tuple(self._found)

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return not self._ended.is_set()

    def cancel(self) -> None:
        """End it: the page at work is given up, the rest is not attempted."""
        self.stop.set()

    def wait(self, timeout: float | None = None) -> tuple[RecognisedDocument, ...]:
        """Wait for its end.

        Args:
            timeout: seconds; None for as long as it takes.

        Returns:
            All of its documents; fewer where the time was over first, see `is_running`.

        Raises:
            OctavoError: what ended it, as a library that cannot be written any more.
            Exception: what the caller's own `progress` raised.
        """
        self._ended.wait(timeout)
        if self._error is not None:
            raise self._error
        return self.documents

    def _work(self, found: Iterator[RecognisedDocument]) -> None:
        try:
            for one in found:
                self._found.append(one)
        except BaseException as error:  # noqa: BLE001 - `wait` raises it again, a mistake of the caller too
            self._error = error
        finally:
            self._ended.set()


class BackgroundRuns:
    """The runs of one opened library."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[tuple[RecognitionRun, threading.Thread]] = []
        self._is_closed = False

    def start(self, run: RecognitionRun, found: Iterator[RecognisedDocument]) -> None:
        """Have a run begin.

        Args:
            run: told what comes of it.
            found: gives one document after the other, and stops at `run.stop`.

        Raises:
            UsageError: the library is closed.
        """
        thread = threading.Thread(target=run._work, args=(found,), name="octavo-recognition", daemon=True)
        with self._lock:
            if self._is_closed:
                raise UsageError("the library is closed", remedy="Open it with Library.open")
            self._threads = [(known, at_work) for known, at_work in self._threads if known.is_running]
            self._threads.append((run, thread))
            thread.start()

    def close(self) -> None:
        """End every run, and wait for that."""
        with self._lock:
            self._is_closed = True
            threads, self._threads = self._threads, []
        for run, _ in threads:
            run.cancel()
        for _, thread in threads:
            if thread is not threading.current_thread():  # a caller's `progress` may close the library
                thread.join()
