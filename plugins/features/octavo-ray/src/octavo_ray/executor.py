"""The executor `ray` of `octavo ingest`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .options import RayOptions, options

if TYPE_CHECKING:
    import click
    from octavo_library import IngestOutcome, Library
    from octavo_library.commands.executors import ExecutorRequest, ExecutorSession

    from .cluster import Cluster

LEFT_TO_NODES = frozenset({"library", "workers", "objects.workspace"})
"""Settings that are not sent to the nodes: the first two are said otherwise, and each machine has its own workspace."""


class RayExecutor:
    """Converts on the nodes of a Ray cluster (ENG-6)."""

    @property
    def options(self) -> Sequence[click.Option]:
        """As `Executor.options`."""
        return options()

    @contextmanager
    def open(self, library: str, values: Mapping[str, Any], /) -> Iterator[ExecutorSession]:
        """Connect to the cluster, before a library is created.

        Raises:
            ToolUnavailable: Ray is not installed, or no cluster answers at the address.
        """
        from .cluster import connected

        wanted = RayOptions.of(values)
        with connected(wanted) as cluster:
            yield _Session(cluster, wanted, library=library)


class _Session:
    """A connection to a cluster, and the options of the run.

    Args:
        cluster: the cluster.
        wanted: the options.
        library: folder or URL of the library.
    """

    def __init__(self, cluster: Cluster, wanted: RayOptions, *, library: str) -> None:
        self._cluster = cluster
        self._wanted = wanted
        self._library = library

    def ingest(self, library: Library, sources: Iterable[str], request: ExecutorRequest, /) -> Iterator[IngestOutcome]:
        """As `ExecutorSession.ingest`.

        Raises:
            UsageError: the nodes cannot share the library.
        """
        from octavo_cli.toolkit.configured import loaded

        from .library_place import check_reachable
        from .node_spec import NodeSpec
        from .supervisor_pool import SupervisorPool

        place = check_reachable(library, self._library, self._cluster.fitting(self._wanted.resources))
        flags = {name: value for name, value in loaded().to_flags().items() if name not in LEFT_TO_NODES}
        # The run writes one event log: that of the process that asked for it.
        spec = NodeSpec(
            library=place,
            settings={**flags, "log.events": False},
            slots=request.workers,
            owner=library.context.artifacts.owner,
        )
        pool = SupervisorPool(self._cluster, spec, self._wanted, emit=library.context.events.emit)
        return library.queue.ingest(
            sources, workers=pool, options=request.options, cancel=request.cancel, named=request.paths
        )


EXECUTOR = RayExecutor()
