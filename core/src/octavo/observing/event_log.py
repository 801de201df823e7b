"""The event log: every engine event as one JSON line, without the words that may name a place of this machine."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from ..engine.events import EngineEvent
from .lines import JsonLines

LEFT_OUT = frozenset({"detail", "advice", "degraded", "unwatched"})
"""Fields in words that quote what a tool or the system said, and so may name files. The command line shows them."""

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
            OSError: the file can not be written.
        """
        self._lines.append(event_row(event))


def event_name(kind: type[EngineEvent]) -> str:
    """What a kind of event is called in the log: `RunStarted` is `run_started`."""
    return _WORD_START.sub("_", kind.__name__).lower()


def event_row(event: EngineEvent) -> dict[str, Any]:
    """An event as its line says it: when, what, in which run, and then its own fields."""
    own = {field.name: _plain(getattr(event, field.name)) for field in fields(event) if field.name not in LEFT_OUT}
    return {"at": own.pop("at"), "event": event_name(type(event)), "run_id": own.pop("run_id"), **own}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return round(value, 6) if isinstance(value, float) else value
