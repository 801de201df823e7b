"""Calls one chosen plugin's hook in a worker, and records the attempt whether or not it succeeds."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
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
    UsageError,
)
from octavo_contracts.plugin_options import OptionError, options_of
from octavo_sandbox import Cancelled, SandboxLimits, SourceHandle, WorkerGroup, WorkerPool, WorkerReply
from octavo_sandbox.redaction import is_field_path, redacted
from octavo_sandbox.task import task_name
from pydantic import JsonValue, TypeAdapter, ValidationError

from . import tasks
from .budget import TimeBudget
from .declared_limits import check_size, turn_of, within_caps
from .plugin_requests import PluginRequests

if TYPE_CHECKING:
    from octavo_sandbox.egress.gate import Owners

    from .registry import PluginInfo

M = TypeVar("M", bound=Model)
A = TypeVar("A")

CALL_HOOK = task_name(tasks.call_hook)
CHECK_PLUGIN = task_name(tasks.check_plugin)
MAX_DEATHS = 2
"""Number of worker crashes by one document in one engine after which the engine is excluded for it (ENG-7)."""


@dataclass(frozen=True, kw_only=True)
class HookCall:
    """A hook call, and the reason for it.

    Attributes:
        plugin: the chosen plugin.
        hook: its hook.
        arguments: the hook's arguments by name: models, or plain text.
        because: why this plugin was chosen: the rule, the override, the fallback.
        limits: the host's limits; the plugin's manifest may lower them.
        budget: time budget shared by the document's calls; None: no budget.
        readable: folders that the plugin's worker may read for this call, such as a model's.
        options: options of the plugin that are stronger than those of the settings, such as those of a profile.
        owners: consent of the document's owners to requests of the plugin; None: no consent.
    """

    plugin: PluginInfo
    hook: HookName
    arguments: dict[str, Model | str]
    because: str = ""
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    budget: TimeBudget | None = None
    readable: tuple[Path, ...] = ()
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    owners: Owners | None = None


class Dispatcher:
    """Runs hooks in a pool of workers. Thread-safe.

    Args:
        pool: the workers.
        memory: plugin → MiB that it may use above the host's limit.
        options: plugin → its options.
        network: plugin → hosts that it may send requests to.
    """

    def __init__(
        self,
        pool: WorkerPool,
        *,
        memory: Mapping[str, int] | None = None,
        options: Mapping[str, Mapping[str, JsonValue]] | None = None,
        network: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self._pool = pool
        self._memory = memory or {}
        self._options = options or {}
        self._network = network or {}

    def call(
        self,
        call: HookCall,
        model: type[M],
        *,
        source: SourceHandle | None = None,
        cancel: threading.Event | None = None,
        attempts: list[Attempt],
    ) -> M | None:
        """Run a hook and validate its result.

        If the worker crashes, the failure is the tool's, not the document's: the call is retried once in a fresh
        worker, and the second crash is final (ENG-7).

        Args:
            call: the call.
            model: model of the hook's result.
            source: the document, for hooks that take one.
            cancel: event that kills the worker.
            attempts: list to which every try is appended, including failed ones.

        Returns:
            The model, or None if the hook returned None.

        Raises:
            OctavoError: raised by the plugin or the sandbox.
            ContractViolation: the result does not match the model.
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
        """Run a hook that returns several instances of a model (`extract_entities`); see `call`.

        Raises:
            OctavoError: see `call`.
        """
        several: TypeAdapter[tuple[M, ...]] = TypeAdapter(tuple[model, ...])  # type: ignore[valid-type]  # a type known at run time only

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
            check_size(call.plugin, source)
            payload = _payload(call, self._options_of(call))
            requested = within_caps(call.limits, call.plugin, granted=self._memory.get(call.plugin.name))
            lane = lane_of(call.plugin)
            lane = replace(lane, readable=(*lane.readable, *call.readable))
            # Waiting for the turn of a serial plugin does not count as time of the call.
            with (
                turn_of(call.plugin, cancel),
                call.budget.call(requested) if call.budget else nullcontext(requested) as limits,
            ):
                reply = self._pool.run(
                    CALL_HOOK,
                    payload,
                    source=source,
                    limits=limits,
                    lane=lane,
                    cancel=cancel,
                    fetch=self._fetch_of(call),
                )
            answer = read(reply)
        except OctavoError as error:
            shown = (source.display or source.name) if source else None
            blamed = _blamed(error, call).located(source=shown, plugin=manifest.name)
            attempts.append(_attempt(call, started, error=blamed))
            raise blamed from error
        attempts.append(_attempt(call, started, reply=reply))
        return answer

    def _fetch_of(self, call: HookCall) -> PluginRequests | None:
        """Return what answers `context.fetch` in this call; None for a plugin without the capability `network`."""
        manifest = call.plugin.manifest
        if Capability.NETWORK not in manifest.capabilities:
            return None
        return PluginRequests(manifest.name, hosts=self._network.get(manifest.name, ()), owners=call.owners)

    def _options_of(self, call: HookCall) -> dict[str, JsonValue]:
        given = {**self._options.get(call.plugin.name, {}), **call.options}
        try:
            return options_of(call.plugin.manifest.options, given)
        except OptionError as error:
            raise UsageError(
                f"the options of plugin {call.plugin.name!r} are invalid: {error}",
                remedy=f"Correct the table [plugins.{call.plugin.name}]",
            ) from None

    def check(self, plugin: PluginInfo) -> OctavoError | None:
        """Load a plugin in a worker; return its error, or None."""
        payload = {"plugin": plugin.name, "module": plugin.module, "hooks": plugin.manifest.hooks}
        try:
            self._pool.run(
                CHECK_PLUGIN,
                json.dumps(payload).encode(),
                limits=within_caps(SandboxLimits(wall_seconds=30.0), plugin),
                lane=lane_of(plugin),
                sees_content=False,
            )
        except OctavoError as error:
            return error.located(plugin=plugin.name)
        return None


