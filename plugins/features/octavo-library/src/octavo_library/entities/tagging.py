"""The entity extraction step: opted in? → one plugin, in its sandbox → verified → stored with the version.

A document with text is complete without entities: a failure here is a failed job with the intent `extract`, never a
failed document (ENG-15).
"""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime

from octavo.conversion.conversion_services import Places
from octavo.plugins import HookCall, PluginInfo
from octavo.plugins.budget import TimeBudget
from octavo.runtime import Runtime
from octavo.settings.entities import EntitySettings
from octavo_contracts import (
    Attempt,
    Capability,
    EntityObservation,
    EntityRequest,
    HardFailReason,
    IngestionState,
    Intent,
    OctavoError,
    ToolUnavailable,
)

from ..ingestion.cloud_owners import owners_of_document
from ..ingestion.events import EventHub
from ..storage import ArtifactStore, CompletedJob, DocumentRecord, Index, Job, JobFailure, NewJob, Step
from ..storage.index.entities import EntityRun, NewEntityRun
from ..storage.index.entity_records import CheckedMentions
from ..storage.version_files import version_refs
from .checking import check_observations
from .extraction_file import keep_extraction

_S = IngestionState
WAY_TO_EXTRACTION: tuple[IngestionState | Step, ...] = (
    _S.HASH_CHECKED,
    _S.SOURCE_STORED,
    *(Step(state=state, skipped=True) for state in (_S.CONVERSION_PENDING, _S.CONVERTED, _S.CLASSIFIED)),
    *(Step(state=state, skipped=True) for state in (_S.SUMMARIZED, _S.INDEXED)),
    _S.EXTRACTION_PENDING,
)
"""The steps of a job with the intent `extract` before the engine is called."""
STEP = "entities"


def choose_engine(runtime: Runtime, *, name: str | None = None) -> PluginInfo:
    """Choose the plugin that extracts entities.

    Args:
        runtime: the installed plugins and the settings.
        name: this plugin; None: the one in the settings, else the first whose engine is installed.

    Raises:
        UsageError: there is no plugin of that name, or it does not extract entities.
        ToolUnavailable: no such plugin is installed, or its engine is missing.
    """
    wanted = name or runtime.settings.entities.engine
    if wanted is not None:
        plugin = runtime.catalogue.get(wanted)
        plugin.require("extract_entities")
        return plugin
    having = runtime.catalogue.having("extract_entities")
    for plugin in having:
        if plugin.missing() is None:
            return plugin
    if having:
        having[0].require("extract_entities")
    raise ToolUnavailable(
        "no installed plugin extracts entities", remedy="Run: pip install octavo-spacy, or switch entities off"
    )


