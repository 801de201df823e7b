"""The library's metrics in the text format of Prometheus: a provider of OpenTelemetry instruments that keeps sums."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from octavo_library import Library
from octavo_library.observability.metrics import METRICS, Metric, Metrics
from octavo_library.telemetry import GAUGES, INTERVAL, LibraryGauges

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
WRITES = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 1000.0)
_UNITS = {"s": "_seconds", "By": "_bytes"}
Labels = tuple[tuple[str, str], ...]


@dataclass
class _Histogram:
    counts: list[int]
    total: float = 0.0


@dataclass
class Instrument:
    """An instrument: sums and histograms by labels. Thread-safe.

    Attributes:
        metric: what it measures.
    """

    metric: Metric
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sums: dict[Labels, float] = field(default_factory=dict)
    _histograms: dict[Labels, _Histogram] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in Prometheus."""
        return prometheus_name(self.metric)

    @property
    def _bounds(self) -> tuple[float, ...]:
        return SECONDS if self.metric.unit == "s" else WRITES

    def add(self, value: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Add to a counter."""
        labels = _labels(attributes)
        with self._lock:
            self._sums[labels] = self._sums.get(labels, 0.0) + value

    def set(self, value: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Set a gauge."""
        with self._lock:
            self._sums[_labels(attributes)] = value

    def record(self, value: float, attributes: Mapping[str, Any] | None = None) -> None:
        """Record a value of a histogram."""
        labels = _labels(attributes)
        with self._lock:
            found = self._histograms.setdefault(labels, _Histogram([0] * (len(self._bounds) + 1)))
            found.counts[bisect.bisect_left(self._bounds, value)] += 1
            found.total += value

    def lines(self) -> Iterator[str]:
        """Its samples."""
        kind = {"up_down_counter": "gauge"}.get(self.metric.kind, self.metric.kind)
        yield from heading(self.name, kind, self.metric.description)
        with self._lock:
            sums = dict(self._sums)
            histograms = {labels: (list(one.counts), one.total) for labels, one in self._histograms.items()}
        for labels, value in sums.items():
            yield sample(self.name, labels, value)
        for labels, (counts, total) in histograms.items():
            seen = 0
            for bound, count in zip((*self._bounds, float("inf")), counts, strict=True):
                seen += count
                yield sample(f"{self.name}_bucket", (*labels, ("le", _number(bound))), seen)
            yield sample(f"{self.name}_sum", labels, total)
            yield sample(f"{self.name}_count", labels, seen)


class _Meter:
    def __init__(self, instruments: Mapping[str, Instrument]) -> None:
        self._instruments = instruments

    def _made(self, name: str, unit: str = "", description: str = "") -> Instrument:
        return self._instruments[name]

    create_counter = create_up_down_counter = create_histogram = create_gauge = _made


class PrometheusText:
    """The metrics of an open library since it was created.

    Args:
        library: the library.
        interval: seconds for which the numbers of the library's state are kept.
    """

    def __init__(self, library: Library, *, interval: float = INTERVAL) -> None:
        self._gauges = LibraryGauges(library, interval=interval)
        self._instruments = {metric.name: Instrument(metric) for metric in METRICS}
        # What a recorder asks of OpenTelemetry's provider is its meter, which makes the instruments.
        self._leave = library.engine.events.subscribe(Metrics(cast(Any, self)))

    def get_meter(self, name: str, version: str | None = None, *rest: Any, **more: Any) -> _Meter:
        """The meter, as OpenTelemetry's API asks a provider for it."""
        return _Meter(self._instruments)

    def close(self) -> None:
        """Stop listening."""
        self._leave()

    def text(self) -> str:
        """All samples."""
        lines = [line for instrument in self._instruments.values() for line in instrument.lines()]
        states = {metric.name: Instrument(metric) for metric in GAUGES}
        for read in self._gauges.read():
            states[read.metric.name].set(read.value, read.attributes)
        lines += [line for instrument in states.values() for line in instrument.lines()]
        return "\n".join(lines) + "\n"


def prometheus_name(metric: Metric) -> str:
    """The name of a metric in Prometheus, by its conventions: with its unit, and `_total` for a counter."""
    base = metric.name.replace(".", "_") + _UNITS.get(metric.unit, "")
    return f"{base}_total" if metric.kind == "counter" else base


def heading(name: str, kind: str, description: str) -> list[str]:
    """The lines that describe a metric."""
    return [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]


def sample(name: str, labels: Labels, value: float) -> str:
    """A line with a value."""
    shown = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{shown}}} {_number(value)}" if shown else f"{name} {_number(value)}"


def _labels(attributes: Mapping[str, Any] | None) -> Labels:
    shown = (
        (key, str(value).lower() if isinstance(value, bool) else str(value))
        for key, value in (attributes or {}).items()
    )
    return tuple(sorted(shown))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if value == int(value) else repr(value)
