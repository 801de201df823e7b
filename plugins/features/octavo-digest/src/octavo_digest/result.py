"""The result of a digestor (DIG-23)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from octavo_contracts import DigestOutcome, DigestPayload

Status = Literal["digested", "skipped", "failed"]


@dataclass(frozen=True, kw_only=True)
class DigestResult:
    """The result for one source. It records how the digest was made, which the payload never does.

    Attributes:
        source_id: the source.
        payload: the digest, or None.
        status: 'digested', 'skipped' or 'failed'.
        reason: why it was skipped (not_eligible, already_digested, policy_off, breaker_open, no_content, no_gain) or
            failed (timeout, summary_failed, scoring_failed, bad_source: its text or its id is invalid).
        cache_hit: whether it came from the cache; then no model was called.
        duration_ms: wall time, milliseconds.
        warnings: warnings to the user.
        scorer: scorer that ranked the evidence.
        summariser: name, model and prompt version.
        method: 'extractive', or the model's name.
        config_hash: hash of the settings that change the output, 64 hex digits.
        archive_hash: hash under which the source is archived, hex; None if it is not.
        document_id: id of the library's document, if it is one.
        conversion_version: the document's version.
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
        """The private metadata of a digested source."""
        notes: dict[str, bool | str] = {"_digest_cache_hit": self.cache_hit}
        if self.archive_hash is not None:
            notes["_digest_archive_hash"] = self.archive_hash
        return notes

    def to_outcome(self) -> DigestOutcome:
        """Convert to the result type of the service protocol."""
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