class Tagger:
    """Extracts entities from the documents of a library. Thread-safe.

    Args:
        runtime: plugins and workers.
        artifacts: the library's files.
        index: the library's index.
        events: event hub of the library, which is told the gate's decisions about requests of the plugin.
        place: context manager for the plugin call; waits for a slot in the step's pool.
        model_place: the same for a plugin that asks a server, in the pool of models.
    """

    def __init__(
        self,
        runtime: Runtime,
        artifacts: ArtifactStore,
        index: Index,
        *,
        events: EventHub,
        place: Places,
        model_place: Places,
    ) -> None:
        self._runtime = runtime
        self._events = events
        self._place = place
        self._model_place = model_place
        self._artifacts = artifacts
        self._index = index

    def tag(
        self,
        record: DocumentRecord,
        settings: EntitySettings,
        *,
        job: Job | None = None,
        cancel: threading.Event | None = None,
    ) -> EntityRun | None:
        """Extract entities from a document's active version.

        Does nothing if the same engine already processed the version with the same request (ENG-18).

        Args:
            record: the document's row.
            settings: the labels to extract and the plugin.
            job: the open job, ended by this call whatever the result; None: a new job is started and ended if there is
                a result or failure to record. An error without a reason code leaves it open.
            cancel: set it to stop.

        Returns:
            The run, new or existing; None if the document has no text.

        Raises:
            UsageError: there is no such plugin.
            ToolUnavailable: the engine or its model is missing.
            OctavoError: the engine failed; the job records that too.
        """
        if record.active_version is None:
            return None
        started = _now()
        try:
            plugin = choose_engine(self._runtime, name=settings.engine)
        except ToolUnavailable as error:
            self._record_failure(record, None, error, job=job, started=started)
            raise
        request = _request(settings)
        last = self._index.entities.last_run(record.document_id, version=record.active_version)
        if last is not None and _same(last, plugin, request):
            if job is not None:
                self.leave(record, job)
            return last
        folder = version_refs(record.raw_hash, record.active_version, original="").conversion
        text = self._artifacts.read(f"{folder}/canonical.txt").decode()
        try:
            checked = self._ask(plugin, text, request, settings, document_id=record.document_id, cancel=cancel)
        except OctavoError as error:
            if error.reason is not None:
                self._record_failure(record, plugin, error, job=job, started=started)
            raise
        run = NewEntityRun(
            document_id=record.document_id,
            version=record.active_version,
            engine=plugin.name,
            engine_version=_version(plugin),
            request_json=request.to_json(),
            checked=checked,
        )
        return self._record(record, plugin, run, job=job, started=started)

    def is_due(self, record: DocumentRecord, settings: EntitySettings) -> bool:
        """Whether `tag` has anything to do or to report, for example that no engine is installed.

        Raises:
            UsageError: there is no such plugin.
        """
        if record.active_version is None:
            return False
        try:
            plugin = choose_engine(self._runtime, name=settings.engine)
        except ToolUnavailable:
            return True
        last = self._index.entities.last_run(record.document_id, version=record.active_version)
        return last is None or not _same(last, plugin, _request(settings))

    def leave(self, record: DocumentRecord, job: Job) -> None:
        """Complete an open job that has nothing left to do."""
        states = (_S.EXTRACTED, _S.VERIFIED, _S.WRITTEN)
        self._index.jobs.advance(job, *(Step(state=state, skipped=True) for state in states), _S.COMPLETE)
        self._write_log(record)

    def fail(self, record: DocumentRecord, job: Job, error: OctavoError, *, reason: HardFailReason) -> None:
        """End an open job after an error that has no reason code of its own."""
        failure = Step(state=_S.EXTRACTION_FAILED, step=STEP, outcome="failed", error=error.message)
        self._index.jobs.complete([CompletedJob(job=job, steps=(failure,), failure=JobFailure(reason=reason))])
        self._write_log(record)

    def _ask(
        self,
        plugin: PluginInfo,
        text: str,
        request: EntityRequest,
        settings: EntitySettings,
        *,
        document_id: str,
        cancel: threading.Event | None,
    ) -> CheckedMentions:
        """Call the plugin and verify its result: each within `seconds`, both and a retry within twice that."""
        attempts: list[Attempt] = []
        limits = replace(self._runtime.settings.limits, wall_seconds=settings.seconds)
        budget = TimeBudget(2 * settings.seconds, of="the entities of one document")
        call = HookCall(
            plugin=plugin,
            hook="extract_entities",
            arguments={"text": text, "request": request},
            because="named in the settings" if settings.engine else "the first whose engine is installed",
            limits=limits,
            budget=budget,
            readable=(settings.model,) if settings.model is not None else (),
            owners=owners_of_document(self._index, self._events, document_id, surface="entities"),
        )
        place = self._model_place if Capability.NETWORK in plugin.manifest.capabilities else self._place
        with place(cancel=cancel):
            found = self._runtime.dispatcher.call_list(call, EntityObservation, cancel=cancel, attempts=attempts)
        with budget.work(limits):
            return check_observations(text, request, found)

    def _record(
        self, record: DocumentRecord, plugin: PluginInfo, new: NewEntityRun, *, job: Job | None, started: str
    ) -> EntityRun:
        """Store the run and end its job in one transaction."""
        tool = _tool(plugin)
        dropped = sum(new.checked.dropped.values())
        keep_extraction(self._artifacts, record.raw_hash, new)
        with self._index.batch():
            stored = self._index.entities.add_run(new)
            self._index.jobs.advance(
                job or self._begun(record),
                Step(state=_S.EXTRACTED, step=STEP, started_at=started, ended_at=_now(), outcome="ok", tool=tool),
                Step(
                    state=_S.VERIFIED,
                    step="spans",
                    outcome=f"kept {len(new.checked.kept)}, dropped {dropped}",
                    error=", ".join(f"{why}: {count}" for why, count in new.checked.dropped.items()) or None,
                ),
                _S.WRITTEN,
                _S.COMPLETE,
            )
        self._write_log(record)
        return stored

    def _record_failure(
        self, record: DocumentRecord, plugin: PluginInfo | None, error: OctavoError, *, job: Job | None, started: str
    ) -> None:
        assert error.reason is not None  # checked by the caller
        failure = Step(
            state=_S.EXTRACTION_FAILED,
            step=STEP,
            started_at=started,
            ended_at=_now(),
            outcome="failed",
            error=error.message,
            tool=_tool(plugin) if plugin is not None else None,
        )
        with self._index.batch():
            failed = JobFailure(reason=error.reason)
            self._index.jobs.complete([CompletedJob(job=job or self._begun(record), steps=(failure,), failure=failed)])
        self._write_log(record)

    def _begun(self, record: DocumentRecord) -> Job:
        new = NewJob(raw_hash=record.raw_hash, intent=Intent.EXTRACT, steps=WAY_TO_EXTRACTION)
        return self._index.jobs.start(new, owner=self._artifacts.owner).job

    def _write_log(self, record: DocumentRecord) -> None:
        self._artifacts.write_log(record.raw_hash, self._index.jobs.processing_log(record.raw_hash))


def _request(settings: EntitySettings) -> EntityRequest:
    return EntityRequest(labels=settings.labels, threshold=settings.threshold, options=settings.plugin_options)


def _same(last: EntityRun, plugin: PluginInfo, request: EntityRequest) -> bool:
    return (last.engine, last.engine_version, last.request_json) == (plugin.name, _version(plugin), request.to_json())


def _version(plugin: PluginInfo) -> str:
    return f"{plugin.manifest.version}+{plugin.engine_version}" if plugin.engine_version else plugin.manifest.version


def _tool(plugin: PluginInfo) -> str:
    return f"{plugin.name} {_version(plugin)}"


def _now() -> str:
    return datetime.now(UTC).isoformat()
