"""Lines between the process that converts on a node and the process that asked for the run."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import Any

import octavo_contracts
from octavo_contracts import OctavoError, StorageError
from octavo_library.ingestion.events import Committed, EngineEvent, RunFinished, RunStarted
from pydantic import TypeAdapter

OPEN, EVENT, ERROR = "open", "event", "error"
"""Kinds of lines: the library is open; an event of the engine; the error that ends the process."""

KEPT_BACK = (Committed, RunStarted, RunFinished)
"""Events that are not sent: each process has a writer of its own, and the run belongs to the one that asked for it."""


def open_line(*, slots: int) -> str:
    """A line that says that work begins.

    Args:
        slots: documents converted in parallel.
    """
    return json.dumps({"kind": OPEN, "slots": slots})


def event_line(event: EngineEvent) -> str | None:
    """The line of an event; None for one that is not sent."""
    if isinstance(event, KEPT_BACK):
        return None
    return json.dumps({"kind": EVENT, "name": type(event).__name__, "fields": asdict(event)})


def error_line(error: OctavoError) -> str:
    """The line of an error that ends the process."""
    return json.dumps({"kind": ERROR, "name": type(error).__name__, "message": error.message, "remedy": error.remedy})


def event_of(line: dict[str, Any]) -> EngineEvent | None:
    """The event of a line; None for one of another version of Octavo that is not known here."""
    kind = _events().get(str(line.get("name")))
    if kind is None:
        return None
    event: EngineEvent = TypeAdapter(kind).validate_python(line["fields"])
    return event


def error_of(line: dict[str, Any], *, host: str) -> OctavoError:
    """The error of a line, with the node's name."""
    named = getattr(octavo_contracts, str(line.get("name")), None)
    kind = named if isinstance(named, type) and issubclass(named, OctavoError) else StorageError
    return kind(f"node {host}: {line.get('message')}", remedy=line.get("remedy"))


@cache
def _events() -> dict[str, type[EngineEvent]]:
    return {kind.__name__: kind for kind in EngineEvent.__subclasses__()}
