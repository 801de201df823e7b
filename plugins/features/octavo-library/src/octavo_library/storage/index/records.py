"""Value objects that enter and leave the index. Times are ISO 8601 in UTC; hashes are SHA-256 in lower-case hex."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from octavo_contracts import HardFailReason, IngestionState, Intent
from octavo_sandbox.egress.policy import CloudRequest

from .instance_ids import PolicyContext
from .stored_inspection import StoredInspection


class LocationType(StrEnum):
    """The kind of place where a document was seen (STO-18)."""

    ONEDRIVE = "onedrive"
    LOCAL = "local"
    EMAIL_ATTACHMENT = "email_attachment"
    BROWSER = "browser"
    CHAT_ATTACHMENT = "chat_attachment"
    TASK_OUTPUT = "task_output"
    WEB_FETCH = "web_fetch"
    EDGAR_PULL = "edgar_pull"
    PACER_DOCKET = "pacer_docket"
    DEMONSTRATION_CAPTURE = "demonstration_capture"
    DIRECT_UPLOAD = "direct_upload"


STORED_ORIGINAL = "stored_original"
"""Key of a version's `tool.json`, and of its configuration in the index: the user's file was copied into the library."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """Provenance record of a document: where it was seen, and how it was ingested.

    Attributes:
        path: its reference (`file:…` keeps names that are not UTF-8, `url:…`), or None for bytes without a path.
        location_type: the kind of place.
        surface: the ingestion surface, for example "corpus" or "chat_attachment" (ENG-1).
        corpus_id: the corpus that it joins, or None.
        policy: the policy context of the ingest.
        added_by: the user, or "system".
        run_id: the run that ingested it; None for a single document.
    """

    path: str | None
    location_type: LocationType = LocationType.LOCAL
    surface: str = "corpus"
    corpus_id: str | None = None
    policy: PolicyContext = field(default_factory=PolicyContext)
    added_by: str = "system"
    run_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReuseEvent:
    """A repeated ingest of a known document.

    Attributes:
        document_id: the document.
        sighting: the provenance of this ingest.
        outcome: `reused` or, for a failure, `reused_failure`; `new` or `failed` if it is new to the user (STO-5).
    """

    document_id: str
    sighting: Provenance
    outcome: Literal["reused", "reused_failure", "new", "failed"] = "reused"


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentFacts:
    """The facts that a job found out about a document. None keeps the value in the index.

    Attributes:
        raw_hash: SHA-256 of the bytes.
        normalized_binary_hash: SHA-256 of the normalised bytes (STO-16).
        normalized_text_hash: SHA-256 of canonical.txt.
        title: as stated in the document.
        document_type: as classified; never overwrites a type set by a user (CLS-6).
        file_size: bytes.
        mime_type: type detected from the content.
        classification_json: the `DocumentClassification`.
        original_ref: `store:originals/…`, or the first `file:` reference.
        page_hashes: SHA-256 of each page's canonical body; only for a finished conversion.
        chunk_hashes: SHA-256 of each chunk's text; only for a finished conversion.
        inspection: the inspection of the bytes, if it was made now.
    """

    raw_hash: str
    normalized_binary_hash: str | None = None
    normalized_text_hash: str | None = None
    title: str | None = None
    document_type: str | None = None
    file_size: int | None = None
    mime_type: str | None = None
    classification_json: str | None = None
    original_ref: str | None = None
    page_hashes: tuple[str, ...] = ()
    chunk_hashes: tuple[str, ...] = ()
    inspection: StoredInspection | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversionFacts:
    """A finished conversion whose version folder is stored.

    Attributes:
        version: its number, from `ArtifactStore.put_version`.
        tool: the plugin.
        tool_version: version of its distribution.
        config_json: its configuration.
        quality_score: 0..1, or None if not assessed.
        status: the status shown to users.
        flags: degraded flags.
        activate: whether it becomes the active version.
    """

    version: int
    tool: str
    tool_version: str | None = None
    config_json: str = "{}"
    quality_score: float | None = None
    status: Literal["ok", "degraded"] = "ok"
    flags: tuple[str, ...] = ()
    activate: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversionRecord:
    """A conversion version in the index (STO-15).

    Attributes:
        job_id: the job that made it; None if the policy context may not see it.
        config_json: its configuration; None if the policy context may not see it.
        created_at: when it was made, or became known to the policy context, whichever is later.
        damaged_at: when a check found a missing or altered file, or None.
        purged_at: when its files were purged, or None; its number is not reused.
    """

    document_id: str
    version: int
    job_id: str | None
    tool: str
    tool_version: str | None
    config_json: str | None
    quality_score: float | None
    status: str
    flags: tuple[str, ...]
    normalized_text_hash: str | None
    artifact_ref: str
    created_at: str
    damaged_at: str | None
    purged_at: str | None
    is_active: bool

    @property
    def profile(self) -> str | None:
        """The profile whose rules selected the converter, if known."""
        known = json.loads(self.config_json or "{}").get("profile")
        return str(known) if known is not None else None


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownDocument:
    """The facts that ingestion needs about a known hash.

    Attributes:
        document_id: its id.
        raw_hash: the requested hash.
        status: the document's state.
        reason: why it hard-failed, or None.
        active_version: the active conversion, or None.
        mime_type: type detected from the content.
        in_corpus: whether it is in the requested corpus; False if none was requested.
        has_attachments: whether documents came inside it.
        is_told: whether the user may learn that it is known: it was ingested under the user's policy context (STO-5).
        has_way_in: whether it was ingested under the policy context of the current ingest. If the user names no corpus,
            that is the default context, and `is_told` covers all contexts that are not firewalled.
    """

    document_id: str
    raw_hash: str
    status: IngestionState
    reason: HardFailReason | None
    active_version: int | None
    mime_type: str | None
    in_corpus: bool
    has_attachments: bool = False
    is_told: bool = False
    has_way_in: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentRecord:
    """A row of `documents`.

    Attributes:
        title: the declared title of the policy context, else the document's own one.
        document_type: the effective type: the user's, else the latest classification.
        document_type_by: the user who set it by hand, or None.
    """

    document_id: str
    raw_hash: str
    normalized_binary_hash: str | None
    normalized_text_hash: str | None
    title: str | None
    document_type: str | None
    document_type_by: str | None
    file_size: int | None
    mime_type: str | None
    classification_json: str | None
    original_ref: str | None
    active_version: int | None
    status: IngestionState
    reason: HardFailReason | None
    first_ingested_at: str
    last_reingested_at: str | None
    processing_log_ref: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PathRecord:
    """A path at which a document was seen; `is_stale` if it is gone from there (STO-11)."""

    path: str
    location_type: str
    added_at: str
    is_stale: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class AlreadyKnown:
    """The answer "already in your system", as far as the user may see it (STO-5, STO-13).

    Attributes:
        document_id: the document.
        corpora: names of the corpora it is in, sorted.
        first_seen_at: time of the first ingest under the user's policy context.
    """

    document_id: str
    corpora: tuple[str, ...]
    first_seen_at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusRecord:
    """A corpus and its settings."""

    corpus_id: str
    name: str
    profile: str | None
    policy: PolicyContext
    overrides: Mapping[str, Any]
    chunking_config_version: str | None
    created_at: str

    @property
    def cloud_request(self) -> CloudRequest:
        """The request to the cloud gate for a document of this corpus (CNV-15)."""
        return CloudRequest(
            user_enabled=bool(self.overrides.get("cloud")),
            visibility=self.policy.visibility,
            corpus_tags=(self.policy.sensitivity,),
            source_outbound=True,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A transition to make, with its log details (ENG-27). A bare state is a step without details.

    Attributes:
        state: the state to enter.
        skipped: whether the step does not apply and is only passed through (ENG-3).
        step: name of the work, for example "convert"; by default the state's name.
        started_at: when the work started.
        ended_at: when it ended.
        outcome: "ok", "degraded", "failed", "skipped" or a term specific to the step.
        cost: its cost, in the currency or unit that the step defines.
        error: the error.
        tool: the tool that did the work, with its version.
    """

    state: IngestionState
    skipped: bool = False
    step: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    outcome: str | None = None
    cost: float | None = None
    error: str | None = None
    tool: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Transition:
    """A transition in the log. `before` is None for the first."""

    seq: int
    before: IngestionState | None
    after: IngestionState
    skipped: bool
    at: str
    details: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class NewJob:
    """A job to start.

    Attributes:
        raw_hash: the document's hash; None if its bytes could not be read.
        intent, scope: the purpose of the job; the scope tells apart jobs of one purpose, hash and instance.
        source_instance_id: the source instance.
        engine_set: fingerprint of the installed plugins: with a different set, a stored failure may be worth a retry.
        request_json: what a resumed job needs to start again, for example path and options.
        steps: transitions to make at once, after `registered`.
        lease_seconds: how long the claim lasts without renewal.
        unless_converted: do not start if the document has an active version by the time of the transaction.
        run_id: the run that requests it.
        is_claimed: whether the owner works on it; False: any worker may claim it.
        is_queued: whether it waits for a worker (`octavo worker`); it is not claimed then.
    """

    raw_hash: str | None
    intent: Intent = Intent.INGEST
    scope: str | None = None
    source_instance_id: str | None = None
    engine_set: str | None = None
    request_json: str | None = None
    steps: tuple[IngestionState | Step, ...] = ()
    lease_seconds: float = 600.0
    unless_converted: bool = False
    run_id: str | None = None
    is_claimed: bool = True
    is_queued: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A snapshot of a job. Every change returns a new one; a change of an outdated one fails.

    Attributes:
        seq: number of its last transition, for compare-and-set.
        owner: the owner that works on it, or None.
        lease_until: when its claim expires unless renewed.
        claims: how often it was claimed; more than once means that an owner died or released it.
        attempts: how often `conversion_pending` was entered.
        waiting_reason: why it waits in its state, for example "tool_unavailable" (ENG-7).
        result_json: the result of a hard-failed job.
        run_id: the run that started it, or None.
    """

    job_id: str
    document_id: str | None
    raw_hash: str | None
    source_instance_id: str | None
    intent: Intent
    state: IngestionState
    seq: int
    owner: str | None
    lease_until: str | None
    claims: int
    attempts: int
    reason: HardFailReason | None
    waiting_reason: str | None
    engine_set: str | None
    request_json: str | None
    result_json: str | None
    created_at: str
    updated_at: str
    run_id: str | None = None


class StartedJob(NamedTuple):
    """A job and whether it is new: an existing job for the same work, open or done, is returned instead (ENG-22)."""

    job: Job
    is_new: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFailure:
    """The last verdict on a document that could not be converted (ENG-6: never retried automatically)."""

    job_id: str
    document_id: str | None
    reason: HardFailReason
    engine_set: str | None
    result_json: str | None
    at: str
    request_json: str | None = None
