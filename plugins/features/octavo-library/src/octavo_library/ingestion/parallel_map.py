"""Applies follow-up work to some results of a run, in parallel, and passes all results on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from .requests import ProcessedDocument, SourceResult


def behind(
    found: Generator[SourceResult, None, None],
    *,
    is_due: Callable[[ProcessedDocument], bool],
    work: Callable[[SourceResult], SourceResult],
    workers: int,
    stop: threading.Event,
) -> Generator[SourceResult, None, None]:
    """Pass the results of a run on, after `work` on those that are due.

    Args:
        found: the results.
        is_due: whether a result needs work; called on the caller's thread, in order.
        work: processes a result, on another thread.
        workers: documents processed in parallel.
        stop: set if the caller stops reading, so that no work continues in the background.

    Raises:
        OctavoError: as the run or `work` raises it.
    """
    running: set[Future[SourceResult]] = set()
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="octavo-behind") as pool:
        try:
            for answer in found:
                if not is_due(answer[1]):
                    yield answer
                    continue
                running.add(pool.submit(work, answer))
                while len(running) >= 2 * workers:
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            # Reached early if the caller stops reading or an error ends the run.
            if running:
                stop.set()
            found.close()


def _finished(running: set[Future[SourceResult]]) -> Iterator[SourceResult]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()
