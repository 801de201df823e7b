"""What came of a document, stored: a version's files, and the end of its job, which is committed after them (STO-8)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from octavo.conversion.attachments import Listing
from octavo.conversion.outcome import ConversionFailed, ConversionOutcome, ConvertedVersion
from octavo.conversion.page_repair import origins
from octavo.conversion.results import failure_result, success_result
from octavo.documents.source import Source
from octavo_contracts import IngestionResult, QualityFinding

from ..storage import document_id_for
from ..storage.version_files import chunk_file, to_files, version_refs
from .activation import HELD_BACK, ActivationGuard
from .attached_documents import AttachmentStore
from .claimed_job import ClaimedJob
from .engine_context import EngineContext
from .job_completion import PendingCompletion, StoredVersion, completed_by, facts_of, failed_conversion, now_text
from .locked_documents import without_the_try
from .readings_record import record
from .sampling.sampler import Finding
from .shared_fields import shareable_conversion, shareable_result
from .shipped_types import failed_type, with_shipped_type


@dataclass(frozen=True, kw_only=True)
class _VersionFiles:
    """What the files of a version say besides its conversion.

    Attributes:
        original: reference of the original.
        tool: the content of `tool.json`.
        compared: the content of `comparison.json`, or None.
        findings: what the library adds to the report.
    """

    original: str
    tool: dict[str, Any]
    compared: dict[str, Any] | None
    findings: tuple[QualityFinding, ...]


class VersionWriter:
    """Stores versions and prepares the ends of jobs. Thread-safe.

    Args:
        context: what the engine's parts share.
        attachments: keeps the bytes of what came inside documents.
    """

    def __init__(self, context: EngineContext, attachments: AttachmentStore) -> None:
        self._context = context
        self._attachments = attachments
        self._guard = ActivationGuard(context.artifacts, context.index)

    def original_ref(self, source: Source) -> str:
        """Bytes without a path are stored once; a user's file stays where it is (STO-1)."""
        if source.path is not None or source.original_ref.startswith("store:"):
            return source.original_ref
        self._context.throttle.before_write(source.size, cancel=None)
        with os.fdopen(os.dup(source.fd), "rb") as stream:
            stream.seek(0)
            return self._context.artifacts.put_original(
                source.raw_file_hash, extension=PurePath(source.name).suffix, stream=stream
            )

    def success(
        self,
        task: ClaimedJob,
        outcome: ConversionOutcome,
        version: ConvertedVersion,
        *,
        original: str,
        activate: bool | None,
        finding: Finding | None = None,
    ) -> PendingCompletion:
        """Store a version's files; its index rows come with the ending.

        Args:
            task: the job and its document.
            outcome: what came of the conversion.
            version: the version to store.
            original: reference of the original.
            activate: whether it is the one that readers get, whatever it lost; None: unless it lost pages or text of
                the active one.
            finding: what came of a second conversion beside it; counted with the ending (CNV-4).
        """
        request, conversion = task.request, version.conversion
        tool = self._tool(task, version)
        held_back = None
        if activate is None:
            held_back = self._guard.check(task.raw_hash, texts=version.texts, conversion=conversion)
            activate = held_back is None
        if held_back is not None:
            tool[HELD_BACK] = held_back.as_json()
        compared = finding.as_json() if finding is not None else None
        findings = () if held_back is None else (held_back.finding(),)
        files = _VersionFiles(original=original, tool=tool, compared=compared, findings=findings)
        number, result = self._store(task, outcome, version, files)
        stored = StoredVersion(
            number=number,
            result=result,
            facts=facts_of(result, size=task.source.size, media_type=outcome.inspection.detected.media_type),
            tool=tool,
            activate=activate,
            started=task.started,
            ocr_pages=tuple(version.recognition.fingerprints),
            compared=compared,
        )
        had_password = request.options.password is not None
        completed = completed_by(stored, task.job, request, path_ref=task.path_ref, had_password=had_password)
        return PendingCompletion(
            task=task, result=result, completed=completed, tool=tool["plugin"], held_back=held_back
        )

    def failure(self, task: ClaimedJob, failed: ConversionFailed, *, waits: bool) -> PendingCompletion:
        """The ending of a document that cannot be converted; with `waits` its job stays open (ENG-7)."""
        source = task.source
        failed = without_the_try(failed, source)
        result = failure_result(failed, source, sandbox_level=self._context.runtime.pool.level)
        result = failed_type(result, failed, profile=task.request.options.profile)
        result = shareable_result(result, source, task.request, profile=self._profile(task))
        instance = task.request.instance_id(document_id_for(source.raw_file_hash))
        hashes = result.content_hashes.model_copy(update={"source_instance_id": instance})
        original = self.original_ref(source)
        report = result.quality_report.model_copy(update={"source_ref": original})
        result = result.model_copy(
            update={"content_hashes": hashes, "original_artifact_ref": original, "quality_report": report}
        )
        return PendingCompletion(
            task=task,
            result=result,
            completed=None if waits else failed_conversion(task, result, failed),
            tool=failed.error.plugin if waits else None,
            reason=result.failure_receipts[0].reason_code,
        )

    # -- inside ---------------------------------------------------------------------------------------------

    def _store(
        self, task: ClaimedJob, outcome: ConversionOutcome, version: ConvertedVersion, more: _VersionFiles
    ) -> tuple[int, IngestionResult]:
        """Store the files of a version under the next free number; its number and its result."""
        raw_hash, request, context = task.raw_hash, task.request, self._context
        document_id = document_id_for(raw_hash)
        attachments = version.conversion.attachments
        inside = self._attachments.listing(attachments, task) if attachments else Listing(())
        results: dict[int, IngestionResult] = {}

        def files_of(number: int) -> dict[str, bytes]:
            made = success_result(
                outcome,
                version,
                task.source,
                version_refs(raw_hash, number, original=more.original),
                sandbox_level=context.runtime.pool.level,
                source_instance_id=request.instance_id(document_id),
                attachments=inside,
                findings=more.findings,
            )
            shared = shareable_result(made, task.source, request, profile=self._profile(task))
            results[number] = with_shipped_type(shared, outcome, version, profile=request.options.profile)
            files = to_files(
                results[number],
                texts=version.texts,
                conversion=shareable_conversion(version.conversion, task.source),
                tool=more.tool,
                recognised=record(version.recognition),
                compared=more.compared,
            )
            context.throttle.before_write(sum(map(len, files.values())), cancel=request.options.cancel)
            return files

        above = task.above if task.above is not None else context.index.versions.highest(document_id)
        number = context.artifacts.put_version(raw_hash, files_of, job_id=task.job.job_id, above=above)
        chunking = context.runtime.settings.chunking.version
        data = chunk_file(results[number])
        context.artifacts.put_chunks(raw_hash, number, config_version=chunking, data=data)
        return number, results[number]

    def _profile(self, task: ClaimedJob) -> str:
        return self._context.runtime.profile(task.request.options.profile).name

    def _tool(self, task: ClaimedJob, version: ConvertedVersion) -> dict[str, Any]:
        plugin = version.candidate.plugin
        tool = {
            "plugin": plugin.name,
            "plugin_version": plugin.manifest.version,
            "engine_version": version.conversion.engine_version or plugin.engine_version,
            "because": version.candidate.because,  # as the owner reads it; whoever else reads the report's
            "profile": task.request.options.profile or self._context.runtime.settings.profile,
            "created_at": now_text(),
        }
        return tool | origins(version.repairs)
