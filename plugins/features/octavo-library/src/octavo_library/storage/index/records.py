"""What goes into the index and comes out of it. Frozen; no SQL.

Times are ISO 8601 texts in UTC; hashes are SHA-256 in lower-case hex.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from octavo.egress.policy import CloudRequest
from octavo_contracts import HardFailReason, IngestionState, Intent

from .instance_ids import PolicyContext


class LocationType(StrEnum):
    """What kind of place a document was seen at (STO-18)."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """One encounter with a document: where it was, on which way it came in.

    Attributes:
        path: its reference (`file:…` keeps names that are not UTF-8, `url:…`), or None for bytes without a place.
        location_type: the kind of place.
        surface: the way in, for example "corpus" or "chat_attachment" (ENG-1).
        corpus_id: the corpus it joins, or None.
        policy: the policy it came under.
        added_by: the user, or "system".
        run_id: the run it was seen in; None for a document by itself.
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
    """A known document came again.

    Attributes:
        document_id: which.
        sighting: where and how.
        outcome: `reused` or, of a failure, `reused_failure`; `new` or `failed` where the asker did not have it (STO-5).
    """

    document_id: str
    sighting: Provenance
    outcome: Literal["reused", "reused_failure", "new", "failed"] = "reused"


class ReuseCounts(NamedTuple):
    """What `record_reuse` added besides the events."""

    paths: int
    memberships: int
    instances: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentFacts:
    """What a job found out about a document. None leaves what the index knows.

    Attributes:
        raw_hash: SHA-256 of the bytes.
        normalized_binary_hash: the same of the bytes made uniform (STO-16).
        normalized_text_hash: SHA-256 of canonical.txt.
        title: as the document gives it.
        document_type: as classified; never overwrites one that a user set (CLS-6).
        file_size: bytes.
        mime_type: type by content.
        classification_json: the `DocumentClassification`.
        original_ref: `store:originals/…`, or the first `file:` reference.
        page_hashes: SHA-256 of each page's canonical body; of a finished conversion only.
        chunk_hashes: SHA-256 of each chunk's text; of a finished conversion only.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversionFacts:
    """A finished conversion whose version folder is stored.

    Attributes:
        version: its number, from `ArtifactStore.put_version`.
        tool: the plugin.
        tool_version: version of its distribution.
        config_json: what it was run with.
        quality_score: 0..1, or None where not assessed.
        status: what a badge shows.
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
    """A conversion version as the index knows it (STO-15).

    Attributes:
        job_id: the job that made it; None where the asker is not told.
        config_json: what it was made with; None where the asker is not told.
        created_at: when it was made, or became known to the asker's policy context, whichever is later.
        damaged_at: when a check found a file of it missing or altered, or None.
        purged_at: when its files were removed for good, or None; its number is not given out again.
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
        """The profile whose rules it was converted by, where that is known."""
        known = json.loads(self.config_json or "{}").get("profile")
        return str(known) if known is not None else None


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownDocument:
    """What ingestion needs to know of a hash that the library has.

    Attributes:
        document_id: its id.
        raw_hash: the hash asked for.
        status: the document's state.
        reason: why it hard-failed, or None.
        active_version: the active conversion, or None.
        mime_type: type by content.
        in_corpus: whether it is in the corpus asked about; False where none was.
        has_attachments: whether documents came inside it.
        is_told: whether the asker is told that it is known: it came in under the asker's policy context (STO-5).
        has_way_in: whether it came in under the policy context in which it comes now; of an asker who names no corpus,
            that is the default one, and `is_told` is about all that are not firewalled.
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
        document_type: the type in force: the user's, else as classified last.
        document_type_by: who set it by hand, or None.
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
    """A place at which a document was seen; `is_stale` where it is there no longer (STO-11)."""

    path: str
    location_type: str
    added_at: str
    is_stale: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class AlreadyKnown:
    """The answer "already in your system", as far as the asker may see it (STO-5, STO-13).

    Attributes:
        document_id: the document.
        corpora: names of the corpora it is in, sorted.
        first_seen_at: when it first came in under the asker's policy context.
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
        """What the gate to cloud services is asked for a document of it (CNV-15)."""
        return CloudRequest(
            user_enabled=bool(self.overrides.get("cloud")),
            visibility=self.policy.visibility,
            corpus_tags=(self.policy.sensitivity,),
            source_outbound=True,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A transition to make and what the log says of it (ENG-27). A bare state stands for one without details.

    Attributes:
        state: the state to enter.
        skipped: True where the step does not apply and is only passed through (ENG-3).
        step: name of the work done, for example "convert"; the state's own name by default.
        started_at: when the work began.
        ended_at: when it ended.
        outcome: "ok", "degraded", "failed", "skipped" or a word of the step's own.
        cost: what it cost, in the currency or unit that the step defines.
        error: what went wrong.
        tool: who did it, with its version.
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
    """A transition that was made. `before` is None for the first."""

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
        raw_hash: the document's hash; None where its bytes could not be read.
        intent: what for.
        source_instance_id: the way in.
        engine_set: fingerprint of the installed plugins: with another set a stored failure may be worth a new try.
        request_json: what a resumed job needs to begin again, for example path and options.
        steps: transitions to make at once, after `registered`.
        lease_seconds: how long the claim lasts without renewal.
        unless_converted: not started where the document has an active version by the time of the transaction.
        run_id: the run that asks for it.
        is_claimed: whether the owner works on it; False: it is open to whoever claims it first.
    """

    raw_hash: str | None
    intent: Intent = Intent.INGEST
    source_instance_id: str | None = None
    engine_set: str | None = None
    request_json: str | None = None
    steps: tuple[IngestionState | Step, ...] = ()
    lease_seconds: float = 600.0
    unless_converted: bool = False
    run_id: str | None = None
    is_claimed: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job as it was when it was read. Every change returns a new one; an outdated one changes nothing.

    Attributes:
        seq: number of its last transition; what compare-and-set compares.
        owner: who works on it, or None.
        lease_until: when its claim ends unless renewed.
        claims: how often it was claimed; more than once means an owner died or let go.
        attempts: how often `conversion_pending` was entered.
        waiting_reason: why it waits in its state, for example "tool_unavailable" (ENG-7).
        result_json: the result of a job that hard-failed.
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
    """A job and whether it is new: where the work is being done or done, its job is returned instead (ENG-22)."""

    job: Job
    is_new: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFailure:
    """The last verdict on a document that could not be converted (ENG-6: not tried again by itself)."""

    job_id: str
    document_id: str | None
    reason: HardFailReason
    engine_set: str | None
    result_json: str | None
    at: str
    request_json: str | None = None
