"""The plugin under test: found and sandboxed as by a host, with every answer cached."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from octavo.plugins import Catalogue, Dispatcher, PluginInfo, PluginLoadFailure
from octavo.plugins.dispatcher import CALL_HOOK, lane_of
from octavo_contracts import (
    Capability,
    Conversion,
    ConvertRequest,
    ErrorRecord,
    HookName,
    Model,
    OctavoError,
    PluginManifest,
    ToolUnavailable,
)
from octavo_sandbox import SandboxLimits, WorkerPool
from octavo_sandbox.worker_spawner import one_fork_server
from octavo_text.version_texts import Texts, join_pages

from .budget import Budget
from .call_tasks import Options, call_task
from .core_results import result_evidence
from .evidence import Facts, Observed, ResultEvidence, Watched
from .originals import AnyVector, Original, make_original
from .outside import Outside
from .plugin_lookup import catalogue_with
from .targets import types_asked
from .vectors import GoldenVector

PROBE_CALL = "octavo_conformance.probe:call"
IMPORT_FACTS = "octavo_conformance.probe:import_facts"


class Subject:
    """A plugin under test. Use it as a context manager.

    Args:
        name: the plugin's name.
        catalogue: where the plugin is looked up; default: the installed plugins.
        budget: the limits.
        import_paths: folders from which workers import, besides Python's own.

    Raises:
        UsageError: no plugin of that name is installed.
    """

    def __init__(
        self,
        name: str,
        *,
        catalogue: Catalogue | None = None,
        budget: Budget | None = None,
        import_paths: tuple[Path, ...] = (),
    ) -> None:
        found = catalogue or catalogue_with(name)
        self.name = name
        self.seed = 0
        """Seed of what is generated for this run."""
        self.own: tuple[GoldenVector, ...] = ()
        """The author's vectors."""
        self.budget = budget or Budget()
        self.failure: PluginLoadFailure | None = next((f for f in found.failures if f.name == name), None)
        self.info: PluginInfo | None = found.get(name) if self.failure is None else None
        self.import_paths = import_paths
        self._closing = ExitStack()
        # Its pools have separate workers, which may be forked from the same process.
        self._closing.enter_context(one_fork_server(import_paths=import_paths))
        self.pool = WorkerPool(size=2, import_paths=import_paths)
        """The workers."""
        self._folder = tempfile.TemporaryDirectory()  # without a prefix, by which a plugin would know the suite
        self._originals: dict[str, Original] = {}
        self._observed: dict[str, Observed] = {}
        self.watched: list[Watched] = []
        """The calls of hooks so far, without the first of each process, which may load a model, and those that met trouble."""
        self._processes: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers and remove the files."""
        self.pool.close()
        for name in ("second_pool", "host_pool"):
            if name in vars(self):
                vars(self)[name].close()
        self._closing.close()
        for original in self._originals.values():
            os.close(original.fd)
        self._originals.clear()
        self._folder.cleanup()

    @property
    def media_types(self) -> tuple[str, ...]:
        """The media types of the documents that a host shows the plugin; see `types_asked`."""
        return types_asked(self.manifest)

    @property
    def plugin(self) -> PluginInfo:
        """The plugin.

        Raises:
            ToolUnavailable: the plugin is installed but cannot be used.
        """
        if self.info is None:
            message = self.failure.message if self.failure else "the plugin cannot be used"
            raise ToolUnavailable(message, plugin=self.name, remedy=self.failure.remedy if self.failure else None)
        return self.info

    @property
    def manifest(self) -> PluginManifest:
        """The plugin's manifest."""
        return self.plugin.manifest

    @cached_property
    def load_error(self) -> OctavoError | None:
        """The error raised when a worker loads the plugin, or None."""
        return Dispatcher(self.pool).check(self.plugin)

    @cached_property
    def first_import(self) -> dict[str, Any]:
        """The first result of `import_facts`, from the second pool's worker, which has imported nothing yet.

        Raises:
            OctavoError: see `import_facts`.
        """
        return self._import_facts(self.second_pool)

    def import_facts(self) -> dict[str, Any]:
        """Measure the import of its module in a new worker, and check whether it imports the engine.

        Raises:
            OctavoError: the module cannot be imported.
        """
        with WorkerPool(size=1, import_paths=self.import_paths) as pool:
            return self._import_facts(pool)

    def _import_facts(self, pool: WorkerPool) -> dict[str, Any]:
        task = {"module": self.plugin.module, "engine": self.manifest.engine.module}
        reply = pool.run(IMPORT_FACTS, json.dumps(task).encode(), lane=lane_of(self.plugin))
        return cast("dict[str, Any]", json.loads(reply.payload))

    # -- the hook `convert` ---------------------------------------------------------------------------------

    def convert(self, vector: AnyVector, **request: Any) -> Observed:
        """Convert a vector; the result is cached by arguments."""
        key = f"{vector.path} {sorted(request.items())}"
        if key not in self._observed:
            self._observed[key] = self.convert_again(vector, **request)
        return self._observed[key]

    def convert_again(
        self,
        vector: AnyVector,
        *,
        pool: WorkerPool | None = None,
        seconds: float | None = None,
        name: str | None = None,
        given: Options | None = None,
        **request: Any,
    ) -> Observed:
        """Convert a vector without the cache.

        Args:
            vector: the document.
            pool: workers to use instead of the subject's.
            seconds: tell the plugin that its deadline is so far away.
            name: another name for the document's file, without its extension.
            given: options of the plugin, as a host's settings name them; the others have their defaults.
            **request: fields of the `ConvertRequest`.
        """
        asked = ConvertRequest(**({"media_type": vector.media_type} | request))
        arguments: dict[str, Model | str] = {"request": asked}
        return self.call("convert", arguments, vector=vector, pool=pool, seconds=seconds, name=name, given=given)

    @cached_property
    def second_pool(self) -> WorkerPool:
        """A pool with one further process, used only on request."""
        return WorkerPool(size=1, import_paths=self.import_paths)

    @cached_property
    def host_pool(self) -> WorkerPool:
        """A pool with one process that does not load the suite."""
        return WorkerPool(size=1, import_paths=self.import_paths)

    def convert_as_host(self, vector: AnyVector, *, again: bool = False) -> Observed:
        """Convert a vector as a host does, without the suite in the plugin's process.

        This detects a plugin that behaves well only while it is observed.

        Args:
            vector: the document.
            again: convert it even if the result of an earlier call is known.
        """
        key = f"{vector.path} as a host"
        if again or key not in self._observed:
            seen = self._convert_as_host(vector)
            if again:
                return seen
            self._observed[key] = seen
        return self._observed[key]

    def convert_in_time(self, vector: AnyVector) -> Observed:
        """Convert a vector with a deadline of few seconds, enough for it; the result is cached."""
        key = f"{vector.path} in time"
        if key not in self._observed:
            seconds = max(4.0, 4 * self.convert_as_host(vector).seconds)
            self._observed[key] = self.convert_again(vector, seconds=seconds)
        return self._observed[key]

    def _convert_as_host(self, vector: AnyVector) -> Observed:
        asked = ConvertRequest(media_type=vector.media_type)
        handle = self.original(vector).handle
        task = json.dumps(self.task_of("convert", {"request": asked})).encode()
        try:
            reply = self.host_pool.run(CALL_HOOK, task, source=handle, limits=self._limits(), lane=lane_of(self.plugin))
        except OctavoError as error:
            return Observed.failed(error.located(source=handle.name, plugin=self.name))
        return Observed(
            answer=reply.payload.decode(),
            error=None,
            facts=None,
            seconds=reply.duration_ms / 1000,
            peak_rss_mb=reply.peak_rss_mb,
        )

    def convert_at_once(self, vector: AnyVector) -> list[Observed]:
        """Convert a vector several times concurrently, each time in a separate process.

        The processes run outside the sandbox: inside it they cannot share anything, whatever the plugin tries.
        """
        count = self.budget.at_once
        # They share the machine's processors, so each gets more time than a single call.
        seconds = self.budget.wall_seconds * max(1.0, count / (os.cpu_count() or 1))
        asked: dict[str, Model | str] = {"request": ConvertRequest(media_type=vector.media_type)}
        return self.outside.call_at_once(self.outside_task("convert", asked, vector), count=count, seconds=seconds)

    def convert_elsewhere(self, vector: AnyVector, *, again: bool = False) -> Observed:
        """Convert a vector outside the sandbox (see `Outside`); the result is cached, unless it is asked for again."""
        key = f"{vector.path} elsewhere"
        if again or key not in self._observed:
            asked: dict[str, Model | str] = {"request": ConvertRequest(media_type=vector.media_type)}
            seconds = self.budget.wall_seconds
            self._observed[key] = self.call_elsewhere("convert", asked, vector=vector, seconds=seconds)
        return self._observed[key]

    def call_elsewhere(
        self,
        hook: HookName,
        arguments: dict[str, Model | str],
        *,
        vector: AnyVector | None,
        seconds: float | None = None,
    ) -> Observed:
        """Call a hook outside the sandbox, in other surroundings (see `Outside`)."""
        # A new process loads the model once more, and has no warm caches.
        task = self.outside_task(hook, arguments, vector)
        return self.outside.call(task, seconds=seconds or 3 * self.budget.wall_seconds)

    def outside_task(
        self, hook: HookName, arguments: dict[str, Model | str], vector: AnyVector | None
    ) -> dict[str, Any]:
        """Return the call of a hook as JSON for a process outside the sandbox."""
        document = {"path": str(self.original(vector).path), "media_type": vector.media_type} if vector else None
        return self.task_of(hook, arguments) | {"document": document}

    @cached_property
    def outside(self) -> Outside:
        """The processes outside the sandbox."""
        return Outside(
            Path(self._folder.name),
            import_paths=self.import_paths,
            readable=lane_of(self.plugin).readable,
            starts_programs=Capability.SUBPROCESS in self.manifest.capabilities,
        )

    def texts(self, vector: GoldenVector) -> tuple[Conversion, Texts]:
        """Return the conversion of a vector and the two texts that the core derives from it.

        Raises:
            Broken: the vector does not convert.
        """
        conversion = self.convert(vector).conversion()
        return conversion, join_pages(conversion)

    def result(self, vector: GoldenVector) -> ResultEvidence:
        """Return the result that a host gets for a vector.

        Raises:
            Broken: the vector does not convert.
        """
        conversion, texts = self.texts(vector)
        return result_evidence(self.name, vector, conversion, texts)

    # -- any hook -------------------------------------------------------------------------------------------

    def call(
        self,
        hook: HookName,
        arguments: dict[str, Model | str],
        *,
        vector: AnyVector | None = None,
        pool: WorkerPool | None = None,
        seconds: float | None = None,
        name: str | None = None,
        given: Options | None = None,
    ) -> Observed:
        """Call a hook in the sandbox; an error is part of the observation.

        Args:
            hook: the hook.
            arguments: arguments other than source and context.
            vector: the document, for a hook that takes one.
            pool: workers to use instead of the subject's.
            seconds: tell the hook that its deadline is so far away, 0: that it has passed; None: the host's own.
            name: another name for the document's file, without its extension.
            given: options of the plugin; the others have their defaults.
        """
        task = json.dumps(self.task_of(hook, arguments, given=given) | {"seconds": seconds}).encode()
        handle = self.original(vector).handle if vector else None
        if handle is not None and name is not None:
            handle = replace(handle, name=name + Path(handle.name).suffix)
        try:
            reply = (pool or self.pool).run(
                PROBE_CALL, task, source=handle, limits=self._limits(), lane=lane_of(self.plugin)
            )
        except OctavoError as error:
            error.located(source=handle.name if handle else None, plugin=self.name)
            return Observed.failed(error)
        told = json.loads(reply.payload)
        record = told["error"]
        raised = None
        if record is not None:
            raised = ErrorRecord.read(record).to_error()
            raised.located(source=handle.name if handle else None, plugin=self.name)
        facts = Facts(**told["facts"])
        if facts.process in self._processes and raised is None and seconds != 0:
            self.watched.append(Watched(what=f"{hook} {vector.path}" if vector else hook, facts=facts))
        self._processes.add(facts.process)
        return Observed(
            answer=told["answer"],
            error=raised,
            facts=facts,
            seconds=reply.duration_ms / 1000,
            peak_rss_mb=reply.peak_rss_mb,
        )

    def call_once(
        self,
        hook: HookName,
        arguments: dict[str, Model | str],
        *,
        vector: AnyVector | None,
        key: str = "",
        again: bool = False,
    ) -> Observed:
        """Call a hook to judge its behaviour. The result is cached by hook and key; with `again` a new call replaces it."""
        name = f"{hook} {key}"
        if again or name not in self._observed:
            self._observed[name] = self.call(hook, arguments, vector=vector)
        return self._observed[name]

    def _limits(self) -> SandboxLimits:
        """Limits of a call. They ignore the manifest's memory limit: a plugin that exceeds it must be reported, not killed."""
        asked = self.manifest.limits.timeout_seconds or self.budget.wall_seconds
        return replace(SandboxLimits(), wall_seconds=min(self.budget.wall_seconds, asked), memory_mb=4096)

    def original(self, vector: AnyVector) -> Original:
        """Return the vector as a file, created on first use."""
        if vector.path not in self._originals:
            self._originals[vector.path] = make_original(vector, folder=Path(self._folder.name))
        return self._originals[vector.path]

    def originals(self) -> list[Original]:
        """Return all files created so far."""
        return list(self._originals.values())

    def task_of(
        self, hook: HookName, arguments: dict[str, Model | str], *, given: Options | None = None
    ) -> dict[str, Any]:
        """Return the call of a hook as JSON for the process that makes it; see `call_task`."""
        return call_task(self.plugin, hook, arguments, options=given)
