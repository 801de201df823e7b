"""Audit events and metrics of digests. They never contain text of a source (DIG-11, DIG-24)."""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError

if TYPE_CHECKING:
    from .result import DigestResult

logger = logging.getLogger("octavo.digest")

EventValue = str | int | float | bool | None


@dataclass(frozen=True, kw_only=True)
class AuditEvent:
    """An audit event.

    Attributes:
        name: 'digest.started', 'digest.completed', 'digest.skipped', 'digest.error',
            'digest.circuit_breaker_triggered' or 'digest.pdf_extract_error'.
        fields: numbers, hashes, ids and names.
    """

    name: str
    fields: Mapping[str, EventValue] = field(default_factory=dict)


EventSink = Callable[[AuditEvent], None]


def log_event(event: AuditEvent) -> None:
    """The default sink: the logger `octavo.digest`."""
    level = logging.WARNING if event.name.endswith(("error", "triggered")) else logging.INFO
    logger.log(level, "%s %s", event.name, dict(event.fields))


def tell(sink: EventSink, event: AuditEvent) -> None:
    """Pass an event to the host's sink. A failing sink only causes a warning."""
    try:
        sink(event)
    except Exception as error:  # noqa: BLE001 - dispatch: the sink is the host's, and fails in its own ways
        logger.warning("the event sink failed on %s: %s", event.name, type(error).__name__)


@dataclass(frozen=True)
class Observer:
    """Receiver of the events and metrics of digests.

    Attributes:
        events: called with each event; default: the log.
        metrics: the metrics to update.
    """

    events: EventSink = log_event
    metrics: Metrics = field(default_factory=lambda: Metrics())

    def tell(self, name: str, **fields: EventValue) -> None:
        """Pass an event to the host's sink. A failing sink only causes a warning."""
        tell(self.events, AuditEvent(name=name, fields=fields))

    def completed(self, source_id: str, result: DigestResult, *, policy: str) -> None:
        """Report a digest that was made or taken from the cache."""
        payload = result.payload
        assert payload is not None  # a completed result has a payload
        self.tell(
            "digest.completed",
            source_id=source_id,
            original_chars=payload.original_chars,
            digest_chars=payload.digest_chars,
            compression_ratio=payload.compression_ratio,
            cache_hit=result.cache_hit,
            duration_ms=round(result.duration_ms, 3),
        )
        hit, seconds = str(result.cache_hit).lower(), result.duration_ms / 1000
        self.metrics.observe("digest_duration_seconds", seconds, policy=policy, cache_hit=hit)
        self.metrics.count("digest_sources_processed", outcome="completed")
        self.metrics.observe("digest_compression_ratio", payload.compression_ratio)
        self.metrics.observe("digest_evidence_snippets", len(payload.evidence_snippets))
        if result.cache_hit:
            self.metrics.count("digest_cache_hits")

    def skipped(self, source_id: str, reason: str) -> None:
        """Report a skipped source."""
        self.tell("digest.skipped", source_id=source_id, reason=reason)
        self.metrics.count("digest_sources_processed", outcome="skipped")

    def failed(self, source_id: str, fields: Mapping[str, EventValue]) -> None:
        """Report a failed digest; `fields` are from `error_fields`."""
        self.tell("digest.error", source_id=source_id, **fields)
        self.metrics.count("digest_sources_processed", outcome="error")


def error_fields(error: BaseException) -> dict[str, EventValue]:
    """Return the event fields of an error: its class, and for an `OctavoError` the reason code.

    The text of an error is never included: clients of models put prompts and answers in it.
    """
    reason = error.reason.value if isinstance(error, OctavoError) and error.reason else None
    said = f"{type(error).__name__} [{reason}]" if reason else type(error).__name__
    return {"error_type": type(error).__name__, "error_message": said}


BUCKETS: Mapping[str, tuple[float, ...]] = {
    "digest_duration_seconds": (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60),
    "digest_compression_ratio": (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1),
    "digest_evidence_snippets": (0, 1, 2, 3, 5, 10),
    "pdf_extraction_duration_seconds": (0.1, 0.5, 1, 5, 15, 30),
}
"""Histogram → upper bounds of its buckets."""

Labels = tuple[tuple[str, str], ...]


@dataclass
class Histogram:
    """Observations by bucket: each count is of values at or below its bound; the last one is of all values."""

    bounds: tuple[float, ...]
    counts: list[int]
    total: float = 0.0

    def observe(self, value: float) -> None:
        """Add a value."""
        for place in range(bisect_left(self.bounds, value), len(self.counts)):
            self.counts[place] += 1
        self.total += value

    @property
    def count(self) -> int:
        """Number of values."""
        return self.counts[-1]


class Metrics:
    """Counters and histograms of one digestor, for the host. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.counters: dict[tuple[str, Labels], float] = {}
        self.histograms: dict[tuple[str, Labels], Histogram] = {}

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        key = (name, tuple(sorted(labels.items())))
        with self._lock:
            self.counters[key] = self.counters.get(key, 0) + amount

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Add to a histogram."""
        key = (name, tuple(sorted(labels.items())))
        bounds = BUCKETS[name]
        with self._lock:
            self.histograms.setdefault(key, Histogram(bounds, [0] * (len(bounds) + 1))).observe(value)

    def value(self, name: str, **labels: str) -> float:
        """Return a counter's value; 0 if nothing was counted."""
        return self.counters.get((name, tuple(sorted(labels.items()))), 0)

    def exposition(self) -> str:
        """Return all metrics in Prometheus's text format."""
        lines: list[str] = []
        with self._lock:
            for (name, labels), value in sorted(self.counters.items()):
                lines.append(f"{name}{_shown(labels)} {value:g}")
            for (name, labels), histogram in sorted(self.histograms.items(), key=lambda item: item[0]):
                for bound, count in zip((*map(str, histogram.bounds), "+Inf"), histogram.counts, strict=True):
                    lines.append(f"{name}_bucket{_shown((*labels, ('le', bound)))} {count}")
                lines.append(f"{name}_sum{_shown(labels)} {histogram.total:g}")
                lines.append(f"{name}_count{_shown(labels)} {histogram.count}")
        return "".join(f"{line}\n" for line in lines)


def _shown(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
