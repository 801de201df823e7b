"""Coverage of sub-queries: what a round added, and how confident the run can be (RES-11, RES-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from octavo_contracts import UsageError

CONFIDENT_FROM = 0.75
"""Confidence from which a run gathers no more, where every sub-query has a source."""
MIN_SOURCES = 2
"""Sources that make a sub-query sufficient."""


@dataclass(frozen=True, kw_only=True)
class QueryCoverage:
    """Coverage of one sub-query.

    Attributes:
        query: the sub-query.
        sources: number of its sources.
        domains: what the sources belong to: hosts of pages; documents of a library.
        is_completed: whether its search has ended.
    """

    query: str
    sources: int
    domains: frozenset[str] = frozenset()
    is_completed: bool = True


def coverage_delta(
    before: Sequence[QueryCoverage], now: Sequence[QueryCoverage], *, number: int, min_sources: int = MIN_SOURCES
) -> str:
    """Say what a round changed, a line for each sub-query.

    Args:
        before: the snapshot of the round before.
        now: the snapshot of this round.
        number: this round.
        min_sources: sources that make a sub-query sufficient.
    """
    known = {one.query: one for one in before}
    lines = [f"Coverage delta (round {number - 1} → {number}):"]
    for one in now:
        verdict = "SUFFICIENT" if one.sources >= min_sources else "STILL INSUFFICIENT"
        earlier = known.get(one.query)
        if earlier is None:
            lines.append(f"- {one.query} [NEW]: {_count(one.sources, 'source')} from this round's directives")
            continue
        added = one.sources - earlier.sources
        if not added:
            lines.append(f"- {one.query}: +0 sources — {verdict}")
            continue
        domains = len(one.domains) - len(earlier.domains)
        lines.append(
            f"- {one.query}: +{_count(added, 'source')}, +{_count(domains, 'domain')} "
            f"(now: {_count(one.sources, 'source')}, {_count(len(one.domains), 'domain')}) — {verdict}"
        )
    return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class ConfidenceWeights:
    """Weights of the factors, of which only the relation matters; at least 0, not all 0."""

    source_adequacy: float = 0.5
    domain_diversity: float = 0.2
    completion_rate: float = 0.3

    def __post_init__(self) -> None:
        values = tuple(vars(self).values())
        if not all(isfinite(value) and value >= 0 for value in values) or not any(values):
            raise UsageError(f"weights must be numbers of at least 0, and not all 0, got {values}")


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """Confidence in the coverage of a question.

    Attributes:
        confidence: weighted mean of the factors, 0..1.
        factors: factor → its value, 0..1.
        dominant_factors: the factors of at least 0.75, the highest first.
        weak_factors: the factors below 0.5, the lowest first.
        should_continue: whether to gather more.
    """

    confidence: float
    factors: Mapping[str, float] = field(default_factory=dict)
    dominant_factors: tuple[str, ...] = ()
    weak_factors: tuple[str, ...] = ()
    should_continue: bool = True


def assess_confidence(
    coverage: Sequence[QueryCoverage],
    *,
    min_sources: int = MIN_SOURCES,
    weights: ConfidenceWeights | None = None,
    threshold: float = CONFIDENT_FROM,
) -> Confidence:
    """Assess the coverage of all sub-queries; without any, nothing is known and gathering continues."""
    if not coverage:
        return Confidence(confidence=0.0)
    count = len(coverage)
    domains = frozenset[str]().union(*(one.domains for one in coverage))
    factors = {
        "source_adequacy": sum(min(1.0, one.sources / min_sources) for one in coverage) / count,
        "domain_diversity": min(1.0, len(domains) / (2 * count)),
        "completion_rate": sum(one.is_completed for one in coverage) / count,
    }
    shares: dict[str, float] = vars(weights or ConfidenceWeights())
    confidence = sum(factors[name] * share for name, share in shares.items()) / sum(shares.values())
    return Confidence(
        confidence=confidence,
        factors=factors,
        dominant_factors=tuple(sorted((n for n in factors if factors[n] >= 0.75), key=lambda n: (-factors[n], n))),
        weak_factors=tuple(sorted((n for n in factors if factors[n] < 0.5), key=lambda n: (factors[n], n))),
        should_continue=confidence < threshold or any(not one.sources for one in coverage),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
