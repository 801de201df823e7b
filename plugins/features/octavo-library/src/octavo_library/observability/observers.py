"""The observers of one opened library, put together."""

from __future__ import annotations

from pathlib import Path

from octavo.settings.settings import LogSettings

from ..ingestion.events import EngineEvent, EngineListener, EventHub
from .audit import AuditLog
from .event_log import EventLog
from .json_lines import JsonLines
from .metrics import Metrics

FOLDER = "logs"
"""Where a library's logs are."""


class Observers:
    """Hear a library's events until they are closed.

    Args:
        hub: where the events are told.
        root: the library's folder.
        settings: what is written.

    Attributes:
        audit: for what is done to the library beside ingestion.
    """

    def __init__(self, hub: EventHub, *, root: Path, settings: LogSettings) -> None:
        self._lines = {
            name: JsonLines(root / FOLDER / f"{name}.jsonl", max_bytes=settings.max_bytes, keep=settings.keep)
            for name, is_on in (("events", settings.events), ("audit", settings.audit))
            if is_on
        }
        self._metrics: Metrics | None = None
        self.audit = AuditLog(self._lines.get("audit"))
        listeners: list[EngineListener] = [self._count, self.audit]
        if settings.events:
            listeners.append(EventLog(self._lines["events"]))
        self._leave = [hub.subscribe(listener) for listener in listeners]

    def close(self) -> None:
        """Hear no more, and close the files."""
        for leave in self._leave:
            leave()
        for lines in self._lines.values():
            lines.close()

    def _count(self, event: EngineEvent, /) -> None:
        # Made at the first event: a library that only reads does without importing OpenTelemetry.
        if self._metrics is None:
            self._metrics = Metrics()
        self._metrics(event)
