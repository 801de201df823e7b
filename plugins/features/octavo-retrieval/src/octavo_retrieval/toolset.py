"""`Toolset`: entries, schemas and calls of tools by name."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, Literal

from octavo_contracts import Model, OctavoError
from octavo_library.ingestion.use_events import RetrievalCalled
from pydantic import ValidationError

from .failures import FailureCode, ToolFailure, failure_of, invalid_arguments
from .receipts import Receipt
from .registry import ActionRegistryEntry
from .scope import Scope

if TYPE_CHECKING:
    from .memories import MemorySources

Group = Literal["documents", "memory", "ingest"]
"""Groups of tools: reading documents, memories, and work that makes new versions."""

TOOLS_GROUP: Final = "octavo.tools"
"""Entry-point group for tools of other features: each function takes a `Scope` and returns a sequence of tools."""


@dataclass(frozen=True, kw_only=True)
class CallContext:
    """Context of a call: cancellation and progress.

    Attributes:
        cancel: set by the caller to stop long work.
        progress: called with the units done, the total, and a sentence.
    """

    cancel: threading.Event | None = None
    progress: Callable[[float, float, str], None] | None = None

    def tell(self, done: float, total: float, what: str) -> None:
        """Report progress to the caller."""
        if self.progress is not None:
            self.progress(done, total, what)


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One typed tool.

    Attributes:
        entry: registry entry.
        group: group of the tool.
        request: model of the arguments.
        response: model of the answer.
        run: handles a request.
        receipt: creates the receipt of a request and its answer.
        shown: renders the answer for a model, with content in markers.
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
        """Name of the tool."""
        return self.entry.invocation_bindings[0].binding_name

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments; allows no unknown ones."""
        return self.request.model_json_schema()

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the answer."""
        return self.response.model_json_schema(mode="serialization")


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """Result of a call.

    Attributes:
        tool: the tool.
        value: the answer.
        receipt: receipt for the user.
        text: the answer for a model, with content in markers.
    """

    tool: str
    value: Model
    receipt: Receipt
    text: str

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON data."""
        told: dict[str, Any] = json.loads(self.value.to_json())
        return told


class Toolset(Mapping[str, Tool]):
    """Tools by name, for the documents in a scope. Thread-safe.

    Args:
        scope: the visible documents.
        offered: the tools to offer.
        memories: resolver of memories; None if the library has none.
    """

    def __init__(self, scope: Scope, offered: Sequence[Tool], *, memories: MemorySources | None = None) -> None:
        self.scope = scope
        self._memories = memories
        self._tools = {tool.name: tool for tool in offered}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def only(self, groups: Sequence[str]) -> Toolset:
        """The tools of the given groups.

        Raises:
            ToolFailure: a group is unknown.
        """
        known = {tool.group for tool in self._tools.values()} | {"documents", "memory", "ingest"}
        for group in groups:
            if group not in known:
                raise ToolFailure(
                    FailureCode.INVALID_ARGUMENTS,
                    f"there are no tools of the group {group!r}",
                    remedy=f"Name some of {', '.join(sorted(known))}",
                )
        chosen = [tool for tool in self._tools.values() if tool.group in groups]
        return Toolset(self.scope, chosen, memories=self._memories)

    def has_memories(self) -> bool:
        """Whether any memory is in scope."""
        return self._memories is not None and self._memories.has_memories(corpus=self.scope.corpus)

    def named(self, name: str) -> Tool:
        """Find a tool by name.

        Raises:
            ToolFailure: the tool is unknown.
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
            name: name of the tool.
            arguments: arguments, as parsed from JSON.
            context: cancellation and progress of the call.

        Raises:
            ToolFailure: the call failed; has the code, one sentence and a remedy.
        """
        tool = self.named(name)
        request = _request(tool, arguments or {})
        given = context or CallContext()
        started, outcome = time.monotonic(), "failed"
        try:
            value = tool.run(request, given)
            outcome = "ok"
        except OctavoError as error:
            failure = failure_of(error)
            if given.cancel is not None and given.cancel.is_set():
                failure = ToolFailure(FailureCode.CANCELLED, "The call was cancelled", remedy="Call again")
            outcome = failure.code.value
            raise failure from error
        finally:
            called = RetrievalCalled(tool=name, outcome=outcome, seconds=time.monotonic() - started)
            self.scope.library.context.events.emit(called)
        return ToolResult(tool=name, value=value, receipt=tool.receipt(request, value), text=tool.shown(request, value))

    async def acall(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, context: CallContext | None = None
    ) -> ToolResult:
        """Call a tool without blocking the event loop. Cancelling the task stops the work.

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
    """Tools registered by other features in the entry-point group `octavo.tools`."""
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
            f"{tool.name} was called with arguments that are not valid JSON",
            remedy="Call it again with a JSON object",
        ) from None
    try:
        return tool.request.model_validate_json(written)
    except ValidationError as error:
        raise invalid_arguments(tool.name, error) from None
