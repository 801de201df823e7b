"""The plugin under test: found as a host finds it, run in the sandbox a host runs it in, every answer kept."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from octavo.builtins.quality import assess
from octavo.conversion.assembly import DocumentIdentity, build_report, build_result
from octavo.documents.ids import document_id_for
from octavo.plugins import Catalogue, Dispatcher, PluginInfo, PluginLoadFailure, load_catalogue
from octavo.plugins.dispatcher import CALL_HOOK, lane_of
from octavo.text.version_texts import Refs, Texts, join_pages
from octavo_contracts import (
    ContentHashes,
    Conversion,
    ConvertRequest,
    ErrorRecord,
    HookName,
    Model,
    OctavoError,
    PluginManifest,
    QualityEvidence,
    ToolUnavailable,
    UsageError,
    memory_ref,
)
from octavo_sandbox import SandboxLimits, WorkerPool
from octavo_sandbox.worker_spawner import one_fork_server

from .evidence import Facts, Observed, ResultEvidence
from .originals import AnyVector, Original, make_original, vector_hash
from .outside import convert_outside
from .vectors import GoldenVector

PROBE_CALL = "octavo_conformance.probe:call"
IMPORT_FACTS = "octavo_conformance.probe:import_facts"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What the suite allows a plugin, and how much it does to find out.

    Attributes:
        import_seconds: for importing the plugin's module, without the engine.
        convert_seconds: for a golden vector in a warm worker; all of them are under 200 KB.
        at_once: calls made at the same time.
        repeats: calls made to see whether memory grows.
        growth_mb: what ten repeats may add to the resident size.
        wall_seconds: after which a call is killed.
    """

    import_seconds: float = 1.0
    convert_seconds: float = 10.0
    at_once: int = 8
    repeats: int = 10
    growth_mb: float = 16.0
    wall_seconds: float = 60.0


