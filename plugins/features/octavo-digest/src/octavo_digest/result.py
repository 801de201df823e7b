"""What a digestor answers (DIG-23)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from octavo_contracts import DigestOutcome, DigestPayload

Status = Literal["digested", "skipped", "failed"]


@dataclass(frozen=True, kw_only=True)
class DigestResult:
    """What became of one source. How the digest was made stands here, never in the payload.

    Attributes:
        source_id: the source.
        payload: the digest, or None.
        status: 'digested', 'skipped' or 'failed'.
        reason: why it was skipped (not_eligible, already_digested, policy_off, breaker_open, no_content, no_gain) or
            failed (timeout, summary_failed, scoring_failed, bad_source: its text or its id cannot be used).
        cache_hit: whether it came from the cache; then no model was asked.
        duration_ms: wall time, milliseconds.
        warnings: what the user should know.
        scorer: how evidence was ranked.
        summariser: name, model and prompt version.
        method: 'extractive', or the model's name.
        config_hash: of what changes the output, 64 hex digits.
        archive_hash: hex under which the source is archived; None where it is not.
        document_id: the library's document, where it is one.
        conversion_version: the version of it.
    """

    source_id: str
    payload: DigestPayload | None
    status: Status
    reason: str | None = None
    cache_hit: bool = False
    duration_ms: float = 0.0
    warnings: tuple[str, ...] = ()
    scorer: str = ""
    summariser: str = ""
    method: str = ""
    config_hash: str = ""
    archive_hash: str | None = None
    document_id: str | None = None
    conversion_version: str | None = None

    @property
    def notes(self) -> dict[str, bool | str]:
        """The private metadata that a digested source carries."""
        notes: dict[str, bool | str] = {"_digest_cache_hit": self.cache_hit}
        if self.archive_hash is not None:
            notes["_digest_archive_hash"] = self.archive_hash
        return notes

    def to_outcome(self) -> DigestOutcome:
        """The same, as the service protocol says it."""
        details = {
            "scorer": self.scorer,
            "summariser": self.summariser,
            "method": self.method,
            "config_hash": self.config_hash,
            "archive_hash": self.archive_hash,
            "document_id": self.document_id,
            "conversion_version": self.conversion_version,
        }
        return DigestOutcome(
            payload=self.payload,
            status=self.status,
            reason=self.reason,
            cache_hit=self.cache_hit,
            duration_ms=self.duration_ms,
            warnings=self.warnings,
            details={name: value for name, value in details.items() if value},
        )
