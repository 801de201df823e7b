"""Runs in the worker with the plugin: creates a service and calls it step by step, as a host would.

The answers go back as JSON, whatever their type; the host's side judges them (`service_calls`).
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from octavo.plugins.services import Services
from octavo.plugins.worker import typed_error
from octavo_contracts import (
    SERVICE_KINDS,
    AuthUnavailable,
    DocumentGraph,
    ErrorRecord,
    FetchResponse,
    Model,
    OCRRequest,
    OctavoError,
    PageImage,
)

from .probe import recorder

if TYPE_CHECKING:
    from octavo_contracts import HookContext, SourceView

FOLDER = "{folder}"
"""Replaced by a folder in which the service may write."""


class ScriptedFetcher:
    """Answers requests with one reply, and keeps what was asked."""

    def __init__(self, reply: Mapping[str, Any]) -> None:
        self._reply = reply
        self.asked: list[dict[str, Any]] = []

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = 30.0,
    ) -> FetchResponse:
        """See `octavo_contracts.Fetcher`."""
        self.asked.append(
            {
                "url": url,
                "method": method,
                "body": (body or b"").decode(errors="replace"),
                "headers": dict(headers or {}),
            }
        )
        if self._reply["status"] == 401:
            raise AuthUnavailable("the server requires credentials")  # as the fetcher of a host
        return FetchResponse(
            url=url,
            status=self._reply["status"],
            media_type="application/json",
            body=self._reply["body"].encode(),
            headers={},
        )


def run(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Call a service.

    Args:
        payload: JSON {"plugin", "module", "kind", "factory", "settings", "steps"}; a step is {"make": true},
            {"get": attribute}, or {"call": method, "args": [...], "kwargs": {...}, "reply": {"status", "body"}}.
        source: not used.
        context: the work folder.

    Returns:
        JSON {"steps": [{"answer"} or {"error"}, with "asked"], "facts": {"writes", "network", "programs"}}.
    """
    task = json.loads(payload)
    folder = context.work_dir / "service"
    folder.mkdir()
    settings = {
        key: value.replace(FOLDER, str(folder)) if isinstance(value, str) else value
        for key, value in task["settings"].items()
    }
    told: list[dict[str, Any]] = []
    service: Any = None
    loop = asyncio.new_event_loop()  # before the recording: an event loop opens a pair of sockets
    with closing(loop), recorder().recording(context.work_dir.parent) as facts:
        for step in task["steps"]:
            said: dict[str, Any] = {}
            told.append(said)
            try:
                if "make" in step:
                    service = _made(task, settings)
                    said["answer"] = isinstance(service, SERVICE_KINDS[task["kind"]])
                elif "get" in step:
                    said["answer"] = encoded(getattr(service, step["get"]))
                else:
                    answer = _answer(service, step, said)
                    said["answer"] = encoded(loop.run_until_complete(answer) if inspect.iscoroutine(answer) else answer)
            except OctavoError as error:
                said["error"] = ErrorRecord.of(error).model_dump(mode="json")
            except BaseException as error:  # noqa: BLE001 - the sandbox's side: any exception of the plugin is the observed result
                typed = typed_error(error, task["kind"], plugin=task["plugin"], module=task["module"])
                said["error"] = ErrorRecord.of(typed).model_dump(mode="json")
    return json.dumps({"steps": told, "facts": facts}).encode()


def _made(task: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
    module, _, name = task["factory"].partition(":")
    factory = getattr(import_module(module), name)
    given = {"settings": dict(settings), "services": Services(())}
    parameters = inspect.signature(factory).parameters
    return factory(**{key: value for key, value in given.items() if key in parameters})


def _answer(service: Any, step: Mapping[str, Any], said: dict[str, Any]) -> object:
    arguments = {key: _argument(value) for key, value in step.get("kwargs", {}).items()}
    if "reply" in step:
        fetcher = arguments["fetcher"] = ScriptedFetcher(step["reply"])
        said["asked"] = fetcher.asked
    if step["call"] == "recognise":
        arguments["pause"] = lambda seconds: None
    answer: object = getattr(service, step["call"])(*map(_argument, step.get("args", ())), **arguments)
    return answer


def _argument(value: Any) -> Any:
    if isinstance(value, list):
        return [_argument(item) for item in value]
    if isinstance(value, dict) and "model" in value:
        models: dict[str, type[Model]] = {
            "DocumentGraph": DocumentGraph,
            "OCRRequest": OCRRequest,
            "PageImage": PageImage,
        }
        return models[value["model"]].read(value["json"])
    return value


def encoded(value: object) -> Any:
    """Return any value as JSON that `service_calls.decoded` can read."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, Model):
        return {"model": type(value).__name__, "json": value.to_json()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {item.name: encoded(getattr(value, item.name)) for item in fields(value)}
        return {"data": type(value).__name__, "fields": parts}
    if isinstance(value, Mapping):
        return {"map": [[encoded(key), encoded(item)] for key, item in value.items()]}
    if isinstance(value, Sequence):
        return {"list": [encoded(item) for item in value]}
    return {"other": type(value).__name__}
