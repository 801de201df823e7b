"""Which sources are digested (DIG-16)."""

from __future__ import annotations

from enum import StrEnum

from octavo_contracts import IngestionQualityReport, QualityFinding

MIN_CHARS = 10_000
"""Code points from which a source is worth digesting under `auto`."""


class DigestPolicy(StrEnum):
    """When a source is digested; an existing digest never is, in any policy."""

    OFF = "off"
    AUTO = "auto"
    """Long enough, and of high or medium quality."""
    ALWAYS = "always"
    """Anything that has content."""


class SourceQuality(StrEnum):
    """How good a source is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNKNOWN = "unknown"


HIGH_SCORE, MEDIUM_SCORE = 0.8, 0.5
"""A quality report's scores from which a document counts as of high and of medium quality."""


def quality_of(score: float | None) -> SourceQuality:
    """The quality of a document with this score; unknown where nothing was assessed."""
    if score is None:
        return SourceQuality.UNKNOWN
    if score >= HIGH_SCORE:
        return SourceQuality.HIGH
    return SourceQuality.MEDIUM if score >= MEDIUM_SCORE else SourceQuality.LOW


def refusal(
    policy: DigestPolicy, *, chars: int, quality: SourceQuality, digested: bool, min_chars: int = MIN_CHARS
) -> str | None:
    """Why a source is not digested, or None: it is.

    Args:
        policy: the policy.
        chars: length of the canonical text, code points.
        quality: of the source.
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
    """What a digest says of its source: a digest of half a document must not look like one of the whole (DIG-28)."""
    return tuple(
        f"the source{f', page {finding.page}' if finding.page else ''}: {finding.message} [{finding.flag}]"
        for finding in report.findings
        if finding.severity == "degraded" and finding != but
    )
