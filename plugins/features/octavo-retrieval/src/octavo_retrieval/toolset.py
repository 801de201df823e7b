"""The tools as one object: their entries, schemas and calls, by name."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Final, Literal

from octavo_contracts import Model, OctavoError
from pydantic import ValidationError

from .failures import FailureCode, ToolFailure, failure_of, invalid_arguments
from .receipts import Receipt
from .registry import ActionRegistryEntry
from .scope import Scope

Group = Literal["documents", "memory", "ingest"]
"""What a set of tools is offered by: reading documents, memories, or work that makes new versions."""

TOOLS_GROUP: Final = "octavo.tools"
"""Entry points of other features: each is called with a `Scope` and gives a sequence of tools."""


@dataclass(frozen=True, kw_only=True)
class CallContext:
    """What a call may use beside its arguments.

    Attributes:
        cancel: set by the caller to stop work that takes long.
        progress: called with what is done, of how much, and a sentence.
    """

    cancel: threading.Event | None = None
    progress: Callable[[float, float, str], None] | None = None

    def tell(self, done: float, total: float, what: str) -> None:
        """Tell the caller how far the call is."""
        if self.progress is not None:
            self.progress(done, total, what)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One typed tool.

    Attributes:
        entry: how it is described.
        group: what it is offered by.
        request: model of its arguments.
        response: model of its answer.
        run: answers a request.
        receipt: what the user is shown of a request and its answer.
        shown: the answer as a model reads it, with its content in markers.
    """

    entry: ActionRegistryEntry
    group: Group
    request: type[Model]
    response: type[Model]
    run: Callable[[Any, CallContext], Model]
    receipt: Callable[[Any, Any], Receipt]
    shown: Callable[[Any, Any], str]

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.entry.invocation_bindings[0].binding_name

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of its arguments; closed: there are no others."""
        return self.request.model_json_schema()

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of its answer."""
        return self.response.model_json_schema(mode="serialization")


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """The answer of a call.

    Attributes:
        tool: the tool.
        value: the answer.
        receipt: what the user is shown.
        text: the answer as a model reads it, with its content in markers.
    """

    tool: str
    value: Model
    receipt: Receipt
    text: str

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        told: dict[str, Any] = json.loads(self.value.to_json())
        return told


class Toolset(Mapping[str, Tool]):
    """Tools over the documents in a scope, by their names. Thread-safe.

    Args:
        scope: which documents.
        offered: the tools.
    """

    def __init__(self, scope: Scope, offered: Sequence[Tool]) -> None:
        self.scope = scope
        self._tools = {tool.name: tool for tool in offered}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def only(self, groups: Sequence[str]) -> Toolset:
        """The tools of some groups.

        Raises:
            ToolFailure: there is no such group.
        """
        known = {tool.group for tool in self._tools.values()} | {"documents", "memory", "ingest"}
        for group in groups:
            if group not in known:
                raise ToolFailure(
                    FailureCode.INVALID_ARGUMENTS,
                    f"there are no tools of the group {group!r}",
                    remedy=f"Name some of {', '.join(sorted(known))}",
                )
        return Toolset(self.scope, [tool for tool in self._tools.values() if tool.group in groups])

    def named(self, name: str) -> Tool:
        """A tool by its name.

        Raises:
            ToolFailure: there is none.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise ToolFailure(
                FailureCode.UNKNOWN_TOOL,
                f"There is no tool {name[:100]!r}",
                remedy=f"Call one of {', '.join(self._tools)}",
            )
        return tool

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, context: CallContext | None = None
    ) -> ToolResult:
        """Call a tool.

        Args:
            name: the tool.
            arguments: its arguments, as JSON gives them.
            context: how to stop it and follow it.

        Raises:
            ToolFailure: there is no result; it says why, in one sentence, and what to do next.
        """
        tool = self.named(name)
        request = _request(tool, arguments or {})
        given = context or CallContext()
        try:
            value = tool.run(request, given)
        except OctavoError as error:
            if given.cancel is not None and given.cancel.is_set():
                raise ToolFailure(FailureCode.CANCELLED, "The call was cancelled", remedy="Call again") from error
            raise failure_of(error) from error
        return ToolResult(tool=name, value=value, receipt=tool.receipt(request, value), text=tool.shown(request, value))

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, context: CallContext | None = None
    ) -> ToolResult:
        """As `call`, without blocking the event loop; cancelling the task stops the work.

        Raises:
            ToolFailure: as `call`.
            asyncio.CancelledError: the task was cancelled.
        """
        given = context or CallContext()
        cancel = given.cancel or threading.Event()
        own = CallContext(cancel=cancel, progress=given.progress)
        try:
            return await asyncio.to_thread(self.call, name, arguments, context=own)
        except asyncio.CancelledError:
            cancel.set()
            raise


def registered_tools(scope: Scope) -> list[Tool]:
    """Tools that other features register, by the entry-point group `octavo.tools`."""
    found: list[Tool] = []
    for point in sorted(entry_points(group=TOOLS_GROUP), key=lambda one: one.name):
        found.extend(point.load()(scope))
    return found


def _request(tool: Tool, arguments: Mapping[str, Any]) -> Model:
    try:
        written = json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError):
        raise ToolFailure(
            FailureCode.INVALID_ARGUMENTS,
            f"{tool.name} was called with arguments that JSON cannot hold",
            remedy="Call it again with a JSON object",
        ) from None
    try:
        return tool.request.model_validate_json(written)
    except ValidationError as error:
        raise invalid_arguments(tool.name, error) from None
