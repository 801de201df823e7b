"""Known documents converted again, each once a run however many paths it has (STO-13)."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from octavo_contracts import IngestionState, OctavoError, StorageError, file_ref

from ..assemble import build_failure
from ..conversion import open_source
from ..sandbox import Cancelled
from .opened import Engine
from .requests import IngestRequest, Processed
from .run import Answer, Given, not_attempted


class Anew:
    """Stands behind a run, and converts again what the run found to be known.

    Args:
        engine: the engine it is a run of.
        request: how the documents come in.
        workers: documents converted at once.
        stop: set it to end the run.
    """

    def __init__(self, engine: Engine, request: IngestRequest, *, workers: int, stop: threading.Event) -> None:
        self._engine = engine
        self._request = request
        self._workers = workers
        self._stop = stop
        self._seen: set[str] = set()

    def answers(self, found: Generator[Answer, None, None]) -> Generator[Answer, None, None]:
        """Pass on what the run converted itself; of what was known, give the new version, or why there is none.

        Raises:
            UsageError: as the run.
            StorageError: as the run.
        """
        running: set[Future[Answer]] = set()
        with ThreadPoolExecutor(max_workers=self._workers, thread_name_prefix="octavo-anew") as pool:
            try:
                for given, processed in found:
                    if not self._is_due(processed):
                        yield given, processed
                        continue
                    running.add(pool.submit(self._convert, given, processed))
                    while len(running) >= 2 * self._workers:
                        yield from _finished(running)
                while running:
                    yield from _finished(running)
            finally:
                # Reached early when the caller stops reading or an error ends the run.
                if running:
                    self._stop.set()
                found.close()

    def _is_due(self, processed: Processed) -> bool:
        if processed.document_id is None or processed.document_id in self._seen:
            return False
        self._seen.add(processed.document_id)
        return processed.reused

    def _convert(self, given: Given, known: Processed) -> Answer:
        if self._stop.is_set():
            return not_attempted(given)
        try:
            with open_source(given, name=None) as source:
                self._engine.ingestor.reconvert(source, self._request, activate=True)
        except Cancelled:
            return not_attempted(given)
        except OctavoError as error:
            if error.reason is None or isinstance(error, StorageError):
                raise
            result = build_failure(
                error,
                stage=IngestionState.CONVERSION_FAILED,
                document_id=known.document_id,
                original_ref=file_ref(os.fspath(given)),
            )
            return given, Processed(document_id=known.document_id, reused=False, result=result)
        return given, Processed(document_id=known.document_id, reused=False, request=self._request)


def _finished(running: set[Future[Answer]]) -> Iterator[Answer]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    running -= done
    for future in done:
        yield future.result()
