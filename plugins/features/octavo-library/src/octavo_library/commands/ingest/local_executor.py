"""The executor `local`: converts on this machine, in this process's own workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

    from ...facade.library import Library
    from ...facade.results import IngestOutcome
    from ..executors import ExecutorRequest, ExecutorSession


class LocalExecutor:
    """Converts on this machine."""

    options: Sequence[click.Option] = ()

    def open(self, library: str, values: Mapping[str, Any], /) -> AbstractContextManager[ExecutorSession]:
        """As `Executor.open`; there is nothing to get ready."""
        return nullcontext(self)

    def ingest(self, library: Library, sources: Iterable[str], request: ExecutorRequest, /) -> Iterator[IngestOutcome]:
        """As `ExecutorSession.ingest`."""
        return library.ingest_many(
            sources,
            options=request.options,
            cancel=request.cancel,
            workers=request.workers,
            named=request.paths,
            total=request.total,
        )


EXECUTOR = LocalExecutor()
