"""Work behind a run: what is done with some of its answers, several at once, before they are passed on."""

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
    """Pass the answers of a run on, those that are due with what `work` makes of them.

    Args:
        found: the answers.
        is_due: whether there is something to do with one; called on the caller's thread, in their order.
        work: does it, on a thread of its own.
        workers: documents worked on at once.
        stop: set when the caller stops reading, so that nothing goes on unseen.

    Raises:
        OctavoError: as the run, or `work`.
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
            # Reached early when the caller stops reading or an error ends the run.
            if running:
                stop.set()
            found.close()


def _finished(running: set[Future[SourceResult]]) -> Iterator[SourceResult]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()
