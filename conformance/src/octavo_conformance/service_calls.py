"""Calls the services of a plugin under test in the sandbox, and reads their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import octavo_contracts
from octavo.plugins.dispatcher import lane_of
from octavo_contracts import ErrorRecord, Model, OctavoError
from octavo_sandbox import SandboxLimits

from .checks import Broken
from .evidence import describe
from .service_probe import FOLDER
from .subject import Subject

SERVICE_CALL = "octavo_conformance.service_probe:run"
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "digestor": {"policy": "always", "cloud": False},
    "graph_intake": {"folder": FOLDER, "options": {}},
    "vector_index": {"folder": FOLDER, "model": "suite/1"},
}
"""Settings that hosts pass to the factories of a kind."""
MAKE: Mapping[str, Any] = {"make": True}


@dataclass(frozen=True, kw_only=True)
class Said:
    """The outcome of one step.

    Attributes:
        answer: the answer, as the service returned it.
        error: the error that it raised, or None.
        asked: the requests that it sent through its fetcher.
    """

    answer: Any
    error: OctavoError | None
    asked: tuple[Mapping[str, Any], ...] = ()

    def value(self) -> Any:
        """Return the answer.

        Raises:
            Broken: the service raised an error.
        """
        if self.error is not None:
            raise Broken("the service raised an error", expected="an answer", actual=describe(self.error))
        return self.answer


@dataclass(frozen=True, kw_only=True)
class Observed:
    """The outcomes of all steps, and the side effects of the calls."""

    steps: tuple[Said, ...]
    facts: Mapping[str, Sequence[str]]


def call_service(subject: Subject, kind: str, *steps: Mapping[str, Any]) -> Observed:
    """Create a service in a worker and run steps; see `service_probe.run`.

    Raises:
        OctavoError: the worker died or was killed.
    """
    task = json.dumps(_task(subject, kind, steps)).encode()
    limits = replace(SandboxLimits(), wall_seconds=subject.budget.wall_seconds, memory_mb=4096)
    reply = subject.pool.run(SERVICE_CALL, task, limits=limits, lane=lane_of(subject.plugin))
    return _observed(reply.payload)


def call_services_elsewhere(subject: Subject, steps: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Observed]:
    """Create services and run the steps of each in one process with other surroundings (see `Outside`).

    Args:
        subject: the plugin.
        steps: steps by the kind of the service.

    Returns:
        The outcomes by the kind.

    Raises:
        OctavoError: the process failed.
    """
    tasks = [_task(subject, kind, of_kind) for kind, of_kind in steps.items()]
    told = subject.outside.call_services(subject.name, tasks, seconds=3 * subject.budget.wall_seconds)
    return {kind: _observed(one) for kind, one in zip(steps, told, strict=True)}


def _task(subject: Subject, kind: str, steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    plugin = subject.plugin
    return {
        "plugin": plugin.name,
        "module": plugin.module,
        "kind": kind,
        "factory": plugin.manifest.services[kind],
        "settings": SETTINGS.get(kind, {}),
        "steps": [MAKE, *steps],
    }


def _observed(payload: str | bytes) -> Observed:
    told = json.loads(payload)
    return Observed(steps=tuple(_said(step) for step in told["steps"]), facts=told["facts"])


def answers_of(subject: Subject, kind: str, *steps: Mapping[str, Any]) -> list[Any]:
    """Return the answers to steps, without that of the creation.

    Raises:
        Broken: the service could not be created, or a step raised an error.
    """
    return [said.value() for said in call_service(subject, kind, *steps).steps][1:]


def _said(step: Mapping[str, Any]) -> Said:
    record = step.get("error")
    return Said(
        answer=decoded(step.get("answer")),
        error=ErrorRecord.read(record).to_error() if record is not None else None,
        asked=tuple(step.get("asked", ())),
    )


class Unknown:
    """A value of a type that the contract does not have."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<a {self._name}>"


def decoded(value: Any) -> Any:
    """Read what `service_probe.encoded` wrote."""
    if not isinstance(value, dict):
        return value
    match value:
        case {"bytes": text}:
            return bytes.fromhex(text)
        case {"list": items}:
            return [decoded(item) for item in items]
        case {"map": items}:
            return {decoded(key): decoded(item) for key, item in items}
        case {"model": name, "json": text}:
            model = getattr(octavo_contracts, name, None)
            return model.read(text) if isinstance(model, type) and issubclass(model, Model) else Unknown(name)
        case {"data": name, "fields": parts}:
            kind = getattr(octavo_contracts, name, None)
            return kind(**{key: decoded(item) for key, item in parts.items()}) if kind is not None else Unknown(name)
    return Unknown(str(value.get("other")))


def refuse(error: ValueError) -> NoReturn:
    """Raise a wrong answer as a violation.

    Raises:
        Broken: always.
    """
    raise Broken("the answer does not fit the contract", expected="an answer of its kind", actual=f"{error}") from error
