"""Policy that selects the sources to digest (DIG-16)."""

from __future__ import annotations

from enum import StrEnum

from octavo_contracts import IngestionQualityReport, QualityFinding

MIN_CHARS = 10_000
"""Minimum length of a source under the policy `auto`, code points."""


class DigestPolicy(StrEnum):
    """When a source is digested; under no policy is a digest digested again."""

    OFF = "off"
    AUTO = "auto"
    """Long enough, and of high or medium quality."""
    ALWAYS = "always"
    """Any source with content."""


class SourceQuality(StrEnum):
    """Quality of a source."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNKNOWN = "unknown"


HIGH_SCORE, MEDIUM_SCORE = 0.8, 0.5
"""Minimum quality scores for high and for medium quality."""


def quality_of(score: float | None) -> SourceQuality:
    """Return the quality for a score; unknown if nothing was assessed."""
    if score is None:
        return SourceQuality.UNKNOWN
    if score >= HIGH_SCORE:
        return SourceQuality.HIGH
    return SourceQuality.MEDIUM if score >= MEDIUM_SCORE else SourceQuality.LOW


def refusal(
    policy: DigestPolicy, *, chars: int, quality: SourceQuality, digested: bool, min_chars: int = MIN_CHARS
) -> str | None:
    """Return why a source is not digested, or None if it is.

    Args:
        policy: the policy.
        chars: length of the canonical text, code points.
        quality: quality of the source.
        digested: whether it is a digest already.
        min_chars: shortest source under `auto`.

    Returns:
        'already_digested', 'policy_off', 'no_content', 'not_eligible' or None.
    """
    if digested:
        return "already_digested"
    if policy is DigestPolicy.OFF:
        return "policy_off"
    if chars == 0:
        return "no_content"
    good = quality in (SourceQuality.HIGH, SourceQuality.MEDIUM)
    if policy is DigestPolicy.AUTO and not (chars >= min_chars and good):
        return "not_eligible"
    return None


def quality_warnings(report: IngestionQualityReport, *, but: QualityFinding | None = None) -> tuple[str, ...]:
    """Return warnings about the source: a digest of a partial document must not look complete (DIG-28)."""
    return tuple(
        f"the source{f', page {finding.page}' if finding.page else ''}: {finding.message} [{finding.flag}]"
        for finding in report.findings
        if finding.severity == "degraded" and finding != but
    )
