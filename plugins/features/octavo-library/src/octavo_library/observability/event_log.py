"""The event log: every engine event as one JSON line, without texts that may name paths of this machine."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from ..ingestion.events import EngineEvent
from .json_lines import JsonLines

LEFT_OUT = frozenset({"detail", "advice", "degraded", "unwatched"})
"""Text fields that quote a tool or the system, and so may name files. The command line shows them."""

_SHAPES: dict[type[EngineEvent], tuple[str, tuple[str, ...]]] = {}

_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")


class EventLog:
    """Writes each event that it receives.

    Args:
        lines: the file.
    """

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines

    def __call__(self, event: EngineEvent, /) -> None:
        """Handle one event.

        Raises:
            OSError: the file cannot be written.
        """
        self._lines.append(event_row(event))


def event_name(kind: type[EngineEvent]) -> str:
    """The name of an event class in the log: `RunStarted` is `run_started`."""
    return _WORD_START.sub("_", kind.__name__).lower()


def event_row(event: EngineEvent) -> dict[str, Any]:
    """An event as a log row: time, name, run, and then its own fields."""
    name, own = _shape(type(event))
    row = {"at": event.at, "event": name, "run_id": event.run_id}
    for field in own:
        row[field] = _plain(getattr(event, field))
    return row


def _shape(kind: type[EngineEvent]) -> tuple[str, tuple[str, ...]]:
    """The name of an event class and its logged fields. Cached: a document has five events."""
    if kind not in _SHAPES:
        left_out = LEFT_OUT | {"at", "run_id"}
        _SHAPES[kind] = event_name(kind), tuple(field.name for field in fields(kind) if field.name not in left_out)
    return _SHAPES[kind]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return round(value, 6) if isinstance(value, float) else value
