"""Novelty, coverage, confidence, budgets and inventories, with the numbers of the seeds (RES-8, RES-10 to RES-12, RES-14)."""

from __future__ import annotations

import math

import pytest
from octavo_contracts import UsageError
from octavo_research.coverage import ConfidenceWeights, QueryCoverage, assess_confidence, coverage_delta
from octavo_research.evidence_inventory import InventorySource, evidence_inventory
from octavo_research.message_budget import Message, within_budget
from octavo_research.novelty import NoveltyTag, novelty, novelty_header, shingles, tag_of

PAGE = " ".join(f"word{number}" for number in range(400))


@pytest.mark.parametrize(
    ("similarity", "tag"),
    [
        (0.0, NoveltyTag.NEW),
        (0.299, NoveltyTag.NEW),
        (0.3, NoveltyTag.RELATED),
        (0.7, NoveltyTag.RELATED),
        (0.701, NoveltyTag.DUPLICATE),
        (1.0, NoveltyTag.DUPLICATE),
    ],
)
def test_the_bands_of_novelty_are_those_of_the_seed(similarity: float, tag: NoveltyTag) -> None:
    assert tag_of(similarity) is tag


def test_an_excerpt_of_an_earlier_page_is_a_duplicate_and_the_page_of_an_earlier_excerpt_is_not() -> None:
    excerpt = " ".join(PAGE.split()[100:150])
    assert novelty(shingles(excerpt), {"page": shingles(PAGE)}).tag is NoveltyTag.DUPLICATE
    assert novelty(shingles(PAGE), {"excerpt": shingles(excerpt)}).tag is NoveltyTag.NEW


def test_labels_and_header_are_written_as_in_the_seed() -> None:
    half = f"{' '.join(PAGE.split()[:50])} {' '.join(f'other{number}' for number in range(50))}"
    related = novelty(shingles(half), {"a": shingles("nothing alike"), "page": shingles(PAGE)})
    assert (related.tag, related.nearest, related.label("The page")) == ("related", "page", "[RELATED: The page]")
    assert novelty(shingles("one more text"), {"page": shingles(PAGE)}).label("") == "[NEW]"
    assert novelty(shingles(PAGE), {"page": shingles(PAGE)}).label("") == "[DUPLICATE]"
    tags = [NoveltyTag.NEW, NoveltyTag.RELATED, NoveltyTag.NEW, NoveltyTag.DUPLICATE]
    assert novelty_header(tags) == "Novelty: 2 new, 1 related, 1 duplicate out of 4 results"
    assert novelty_header([]) == "Novelty: 0 new, 0 related, 0 duplicate out of 0 results"


def covered(query: str, sources: int, domains: int, *, is_completed: bool = True) -> QueryCoverage:
    names = frozenset(f"{query}{number}" for number in range(domains))
    return QueryCoverage(query=query, sources=sources, domains=names, is_completed=is_completed)


def test_the_coverage_delta_reads_as_in_the_seed() -> None:
    before = [covered("query_1", 2, 2), covered("query_2", 1, 1)]
    now = [covered("query_1", 4, 3), covered("query_2", 1, 1), covered("query_3", 1, 1)]
    assert coverage_delta(before, now, number=2).splitlines() == [
        "Coverage delta (round 1 → 2):",
        "- query_1: +2 sources, +1 domain (now: 4 sources, 3 domains) — SUFFICIENT",
        "- query_2: +0 sources — STILL INSUFFICIENT",
        "- query_3 [NEW]: 1 source from this round's directives",
    ]


@pytest.mark.parametrize(
    ("coverage", "factors"),
    [
        ([covered("a", 2, 2), covered("b", 1, 2)], (0.75, 1.0, 1.0)),
        ([covered("a", 9, 1), covered("b", 0, 0, is_completed=False)], (0.5, 0.25, 0.5)),
        ([covered("a", 0, 0)], (0.0, 0.0, 1.0)),
    ],
)
def test_confidence_is_the_weighted_mean_of_the_seeds_three_factors(
    coverage: list[QueryCoverage], factors: tuple[float, float, float]
) -> None:
    weights = ConfidenceWeights(source_adequacy=3, domain_diversity=1, completion_rate=2)
    found = assess_confidence(coverage, weights=weights)
    assert tuple(found.factors.values()) == factors
    expected = (3 * factors[0] + factors[1] + 2 * factors[2]) / 6
    assert math.isclose(found.confidence, expected)


