"""Call one chosen plugin's hook in a worker; keep the attempt, whatever comes of it."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from octavo_contracts import (
    Attempt,
    Capability,
    ContractViolation,
    Conversion,
    HookName,
    Model,
    OctavoError,
    QualityAssessment,
    RetryableToolFailure,
    ToolUnavailable,
)
from octavo_sandbox import Cancelled, SandboxLimits, SourceHandle, WorkerGroup, WorkerPool, WorkerReply
from octavo_sandbox.redaction import is_field_path, redacted
from octavo_sandbox.task import task_name
from pydantic import TypeAdapter, ValidationError

from . import tasks
from .budget import TimeBudget

if TYPE_CHECKING:
    from .registry import PluginInfo

M = TypeVar("M", bound=Model)
A = TypeVar("A")

CALL_HOOK = task_name(tasks.call_hook)
CHECK_PLUGIN = task_name(tasks.check_plugin)
MAX_DEATHS = 2
"""How often one document may kill a fresh worker of one engine before the engine is excluded for it (ENG-7)."""


@dataclass(frozen=True, kw_only=True)
class HookCall:
    """What to call, and why.

    Attributes:
        plugin: the chosen plugin.
        hook: its hook.
        arguments: the hook's arguments as JSON texts by name; a plain text stands under its own name.
        because: why this plugin: the rule, the override, the fallback.
        limits: the host's limits; the plugin's manifest may lower them.
        budget: the time that the document's calls share; None where the call stands alone.
        readable: folders that the plugin's worker may read for this call, such as a model's.
    """

    plugin: PluginInfo
    hook: HookName
    arguments: dict[str, Model | str]
    because: str = ""
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    budget: TimeBudget | None = None
    readable: tuple[Path, ...] = ()


class Dispatcher:
    """Runs hooks in a pool of workers. Thread-safe.

    Args:
        pool: the workers.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool

    def call(
        self,
        call: HookCall,
        model: type[M],
        *,
        source: SourceHandle | None = None,
        cancel: threading.Event | None = None,
        attempts: list[Attempt],
    ) -> M | None:
        """Run a hook and read its answer.

        A worker's death is the tool's failure, not the document's: the call is made once more in a fresh worker,
        and only a second death is final (ENG-7).

        Args:
            call: what to run.
            model: what the hook returns.
            source: the document, for hooks that take one.
            cancel: set it to kill the worker.
            attempts: every try is appended here, also those that fail.

        Returns:
            The model, or None where the hook returned None.

        Raises:
            OctavoError: as the plugin raised it, or as the sandbox ended it.
            ContractViolation: the answer is not of the model.
        """

        def read(reply: WorkerReply) -> M | None:
            return None if reply.payload == b"null" else _read(model.model_validate_json, model.__name__, reply, call)

        return self._call(call, read, source=source, cancel=cancel, attempts=attempts)

    def call_list(
        self,
        call: HookCall,
        model: type[M],
        *,
        cancel: threading.Event | None = None,
        attempts: list[Attempt],
    ) -> tuple[M, ...]:
        """As `call`, for a hook that returns several of a model: `extract_entities`.

        Raises:
            OctavoError: as `call`.
        """
        several: TypeAdapter[tuple[M, ...]] = TypeAdapter(tuple[model, ...])  # type: ignore[valid-type]  # a type known when it is called

        def read(reply: WorkerReply) -> tuple[M, ...]:
            return _read(several.validate_json, f"tuple of {model.__name__}", reply, call)

        return self._call(call, read, source=None, cancel=cancel, attempts=attempts)

    def _call(
        self,
        call: HookCall,
        read: Callable[[WorkerReply], A],
        *,
        source: SourceHandle | None,
        cancel: threading.Event | None,
        attempts: list[Attempt],
    ) -> A:
        for death in range(1, MAX_DEATHS + 1):
            try:
                return self._once(call, read, source=source, cancel=cancel, attempts=attempts)
            except RetryableToolFailure:
                if death == MAX_DEATHS:
                    raise
        raise AssertionError("unreachable: the loop returns or raises")

    def _once(
        self,
        call: HookCall,
        read: Callable[[WorkerReply], A],
        *,
        source: SourceHandle | None,
        cancel: threading.Event | None,
        attempts: list[Attempt],
    ) -> A:
        manifest = call.plugin.manifest
        _require(call, attempts)
        started = time.perf_counter()
        try:
            asked = _within(call.limits, call.plugin)
            lane = lane_of(call.plugin)
            lane = replace(lane, readable=(*lane.readable, *call.readable))
            with call.budget.call(asked) if call.budget else nullcontext(asked) as limits:
                reply = self._pool.run(
                    CALL_HOOK, _payload(call), source=source, limits=limits, lane=lane, cancel=cancel
                )
            answer = read(reply)
        except OctavoError as error:
            shown = (source.display or source.name) if source else None
            blamed = _blamed(error, call).located(source=shown, plugin=manifest.name)
            attempts.append(_attempt(call, started, error=blamed))
            raise blamed from error
        attempts.append(_attempt(call, started, reply=reply))
        return answer

    def check(self, plugin: PluginInfo) -> OctavoError | None:
        """Load a plugin in a worker and say what is wrong with it, or None."""
        payload = {"plugin": plugin.name, "module": plugin.module, "hooks": plugin.manifest.hooks}
        try:
            self._pool.run(
                CHECK_PLUGIN,
                json.dumps(payload).encode(),
                limits=_within(SandboxLimits(wall_seconds=30.0), plugin),
                lane=lane_of(plugin),
                sees_content=False,
            )
        except OctavoError as error:
            return error.located(plugin=plugin.name)
        return None


