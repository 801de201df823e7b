"""Metrics of the state of a library: documents, flags, storage, tools, types, the queue. Read at an interval, not at events."""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..observability.metrics import Metric

if TYPE_CHECKING:
    from ..facade.library import Library

INTERVAL = 60.0
"""Default of the aggregation interval, seconds."""

LIBRARY_DOCUMENTS = Metric(
    name="octavo.library.documents",
    kind="gauge",
    unit="{document}",
    description="Documents of the library, by status.",
    attributes=("status",),
)
LIBRARY_ACCEPTED = Metric(
    name="octavo.library.accepted",
    kind="gauge",
    unit="{document}",
    description="Documents whose active version a user accepted with its flags.",
)
LIBRARY_FLAGS = Metric(
    name="octavo.library.flags",
    kind="gauge",
    unit="{document}",
    description="Documents whose active version has a degraded flag, by flag.",
    attributes=("flag",),
)
LIBRARY_SIZE = Metric(
    name="octavo.library.size",
    kind="gauge",
    unit="By",
    description="Size of the originals of the library.",
)
LIBRARY_VERSIONS = Metric(
    name="octavo.library.versions",
    kind="gauge",
    unit="{version}",
    description="Stored versions of the library.",
)
DISK_FREE = Metric(
    name="octavo.library.disk.free",
    kind="gauge",
    unit="By",
    description="Free bytes of the disk that holds the library.",
)
CORPUS_DOCUMENTS = Metric(
    name="octavo.corpus.documents",
    kind="gauge",
    unit="{document}",
    description="Documents of a corpus, which is named by its id.",
    attributes=("corpus",),
)
CORPUS_SIZE = Metric(
    name="octavo.corpus.size",
    kind="gauge",
    unit="By",
    description="Size of the originals of a corpus, which is named by its id.",
    attributes=("corpus",),
)
TOOL_UP = Metric(
    name="octavo.tool.up",
    kind="gauge",
    unit="1",
    description="Whether a plugin's engine and programs are installed.",
    attributes=("tool",),
)
TYPES_AUDITED = Metric(
    name="octavo.types.audited",
    kind="gauge",
    unit="{document}",
    description="Documents of the audit sample whose type a user reviewed, by whether the classifier was right.",
    attributes=("verdict",),
)

QUEUE_DOCUMENTS = Metric(
    name="octavo.queue.documents",
    kind="gauge",
    unit="{document}",
    description="Documents in the queue: those that wait for a worker, that a worker could not begin, and that are in work.",
    attributes=("state",),
)
QUEUE_HOSTS = Metric(
    name="octavo.queue.hosts",
    kind="gauge",
    unit="{process}",
    description="Processes that have a library in an object store open, by kind, and by whether their leases last.",
    attributes=("kind", "state"),
)

GAUGES: tuple[Metric, ...] = (
    LIBRARY_DOCUMENTS,
    LIBRARY_ACCEPTED,
    LIBRARY_FLAGS,
    LIBRARY_SIZE,
    LIBRARY_VERSIONS,
    DISK_FREE,
    CORPUS_DOCUMENTS,
    CORPUS_SIZE,
    TOOL_UP,
    TYPES_AUDITED,
    QUEUE_DOCUMENTS,
    QUEUE_HOSTS,
)
"""All metrics of the state of a library."""


class Sample(NamedTuple):
    """A value of a gauge.

    Attributes:
        metric: the gauge.
        attributes: its dimensions.
        value: the value.
    """

    metric: Metric
    attributes: dict[str, str]
    value: float


class LibraryGauges:
    """Reads the gauges of an open library, at most once in an interval. Thread-safe.

    Args:
        library: the library.
        interval: the aggregation interval, seconds: within it, the same samples are returned.
        clock: seconds.
    """

    def __init__(
        self, library: Library, *, interval: float = INTERVAL, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._library = library
        self._interval = interval
        self._clock = clock
        self._lock = threading.Lock()
        self._samples: tuple[Sample, ...] = ()
        self._until: float | None = None

    def read(self) -> tuple[Sample, ...]:
        """The samples of all gauges, in the order of `GAUGES`.

        Raises:
            StorageError: the index cannot be read.
        """
        with self._lock:
            if self._until is None or self._clock() >= self._until:
                self._samples = tuple(self._measured())
                self._until = self._clock() + self._interval
            return self._samples

    def _measured(self) -> Iterator[Sample]:
        library = self._library
        counts = library.catalogue.counts()
        extent = library.catalogue.extent()
        for status, number in counts.statuses.items():
            yield Sample(LIBRARY_DOCUMENTS, {"status": status}, number)
        yield Sample(LIBRARY_ACCEPTED, {}, counts.accepted)
        for flag, number in extent.flags.items():
            yield Sample(LIBRARY_FLAGS, {"flag": flag}, number)
        yield Sample(LIBRARY_SIZE, {}, extent.original_bytes)
        yield Sample(LIBRARY_VERSIONS, {}, extent.versions)
        yield Sample(DISK_FREE, {}, shutil.disk_usage(library.path).free)
        corpora = library.corpora.list()
        for corpus in corpora:
            yield Sample(CORPUS_DOCUMENTS, {"corpus": corpus.id}, corpus.documents)
        for corpus in corpora:
            size = library.catalogue.extent(corpus=corpus.name).original_bytes
            yield Sample(CORPUS_SIZE, {"corpus": corpus.id}, size)
        for plugin in library.context.runtime.catalogue:
            yield Sample(TOOL_UP, {"tool": plugin.name}, float(plugin.missing() is None))
        audit = library.catalogue.type_audit()
        for verdict, number in (("right", audit.right), ("wrong", audit.wrong)):
            yield Sample(TYPES_AUDITED, {"verdict": verdict}, number)
        yield from self._queue_samples()

    def _queue_samples(self) -> Iterator[Sample]:
        queue = self._library.queue
        queued, not_begun = queue.counts(), queue.not_begun()
        states = {"waiting": queued.queued - not_begun, "not_begun": not_begun, "in_work": queued.taken}
        for state, number in states.items():
            yield Sample(QUEUE_DOCUMENTS, {"state": state}, max(0, number))
        processes = Counter({("worker", "alive"): 0})  # a series that ends is not one of no workers
        processes.update((one.kind, "alive" if one.is_alive else "expired") for one in queue.hosts())
        for (kind, state), number in processes.items():
            yield Sample(QUEUE_HOSTS, {"kind": kind, "state": state}, number)