def test_gathering_stops_at_the_threshold_where_every_query_has_a_source() -> None:
    full = [covered("a", 2, 2), covered("b", 2, 2)]
    assert not assess_confidence(full).should_continue
    assert assess_confidence([*full, covered("c", 2, 2), covered("d", 2, 2), covered("e", 0, 2)]).should_continue
    assert assess_confidence([covered("a", 1, 1)]).should_continue
    assert not assess_confidence([covered("a", 1, 1)], threshold=0.5).should_continue
    assert assess_confidence([]).should_continue
    weak = assess_confidence([covered("a", 9, 1), covered("b", 1, 0)])
    assert (weak.dominant_factors, weak.weak_factors) == (("completion_rate", "source_adequacy"), ("domain_diversity",))


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_weights_are_numbers_of_at_least_zero(value: float) -> None:
    with pytest.raises(UsageError, match="weights"):
        ConfidenceWeights(source_adequacy=value)


def history() -> list[Message]:
    told: list[Message] = []
    for number in range(6):
        told.append(Message(kind="think", content=f"think {number} " + "t" * 292))
        told.append(Message(kind="delegation", content=f"delegate {number} " + "d" * 189, call_id=f"c{number}"))
        told.append(
            Message(kind="evidence_inventory", content=f"inventory {number} " + "i" * 288, call_id=f"c{number}")
        )
        told.append(
            Message(kind="research_findings", content=f"findings {number} " + "f " * 1000, call_id=f"c{number}")
        )
    return told


@pytest.mark.parametrize("limit", [200, 1_000, 3_000, 5_000, 8_000])
def test_the_newest_two_thinks_stay_and_a_call_stays_with_its_results(limit: int) -> None:
    kept = within_budget(history(), limit=limit)
    assert [one.content[:7] for one in kept if one.kind == "think"][-2:] == ["think 4", "think 5"]
    delegated = {one.call_id for one in kept if one.kind == "delegation"}
    assert {one.call_id for one in kept if one.kind == "research_findings"} <= delegated
    always = 600
    assert sum(len(one.content) for one in kept) <= max(limit, always)


def test_reasoning_has_sixty_percent_and_findings_are_shortened_before_they_go() -> None:
    """RES-10."""
    kept = within_budget(history(), limit=8_000)
    reasoning = sum(len(one.content) for one in kept if one.is_reasoning)
    findings = [one for one in kept if one.kind == "research_findings"]
    assert reasoning <= 4_800
    assert findings
    assert all(len(one.content) <= 400 for one in findings)
    assert findings[-1].content.startswith("findings 5")
    inventories = [one.content[:11] for one in kept if one.kind == "evidence_inventory"]
    assert len(inventories) < len(findings), "the oldest inventories go before findings"
    assert within_budget(history(), limit=10**6) == history()


def test_an_inventory_is_written_as_in_the_seed_and_has_at_most_500_characters() -> None:
    """RES-14, RES-22."""
    sources = [
        InventorySource(
            title="Title A", domain="example.com", covers=("pricing", "features"), key_points=4, evidence=2
        ),
        InventorySource(
            title="Title B", domain="docs.example.com", covers=("API reference",), key_points=3, evidence=1
        ),
    ]
    assert evidence_inventory(sources).splitlines() == [
        "Sources: 2 found, 2 unique domains",
        '- [1] "Title A" (example.com) — covers: pricing, features',
        '- [2] "Title B" (docs.example.com) — covers: API reference',
        "Key data points: 7 extracted, 3 quotations",
    ]
    many = evidence_inventory(sources * 40)
    assert len(many) <= 500
    assert "more" in many
