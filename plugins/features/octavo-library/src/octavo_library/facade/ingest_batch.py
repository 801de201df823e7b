"""The iterator of `Library.ingest_many`: nothing is ingested before it is iterated, and one that never is says so."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator, Iterable, Iterator
from os import PathLike
from typing import Self

from .results import IngestOutcome

_PACKAGE = __name__.partition(".")[0]


class IngestBatch(Iterator[IngestOutcome]):
    """Documents as they are ingested. Iterate it; `list(batch)` ingests them all.

    Args:
        outcomes: gives the outcomes; not begun yet.

    Warns:
        RuntimeWarning: it is thrown away and was never iterated, so that no document was ingested.
    """

    def __init__(self, outcomes: Generator[IngestOutcome]) -> None:
        self._outcomes = outcomes
        self._is_begun = False
        self._made_at = _caller()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> IngestOutcome:
        """The next outcome."""
        self._is_begun = True
        return next(self._outcomes)

    def close(self) -> None:
        """End the run; documents that are being converted are finished."""
        self._is_begun = True
        self._outcomes.close()

    def __repr__(self) -> str:
        return "<IngestBatch: iterate it to ingest the documents>"

    def __del__(self) -> None:
        if not getattr(self, "_is_begun", True):
            file, line = self._made_at
            message = "ingest_many() was never iterated, so no document was ingested: loop over what it returns, or call list()"
            warnings.warn_explicit(message, RuntimeWarning, file, line)


def one_or_many(sources: object) -> Iterable[object]:
    """The sources that a caller gave; a path, a URL or bytes by themselves are one source, and no row of characters."""
    if isinstance(sources, str | bytes | PathLike):
        return [sources]
    assert isinstance(sources, Iterable)  # as the type of the parameter says
    return sources


def _caller() -> tuple[str, int]:
    """File and line of the first caller outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