class Subject:
    """A plugin under test. Use it as a context manager.

    Args:
        name: the plugin's name.
        catalogue: where it is looked up; by default what is installed.
        budget: what it is allowed.
        import_paths: folders that workers import from besides Python's own.

    Raises:
        UsageError: nothing of that name is installed.
    """

    def __init__(
        self,
        name: str,
        *,
        catalogue: Catalogue | None = None,
        budget: Budget | None = None,
        import_paths: tuple[Path, ...] = (),
    ) -> None:
        found = catalogue or load_catalogue()
        self.name = name
        self.budget = budget or Budget()
        self.failure: PluginLoadFailure | None = next((f for f in found.failures if f.name == name), None)
        self.info: PluginInfo | None = found.get(name) if self.failure is None else None
        self._paths = import_paths
        self._closing = ExitStack()
        # Its pools have workers of their own; the process that these are forked from may be the same.
        self._closing.enter_context(one_fork_server(import_paths=import_paths))
        self._pool = WorkerPool(size=2, import_paths=import_paths)
        self._folder = tempfile.TemporaryDirectory(prefix="octavo-conformance-")
        self._originals: dict[str, Original] = {}
        self._observed: dict[str, Observed] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers and remove the files."""
        self._pool.close()
        for name in ("second_pool", "host_pool"):
            if name in vars(self):
                vars(self)[name].close()
        self._closing.close()
        for original in self._originals.values():
            os.close(original.fd)
        self._originals.clear()
        self._folder.cleanup()

    @property
    def plugin(self) -> PluginInfo:
        """The plugin.

        Raises:
            ToolUnavailable: it is installed and cannot be used.
        """
        if self.info is None:
            message = self.failure.message if self.failure else "it cannot be used"
            raise ToolUnavailable(message, plugin=self.name, remedy=self.failure.remedy if self.failure else None)
        return self.info

    @property
    def manifest(self) -> PluginManifest:
        """Its manifest."""
        return self.plugin.manifest

    @cached_property
    def load_error(self) -> OctavoError | None:
        """What is wrong with it when a worker loads it, or None."""
        return Dispatcher(self._pool).check(self.plugin)

    @cached_property
    def first_import(self) -> dict[str, Any]:
        """What `import_facts` said when it was first asked: in the second pool's worker, which has met nothing yet.

        Raises:
            OctavoError: as `import_facts`.
        """
        return self._import_facts(self.second_pool)

    def import_facts(self) -> dict[str, Any]:
        """How long the import of its module takes in a worker that has not met it, and whether it brings the engine.

        Raises:
            OctavoError: it cannot be imported.
        """
        with WorkerPool(size=1, import_paths=self._paths) as pool:
            return self._import_facts(pool)

    def _import_facts(self, pool: WorkerPool) -> dict[str, Any]:
        task = {"module": self.plugin.module, "engine": self.manifest.engine.module}
        reply = pool.run(IMPORT_FACTS, json.dumps(task).encode(), lane=lane_of(self.plugin))
        facts: dict[str, Any] = json.loads(reply.payload)
        return facts

    # -- the hook `convert` ---------------------------------------------------------------------------------

    def convert(self, vector: AnyVector, **request: Any) -> Observed:
        """Convert a vector as it stands; asked twice, the same call is not made twice."""
        key = f"{vector.path} {sorted(request.items())}"
        if key not in self._observed:
            self._observed[key] = self.convert_again(vector, **request)
        return self._observed[key]

    def convert_again(
        self, vector: AnyVector, *, pool: WorkerPool | None = None, late: bool = False, **request: Any
    ) -> Observed:
        """Convert a vector anew.

        Args:
            vector: the document.
            pool: other workers than the subject's.
            late: tell the plugin that its deadline has come.
            **request: fields of the `ConvertRequest`.
        """
        asked = ConvertRequest(**({"media_type": vector.media_type} | request))
        return self.call("convert", {"request": asked}, vector=vector, pool=pool, late=late)

    @cached_property
    def second_pool(self) -> WorkerPool:
        """One other process, in which only what asks for it is converted."""
        return WorkerPool(size=1, import_paths=self._paths)

    @cached_property
    def host_pool(self) -> WorkerPool:
        """One process that knows nothing of the suite."""
        return WorkerPool(size=1, import_paths=self._paths)

    def convert_as_host(self, vector: AnyVector, *, name: str | None = None) -> Observed:
        """Convert a vector as a host has it done, with nothing of the suite beside the plugin.

        A plugin that behaves while it is watched is found out by what it does when it is not.

        Args:
            vector: the document.
            name: what the file is called; by default as the vector.
        """
        asked = ConvertRequest(media_type=vector.media_type)
        handle = self.original(vector).handle
        known = replace(handle, name=name or handle.name)
        task = json.dumps(self._task("convert", {"request": asked})).encode()
        try:
            reply = self.host_pool.run(CALL_HOOK, task, source=known, limits=self._limits(), lane=lane_of(self.plugin))
        except OctavoError as error:
            return Observed.failed(error.located(source=known.name, plugin=self.name))
        return Observed(
            answer=reply.payload.decode(),
            error=None,
            facts=None,
            seconds=reply.duration_ms / 1000,
            peak_rss_mb=reply.peak_rss_mb,
        )

    def convert_at_once(self, vector: AnyVector) -> list[Observed]:
        """Convert a vector several times at the same time, each in a process of its own.

        Outside the sandbox: within it processes can share nothing, whatever the plugin tries.
        """
        self.original(vector)
        count = self.budget.at_once
        # They share the machine's processors, so each is given more time than one alone.
        seconds = self.budget.wall_seconds * max(1.0, count / (os.cpu_count() or 1))
        with ThreadPoolExecutor(max_workers=count) as threads:
            running = [threads.submit(self._convert_elsewhere, vector, seconds=seconds) for _ in range(count)]
            return [made.result() for made in running]

    def convert_elsewhere(self, vector: AnyVector) -> Observed:
        """Convert a vector outside the sandbox (see `convert_outside`); asked twice, the call is made once."""
        key = f"{vector.path} elsewhere"
        if key not in self._observed:
            self._observed[key] = self._convert_elsewhere(vector, seconds=self.budget.wall_seconds)
        return self._observed[key]

    def _convert_elsewhere(self, vector: AnyVector, *, seconds: float) -> Observed:
        task = self._task("convert", {"request": ConvertRequest(media_type=vector.media_type)}) | {
            "path": str(self.original(vector).path),
            "media_type": vector.media_type,
            "sha256": vector_hash(vector),
        }
        return convert_outside(task, import_paths=self._paths, seconds=seconds)

    def texts(self, vector: GoldenVector) -> tuple[Conversion, Texts]:
        """The conversion of a vector, and the two texts the core makes of it.

        Raises:
            Broken: it does not convert.
        """
        conversion = self.convert(vector).conversion()
        return conversion, join_pages(conversion)

    def result(self, vector: GoldenVector) -> ResultEvidence:
        """The result a host gets for a vector.

        Raises:
            Broken: it does not convert.
        """
        conversion, texts = self.texts(vector)
        raw = vector_hash(vector)
        refs = Refs(
            original=memory_ref(raw),
            conversion=memory_ref(texts.canonical.sha256),
            markdown=memory_ref(hashlib.sha256(texts.markdown.encode()).hexdigest()),
            canonical=memory_ref(texts.canonical.sha256),
        )
        assessment = assess(conversion, QualityEvidence(media_type=vector.media_type))
        hashes = ContentHashes(raw_file_hash=raw)
        document = DocumentIdentity(document_id=document_id_for(raw), original_ref=refs.original, hashes=hashes)
        result = build_result(
            texts,
            document=document,
            refs=refs,
            report=build_report(
                assessment,
                source_ref=refs.original,
                conversion_ref=refs.conversion,
                tool=self.name,
                tool_reason="the conformance suite asked for it",
            ),
            classification=None,
            metadata=conversion.metadata,
        )
        return ResultEvidence(
            data=json.loads(result.to_json()), canonical=texts.canonical.text, markdown=texts.markdown
        )

    # -- any hook -------------------------------------------------------------------------------------------

    def call(
        self,
        hook: HookName,
        arguments: dict[str, Model | str],
        *,
        vector: AnyVector | None = None,
        pool: WorkerPool | None = None,
        late: bool = False,
    ) -> Observed:
        """Call a hook in the sandbox; an error is part of what was observed.

        Args:
            hook: the hook.
            arguments: beside source and context.
            vector: the document, for a hook that takes one.
            pool: other workers than the subject's.
            late: tell the hook that its deadline has come.
        """
        task = json.dumps(self._task(hook, arguments) | {"late": late}).encode()
        handle = self.original(vector).handle if vector else None
        try:
            reply = (pool or self._pool).run(
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
        return Observed(
            answer=told["answer"],
            error=raised,
            facts=Facts(**told["facts"]),
            seconds=reply.duration_ms / 1000,
            peak_rss_mb=reply.peak_rss_mb,
        )

    def call_once(self, hook: HookName, arguments: dict[str, Model | str], *, vector: AnyVector | None) -> Observed:
        """The one call of a hook by which its behaviour is judged; asked twice, it is made once."""
        if hook not in self._observed:
            self._observed[hook] = self.call(hook, arguments, vector=vector)
        return self._observed[hook]

    def _limits(self) -> SandboxLimits:
        """Memory is not held to what the manifest asks for: a plugin that uses more is to be told so, not killed."""
        asked = self.manifest.limits.timeout_seconds or self.budget.wall_seconds
        return replace(SandboxLimits(), wall_seconds=min(self.budget.wall_seconds, asked), memory_mb=4096)

    def original(self, vector: AnyVector) -> Original:
        """The vector as a file, made when first asked for."""
        if vector.path not in self._originals:
            self._originals[vector.path] = make_original(vector, folder=Path(self._folder.name))
        return self._originals[vector.path]

    def originals(self) -> list[Original]:
        """Every file that was made so far."""
        return list(self._originals.values())

    def _task(self, hook: HookName, arguments: dict[str, Model | str]) -> dict[str, Any]:
        return {
            "plugin": self.name,
            "module": self.plugin.module,
            "hooks": self.manifest.hooks,
            "capabilities": self.manifest.capabilities,
            "hook": hook,
            "arguments": {
                name: value if isinstance(value, str) else json.loads(value.to_json())
                for name, value in arguments.items()
            },
        }


def find_subject(name: str, *, budget: Budget | None = None) -> Subject:
    """The plugin of a name, ready to be tested.

    Raises:
        UsageError: nothing of that name is installed.
        ToolUnavailable: it is installed and cannot be used: its manifest, its contract, its engine, its import.
    """
    try:
        subject = Subject(name, budget=budget)
    except UsageError as error:
        remedy = "`octavo plugins` lists them; in the folder of your own plugin run `pip install -e .`"
        raise UsageError(error.message, remedy=remedy) from error
    try:
        lacking = subject.plugin.missing()
        if lacking:
            raise ToolUnavailable(lacking, plugin=name)
        if isinstance(subject.load_error, ToolUnavailable):
            raise subject.load_error
    except BaseException:
        subject.close()
        raise
    return subject
