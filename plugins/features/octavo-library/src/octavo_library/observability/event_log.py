"""The event log: every engine event as one JSON line, without the words that may name a place of this machine."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from ..ingestion.events import EngineEvent
from .json_lines import JsonLines

LEFT_OUT = frozenset({"detail", "advice", "degraded", "unwatched"})
"""Fields in words that quote what a tool or the system said, and so may name files. The command line shows them."""

_SHAPES: dict[type[EngineEvent], tuple[str, tuple[str, ...]]] = {}

_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")


class EventLog:
    """Writes each event that it hears.

    Args:
        lines: where to.
    """

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines

    def __call__(self, event: EngineEvent, /) -> None:
        """Take one event.

        Raises:
            OSError: the file cannot be written.
        """
        self._lines.append(event_row(event))


def event_name(kind: type[EngineEvent]) -> str:
    """What a kind of event is called in the log: `RunStarted` is `run_started`."""
    return _WORD_START.sub("_", kind.__name__).lower()


def event_row(event: EngineEvent) -> dict[str, Any]:
    """An event as its line says it: when, what, in which run, and then its own fields."""
    name, own = _shape(type(event))
    row = {"at": event.at, "event": name, "run_id": event.run_id}
    for field in own:
        row[field] = _plain(getattr(event, field))
    return row


def _shape(kind: type[EngineEvent]) -> tuple[str, tuple[str, ...]]:
    """The name of a kind of event, and its own fields that are told. Looked up once: a document has five events."""
    if kind not in _SHAPES:
        left_out = LEFT_OUT | {"at", "run_id"}
        _SHAPES[kind] = event_name(kind), tuple(field.name for field in fields(kind) if field.name not in left_out)
    return _SHAPES[kind]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return round(value, 6) if isinstance(value, float) else value