def lane_of(plugin: PluginInfo) -> WorkerGroup:
    """The lane of workers that a plugin runs in: its own always.

    Code in one process can change all other code in it, so a plugin never shares one with another plugin, nor with
    the host's own inspection of documents, which has the shared lane. No plugin's name holds a colon.
    """
    subprocess = Capability.SUBPROCESS in plugin.manifest.capabilities
    return WorkerGroup(
        name=f"plugin:{plugin.name}",
        subprocess=subprocess,
        package=plugin.module.partition(".")[0],
        readable=tuple(_folders_of_programs(plugin)) if subprocess else (),
    )


def _folders_of_programs(plugin: PluginInfo) -> Iterator[Path]:
    """Where the programs that a manifest names are installed, so that they start wherever the user put them.

    Below /usr everything may be read already. A program below /opt has a folder of its own with its libraries.
    """
    for program in plugin.manifest.system:
        found = shutil.which(program.command)
        if found is None:
            continue
        path = Path(found).resolve()
        if path.is_relative_to("/opt") and len(path.parts) > 3:
            yield Path(*path.parts[:3])
        elif not path.is_relative_to("/usr"):
            yield path


def _within(limits: SandboxLimits, plugin: PluginInfo) -> SandboxLimits:
    asked = plugin.manifest.limits
    return replace(
        limits,
        wall_seconds=min(limits.wall_seconds, asked.timeout_seconds or limits.wall_seconds),
        memory_mb=asked.memory_mb or limits.memory_mb,
    )


def _payload(call: HookCall) -> bytes:
    arguments = {
        name: value if isinstance(value, str) else json.loads(value.model_dump_json())
        for name, value in call.arguments.items()
    }
    task = {
        "plugin": call.plugin.name,
        "module": call.plugin.module,
        "hooks": call.plugin.manifest.hooks,
        "capabilities": call.plugin.manifest.capabilities,
        "hook": call.hook,
        "arguments": arguments,
    }
    return json.dumps(task).encode()


def _require(call: HookCall, attempts: list[Attempt]) -> None:
    try:
        call.plugin.require(call.hook)
    except ToolUnavailable as error:
        attempts.append(_attempt(call, time.perf_counter(), error=error))
        raise


def _blamed(error: OctavoError, call: HookCall) -> OctavoError:
    """An error without a reason code says that the caller is wrong; from a plugin that is the plugin's fault."""
    if error.reason is not None or isinstance(error, Cancelled):
        return error
    return ContractViolation(f"{call.hook} raised {type(error).__name__}: {error.message}")


def _read(parse: Callable[[bytes], A], name: str, reply: WorkerReply, call: HookCall) -> A:
    try:
        return _without_words(parse(reply.payload), call)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        known = (f"{call.hook} returned a malformed {name}{f': {place}' if is_field_path(place) else ''}",)
        raise ContractViolation(
            redacted(f"{call.hook} returned a malformed {name}: {place}: {first['msg']}", known=known),
            plugin=call.plugin.name,
        ) from None  # its text quotes the answer


def _without_words(answer: A, call: HookCall) -> A:
    """The same answer; what it quotes of the document is taken out of what stands in reports: warnings, findings."""
    package = lane_of(call.plugin).package
    if isinstance(answer, Conversion) and answer.warnings:
        warnings = tuple(
            warning.model_copy(update={"message": redacted(warning.message, package=package)})
            for warning in answer.warnings
        )
        return answer.model_copy(update={"warnings": warnings})
    if isinstance(answer, QualityAssessment) and answer.findings:
        findings = tuple(
            finding.model_copy(
                update={
                    "message": redacted(finding.message, package=package),
                    "remedy": redacted(finding.remedy, package=package),
                }
            )
            for finding in answer.findings
        )
        return answer.model_copy(update={"findings": findings})
    return answer


def _attempt(
    call: HookCall, started: float, *, reply: WorkerReply | None = None, error: OctavoError | None = None
) -> Attempt:
    return Attempt(
        plugin=call.plugin.name,
        plugin_version=call.plugin.manifest.version,
        engine_version=call.plugin.engine_version,
        hook=call.hook,
        outcome="ok" if error is None else "failed",
        reason_code=None if error is None else error.reason,
        details="" if error is None else error.message,
        chosen_because=call.because,
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        peak_rss_mb=reply.peak_rss_mb if reply else None,
    )
