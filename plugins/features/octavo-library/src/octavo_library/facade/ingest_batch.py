"""The iterator of `Library.ingest_many`: nothing is ingested before it is iterated, and one that never is says so."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Generator, Iterable, Iterator, Sized
from os import PathLike
from typing import Self, TypeGuard

from octavo.documents.source import as_source, printable
from octavo_sandbox.egress.targets import is_url
from octavo_sandbox.filesystem.file_walk import Walk

from .results import IngestOutcome

_log = logging.getLogger("octavo.ingestion")

SourcePath = str | os.PathLike[str]
"""A path or the URL of a page."""

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


def files_of(sources: Iterable[object], *, library: str | PathLike[str]) -> tuple[Iterable[object], int | None]:
    """The sources with each folder replaced by the files in it, and their number where it is known before the walk.

    Args:
        sources: as `one_or_many` returns them.
        library: folder of the library, which is never walked into.
    """
    if isinstance(sources, Sized) and not any(_is_folder(source) for source in sources):
        return sources, len(sources)
    return _walked(sources, os.fspath(library)), None


def files_beforehand(sources: object, *, library: str | PathLike[str]) -> Iterable[SourcePath]:
    """The sources with each folder replaced by the files in it, to be looked at before a run; nothing is logged.

    Args:
        sources: as a caller gave them; iterated each time that the result is.
        library: folder of the library, which is never walked into.
    """
    return _Beforehand(one_or_many(sources), os.fspath(library))


class _Beforehand:
    """Walks into folders each time that it is iterated."""

    def __init__(self, sources: Iterable[object], library: str) -> None:
        self._sources = sources
        self._library = library

    def __iter__(self) -> Iterator[SourcePath]:
        for source in self._sources:
            if _is_folder(source):
                yield from Walk((os.fspath(source),), library=self._library)
            else:
                yield as_source(source)


def _walked(sources: Iterable[object], library: str) -> Iterator[object]:
    for source in sources:
        if _is_folder(source):
            walk = Walk((os.fspath(source),), library=library)
            yield from walk
            for skipped in walk.skipped:
                _log.warning("%s was left out: %s", printable(skipped.path), skipped.why)
        else:
            yield source


def _is_folder(source: object) -> TypeGuard[str | PathLike[str]]:
    if not isinstance(source, str | PathLike):
        return False
    try:
        return not is_url(source) and os.path.isdir(source)
    except Exception:  # noqa: BLE001 - a caller's own class of path raises what it likes; the source then fails by itself
        return False


def _caller() -> tuple[str, int]:
    """File and line of the first caller outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
