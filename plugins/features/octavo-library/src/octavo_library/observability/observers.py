"""Sets up the observers of one open library: logs and metrics."""

from __future__ import annotations

from pathlib import Path

from octavo.settings.settings import LogSettings

from ..ingestion.events import EngineEvent, EngineListener, EventHub
from .audit import AuditLog
from .event_log import EventLog
from .json_lines import JsonLines
from .metrics import Metrics

FOLDER = "logs"
"""Folder of a library's logs."""


class Observers:
    """Observers of a library's events, until they are closed.

    Args:
        hub: the source of the events.
        root: the library's folder.
        settings: the logs to write.

    Attributes:
        audit: the audit log, for actions outside ingestion.
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
        """Unsubscribe, and close the files."""
        for leave in self._leave:
            leave()
        for lines in self._lines.values():
            lines.close()

    def _count(self, event: EngineEvent, /) -> None:
        # Created at the first event: a library that is only read does not import OpenTelemetry.
        if self._metrics is None:
            self._metrics = Metrics()
        self._metrics(event)