def lane_of(plugin: PluginInfo) -> WorkerGroup:
    """Return the group of workers for a plugin: always its own.

    Code in one process can change all other code in it, so a plugin never shares a process with another plugin, nor
    with the host's own inspection of documents, which uses the shared group. Plugin names contain no colon.
    """
    subprocess = Capability.SUBPROCESS in plugin.manifest.capabilities
    return WorkerGroup(
        name=f"plugin:{plugin.name}",
        subprocess=subprocess,
        package=plugin.module.partition(".")[0],
        readable=tuple(_folders_of_programs(plugin)) if subprocess else (),
    )


def _folders_of_programs(plugin: PluginInfo) -> Iterator[Path]:
    """Yield the folders of the programs that a manifest names, so that the sandbox lets them start.

    /usr is always readable. A program below /opt needs its whole folder, with its libraries.
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


def _payload(call: HookCall, options: Mapping[str, JsonValue]) -> bytes:
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
        "options": options,
    }
    return json.dumps(task).encode()


def _require(call: HookCall, attempts: list[Attempt]) -> None:
    try:
        call.plugin.require(call.hook)
    except ToolUnavailable as error:
        attempts.append(_attempt(call, time.perf_counter(), error=error))
        raise


def _blamed(error: OctavoError, call: HookCall) -> OctavoError:
    """Turn an error without a reason code, which means a wrong call, into a contract violation of the plugin."""
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
        ) from None  # its message quotes the result


def _without_words(answer: A, call: HookCall) -> A:
    """Redact quotations of the document from warnings and findings, which appear in reports."""
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
        **call.plugin.identity,  # type: ignore[arg-type]  # pydantic checks it
        hook=call.hook,
        outcome="ok" if error is None else "failed",
        reason_code=None if error is None else error.reason,
        details="" if error is None else error.message,
        chosen_because=call.because,
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        peak_rss_mb=reply.peak_rss_mb if reply else None,
    )
