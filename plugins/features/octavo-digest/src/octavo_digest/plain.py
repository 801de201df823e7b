"""The built-in digestor: evidence and an extractive summary, without plugins, cache or storage."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import Literal

from octavo_contracts import (
    ContractViolation,
    DigestOutcome,
    DigestPayload,
    EvidenceSnippet,
    OctavoError,
    Scorer,
    UsageError,
)
from octavo_text.canonical import CanonicalText
from octavo_text.deadline import DeadlineExceeded, deadline

from .assembly import assemble
from .evidence import DEFAULT_EVIDENCE, EvidenceSettings, find_evidence
from .policy import MIN_CHARS, DigestPolicy, SourceQuality, refusal
from .scoring import DEFAULT_SCORER, scorer_named
from .summarising import METHOD, ExtractiveSummariser

TIMEOUT = 60.0
"""Default timeout of a digest, seconds (DIG-20)."""


@dataclass(frozen=True, kw_only=True)
class PlainDigestor:
    """A `Digestor` of pure functions: the same text and query give the same payload, in any process.

    Attributes:
        scorer: scorer that ranks evidence.
        evidence: settings for evidence.
        policy: which sources are digested.
        min_chars: shortest source under the policy `auto`, code points.
        quality: quality of the given sources, for the policy `auto`.
        timeout: seconds that a digest may take; after that it fails with the reason `timeout`.
    """

    scorer: Scorer = field(default_factory=lambda: scorer_named(DEFAULT_SCORER))
    evidence: EvidenceSettings = DEFAULT_EVIDENCE
    policy: DigestPolicy = DigestPolicy.ALWAYS
    min_chars: int = MIN_CHARS
    quality: SourceQuality = SourceQuality.UNKNOWN
    timeout: float = TIMEOUT

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """Digest a canonical text, in a thread; `source_id` is not used because nothing is stored."""
        return await asyncio.to_thread(self.digest, CanonicalText.from_archive(text), query)

    async def digest_canonical(
        self, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality = SourceQuality.UNKNOWN
    ) -> DigestOutcome:
        """Like `digest_text`, for a text with known blocks and a source of known quality."""
        return await asyncio.to_thread(replace(self, quality=quality).digest, text, query)

    def refusal(self, text: CanonicalText) -> str | None:
        """Return why a text is not digested, or None."""
        return refusal(
            self.policy,
            chars=len(text.text.strip()),
            quality=self.quality,
            digested=DigestPayload.try_parse(text.text) is not None,
            min_chars=self.min_chars,
        )

    def digest(self, text: CanonicalText, query: str) -> DigestOutcome:
        """Digest a canonical text whose blocks may be known.

        Raises:
            UsageError: the text cannot be encoded in UTF-8, so it is not canonical.
            ContractViolation: a plugin's scorer raised, or did not return scores.
        """
        started = time.perf_counter()
        _check_text(text)
        status: Literal["digested", "skipped", "failed"] = "skipped"
        payload, reason = None, self.refusal(text)
        warnings: tuple[str, ...] = ()
        if reason is None:
            try:
                with deadline(self.timeout):
                    payload = self._made(text, query)
                status, reason = ("digested", None) if payload else ("skipped", "no_gain")
            except DeadlineExceeded as error:
                status, reason, warnings = "failed", "timeout", (f"the digest failed: {error}",)
        return DigestOutcome(
            payload=payload,
            status=status,
            reason=reason,
            duration_ms=(time.perf_counter() - started) * 1000,
            warnings=warnings,
            details={"scorer": self.scorer.name, "summariser": METHOD, "method": METHOD},
        )

    def _made(self, text: CanonicalText, query: str) -> DigestPayload | None:
        summary = ExtractiveSummariser().summarise_text(text, query=query)
        return assemble(
            text, query, summary=summary.text, key_points=summary.key_points, evidence=self._evidence(text, query)
        )

    def _evidence(self, text: CanonicalText, query: str) -> tuple[EvidenceSnippet, ...]:
        try:
            return find_evidence(text, query, scorer=self.scorer, settings=self.evidence)
        except (OctavoError, DeadlineExceeded):
            raise
        except Exception as error:  # noqa: BLE001 - dispatch: a scorer may be a plugin's, and fails in its own ways
            # The message may quote the source.
            message = f"the scorer {self.scorer.name} failed: {type(error).__name__}"
            raise ContractViolation(message) from None


def _check_text(text: CanonicalText) -> None:
    try:
        text.text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the text is not canonical: there is a lone surrogate at {error.start}",
            remedy="Make it with octavo_text.canonical.canonicalise",
        ) from None
