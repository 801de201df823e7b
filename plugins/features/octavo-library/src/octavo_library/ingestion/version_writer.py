"""Stores the files of a version and prepares the completion of its job, which is committed after them (STO-8)."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from octavo.conversion.attachments import NO_ATTACHMENTS
from octavo.conversion.page_repair import origins
from octavo.conversion.results import failure_result, success_result
from octavo.conversion.states import ConversionFailed, ConversionOutcome, ConvertedVersion
from octavo.documents.source import Source
from octavo_contracts import IngestionResult, QualityFinding

from ..storage import document_id_for
from ..storage.index.records import STORED_ORIGINAL
from ..storage.version_files import chunk_file, to_files, version_refs
from .activation import HELD_BACK, ActivationGuard
from .attached_documents import AttachmentStore
from .claimed_job import ClaimedJob
from .completions import PendingCompletion, StoredVersion, completed_by, facts_of, failed_conversion, now_text
from .engine_context import EngineContext
from .locked_documents import without_the_try
from .model_cost import cost_of, prices_of
from .readings_record import record
from .sampling.sampler import Finding
from .shared_fields import shareable_conversion, shareable_result
from .shipped_types import failed_type, with_shipped_type


@dataclass(frozen=True, kw_only=True)
class _VersionFiles:
    """Content of a version's files besides the conversion.

    Attributes:
        original: reference of the original.
        tool: the content of `tool.json`.
        compared: the content of `comparison.json`, or None.
        findings: findings that the library adds to the report.
    """

    original: str
    tool: dict[str, Any]
    compared: dict[str, Any] | None
    findings: tuple[QualityFinding, ...]


class VersionWriter:
    """Stores versions and prepares completions of jobs. Thread-safe.

    Args:
        context: the shared components of the engine.
        attachments: stores the bytes of attachments.
    """

    def __init__(self, context: EngineContext, attachments: AttachmentStore) -> None:
        self._context = context
        self._attachments = attachments
        copies = context.runtime.settings.objects.originals == "stored"
        self._copies_files = context.artifacts.store.is_shared and copies
        self._guard = ActivationGuard(context.artifacts, context.index)

    def original_ref(self, source: Source) -> str:
        """Reference of the original. Bytes without a path are stored once; a user's file stays where it is (STO-1).

        In a library of several machines the settings may ask for a copy of the user's file, which keeps its reference.
        """
        if source.original_ref.startswith("store:"):
            return source.original_ref
        if source.path is not None and not self._copies_files:
            return source.original_ref
        self._context.throttle.before_write(source.size, cancel=None)
        with os.fdopen(os.dup(source.fd), "rb") as stream:
            stream.seek(0)
            generation = self._context.index.purges.generation(document_id_for(source.raw_file_hash))
            stored = self._context.artifacts.put_original(
                source.raw_file_hash, extension=PurePath(source.name).suffix, stream=stream, generation=generation
            )
        return stored if source.path is None else source.original_ref

    def success(
        self,
        claimed: ClaimedJob,
        outcome: ConversionOutcome,
        version: ConvertedVersion,
        *,
        original: str,
        activate: bool | None,
        finding: Finding | None = None,
    ) -> PendingCompletion:
        """Store the files of a version and prepare its index rows.

        Args:
            claimed: the job and its document.
            outcome: the outcome of the conversion.
            version: the version to store.
            original: reference of the original.
            activate: whether it becomes the active version, whatever it lost; None: unless it lost pages or text of
                the active one.
            finding: the comparison with a second conversion; counted with the completion (CNV-4).
        """
        request, conversion = claimed.request, version.conversion
        tool = self._tool(claimed, version)
        held_back = None
        if activate is None:
            held_back = self._guard.check(claimed.source.raw_file_hash, texts=version.texts, conversion=conversion)
            activate = held_back is None
        if held_back is not None:
            tool[HELD_BACK] = held_back.as_json()
        compared = finding.as_json() if finding is not None else None
        findings = () if held_back is None else (held_back.finding(),)
        files = _VersionFiles(original=original, tool=tool, compared=compared, findings=findings)
        number, result = self._store(claimed, outcome, version, files)
        stored = StoredVersion(
            number=number,
            result=result,
            facts=replace(
                facts_of(result, size=claimed.source.size, media_type=outcome.inspection.detected.media_type),
                inspection=claimed.inspection.made,
            ),
            tool=tool,
            activate=activate,
            started=claimed.started,
            ocr_pages=tuple(version.recognition.fingerprints) if version.recognition.readings else (),
            compared=compared,
            cost=cost_of(result.attempts, prices_of(self._context.runtime)),
        )
        had_password = request.options.password is not None
        completed = completed_by(stored, claimed.job, request, path_ref=claimed.path_ref, had_password=had_password)
        return PendingCompletion(
            claimed=claimed, result=result, completed=completed, tool=tool["plugin"], held_back=held_back
        )

    def failure(self, claimed: ClaimedJob, failed: ConversionFailed, *, waits: bool) -> PendingCompletion:
        """Prepare the completion of a failed conversion; with `waits` the job stays open (ENG-7)."""
        source = claimed.source
        failed = without_the_try(failed, source, self._context.runtime.catalogue)
        result = failure_result(failed, source, sandbox_level=self._context.runtime.pool.level)
        result = failed_type(result, failed, profile=claimed.request.options.profile)
        result = shareable_result(result, source, claimed.request, profile=self._profile(claimed))
        instance = claimed.request.instance_id(document_id_for(source.raw_file_hash))
        hashes = result.content_hashes.model_copy(update={"source_instance_id": instance})
        original = self.original_ref(source)
        report = result.quality_report.model_copy(update={"source_ref": original})
        result = result.model_copy(
            update={"content_hashes": hashes, "original_artifact_ref": original, "quality_report": report}
        )
        return PendingCompletion(
            claimed=claimed,
            result=result,
            completed=None if waits else failed_conversion(claimed, result, failed),
            tool=failed.error.plugin if waits else None,
            reason=result.failure_receipts[0].reason_code,
        )

    # -- inside ---------------------------------------------------------------------------------------------

    def _store(
        self, claimed: ClaimedJob, outcome: ConversionOutcome, version: ConvertedVersion, more: _VersionFiles
    ) -> tuple[int, IngestionResult]:
        """Store the files of a version under the next free number; return the number and the result."""
        raw_hash, request, context = claimed.source.raw_file_hash, claimed.request, self._context
        document_id = document_id_for(raw_hash)
        attachments = version.conversion.attachments
        inside = self._attachments.listing(attachments, claimed) if attachments else NO_ATTACHMENTS
        results: dict[int, IngestionResult] = {}

        def files_of(number: int) -> dict[str, bytes]:
            made = success_result(
                outcome,
                version,
                claimed.source,
                version_refs(raw_hash, number, original=more.original),
                sandbox_level=context.runtime.pool.level,
                source_instance_id=request.instance_id(document_id),
                attachments=inside,
                findings=more.findings,
            )
            shared = shareable_result(made, claimed.source, request, profile=self._profile(claimed))
            if (profile := request.options.profile) is not None:
                shared = with_shipped_type(shared, outcome, version, profile=profile)
            results[number] = shared
            files = to_files(
                results[number],
                texts=version.texts,
                conversion=shareable_conversion(version.conversion, claimed.source),
                tool=more.tool,
                recognised=record(version.recognition) if version.recognition.readings else {},
                compared=more.compared,
            )
            context.throttle.before_write(sum(map(len, files.values())), cancel=request.options.cancel)
            return files

        above = claimed.above if claimed.above is not None else context.index.versions.highest(document_id)
        number = context.artifacts.put_version(raw_hash, files_of, job_id=claimed.job.job_id, above=above)
        chunking = context.runtime.settings.chunking.version
        data = chunk_file(results[number])
        context.artifacts.put_chunks(raw_hash, number, config_version=chunking, data=data)
        return number, results[number]

    def _profile(self, claimed: ClaimedJob) -> str:
        return self._context.runtime.profile(claimed.request.options.profile).name

    def _tool(self, claimed: ClaimedJob, version: ConvertedVersion) -> dict[str, Any]:
        plugin = version.candidate.plugin
        tool: dict[str, Any] = {
            **plugin.identity,
            "engine_version": version.conversion.engine_version or plugin.engine_version,
            "because": version.candidate.because,  # in the owner's words; other readers get the report's
            "profile": claimed.request.options.profile or self._context.runtime.settings.profile,
            "created_at": now_text(),
        }
        if self._copies_files:
            tool[STORED_ORIGINAL] = (
                True  # the reference of the original is the user's file: no check would miss the copy
            )
        return tool | origins(version.repairs) if version.repairs else tool
