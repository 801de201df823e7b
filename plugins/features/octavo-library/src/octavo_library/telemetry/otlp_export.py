"""Sends the metrics of an open library to a collector by OTLP over HTTP. Needs `octavo-library[otel]`.

Nothing is sent unless a program starts it. The metrics have no texts, titles, names or paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from octavo_contracts import ToolUnavailable, UsageError

from ..observability.metrics import Metric, Metrics
from .library_gauges import GAUGES, INTERVAL, LibraryGauges

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Observation
    from opentelemetry.sdk.metrics.export import MetricReader

    from ..facade.library import Library


class MetricsExport:
    """The export of a library's metrics, until it is closed.

    Args:
        library: the library.
        reader: collects and exports the metrics, such as that of `otlp_reader`.
        interval: the aggregation interval of the library's state, seconds.

    Raises:
        ToolUnavailable: OpenTelemetry's SDK is not installed.
    """

    def __init__(self, library: Library, reader: MetricReader, *, interval: float = INTERVAL) -> None:
        with _needed():
            from opentelemetry.sdk.metrics import MeterProvider
            from opentelemetry.sdk.resources import Resource
        self._gauges = LibraryGauges(library, interval=interval)
        # A provider of its own: that of the process belongs to the program that embeds the library.
        self._provider = MeterProvider([reader], resource=Resource.create({"service.name": "octavo"}))
        self._leave = library.engine.events.subscribe(Metrics(self._provider))
        meter = self._provider.get_meter("octavo")
        for metric in GAUGES:
            meter.create_observable_gauge(
                metric.name, [self._reader_of(metric)], unit=metric.unit, description=metric.description
            )

    def close(self) -> None:
        """Export what was counted since the last interval, and stop."""
        self._leave()
        self._provider.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _reader_of(self, metric: Metric) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def read(options: CallbackOptions) -> Iterable[Observation]:
            from opentelemetry.metrics import Observation

            return [
                Observation(sample.value, sample.attributes)
                for sample in self._gauges.read()
                if sample.metric is metric
            ]

        return read


def otlp_reader(endpoint: str, *, interval: float = INTERVAL) -> MetricReader:
    """A reader that sends metrics to a collector at an interval.

    Args:
        endpoint: URL of the collector's metrics, such as `http://127.0.0.1:4318/v1/metrics`.
        interval: seconds between two exports.

    Raises:
        UsageError: the endpoint is no HTTP URL, or the interval is not positive.
        ToolUnavailable: OpenTelemetry's SDK or its exporter is not installed.
    """
    place = urlsplit(endpoint)
    if place.scheme not in ("http", "https") or not place.hostname:
        raise UsageError(
            f"{endpoint!r} is no address of a collector", remedy="Give a URL such as http://127.0.0.1:4318/v1/metrics"
        )
    if not interval > 0:
        raise UsageError(f"the interval must be a positive number of seconds, got {interval:g}")
    with _needed():
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    return PeriodicExportingMetricReader(
        OTLPMetricExporter(endpoint=endpoint, timeout=10), export_interval_millis=interval * 1000
    )


@contextmanager
def _needed() -> Iterator[None]:
    """Translate the import error of a missing package."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ToolUnavailable(
            f"metrics cannot be exported: {error.name} is not installed", remedy="pip install 'octavo-library[otel]'"
        ) from error
