"""Many sources at once: which are digested, in which order, within which time (DIG-17, DIG-20, DIG-22)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from octavo.digest import SourceQuality

from .digestor import DocumentDigestor, canonical_of
from .fidelity import FidelityLevel, FidelityRecord, Tokenizer, record_of
from .result import DigestResult
from .source import DigestedSource, Source

_RANK = {SourceQuality.HIGH: 3, SourceQuality.MEDIUM: 2, SourceQuality.LOW: 1, SourceQuality.UNKNOWN: 0}


@dataclass(frozen=True, kw_only=True)
class BatchItem:
    """One source of a batch.

    Attributes:
        source: its digest where there is one, else the source itself: what the host goes on with.
        result: what the digestor answered; None where the source was not selected.
        fidelity: what became of it.
    """

    source: Source | DigestedSource
    result: DigestResult | None
    fidelity: FidelityRecord


def rank_sources(sources: Sequence[Source]) -> list[Source]:
    """By quality, relevance and length, the best first, then by id: the features are those of the raw texts."""
    return sorted(sources, key=lambda source: (-_RANK[source.quality], -source.relevance, -source.size, source.id))


def select_sources(digestor: DocumentDigestor, sources: Sequence[Source]) -> list[Source]:
    """The first eligible ones of the ranking, at most as many as the settings say."""
    chosen: list[Source] = []
    for source in rank_sources(sources):
        if len(chosen) == digestor.config.max_sources:
            break
        if digestor.is_eligible(source):
            chosen.append(source)
    return chosen


async def digest_batch(
    digestor: DocumentDigestor, sources: Sequence[Source], query: str, *, tokenizer: Tokenizer | None = None
) -> list[BatchItem]:
    """Digest the best of some sources; the answer has every source, in the order given.

    Three at a time by default, each with its own deadline, all within `timeout × ceil(n / 3)`; those that the time of
    the batch did not reach stay as they are.

    Args:
        digestor: what digests.
        sources: with ids that differ.
        query: what the summariser is told.
        tokenizer: counts tokens for the fidelity records; characters / 4 where there is none.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    # In a thread: making canonical texts of large pages would hold up the event loop.
    selected = await asyncio.to_thread(select_sources, digestor, sources)
    config = digestor.config
    gate = asyncio.Semaphore(config.max_concurrent)
    results: dict[str, DigestResult] = {}

    async def one(source: Source) -> None:
        async with gate:
            results[source.id] = await digestor.digest(source, query)

    try:
        async with asyncio.timeout(config.timeout * ceil(len(selected) / config.max_concurrent)):
            async with asyncio.TaskGroup() as group:
                for source in selected:
                    group.create_task(one(source))
    except TimeoutError:
        for source in selected:
            results.setdefault(
                source.id, DigestResult(source_id=source.id, payload=None, status="failed", reason="timeout")
            )
    return [_item(source, results.get(source.id), tokenizer) for source in sources]


def _item(source: Source, result: DigestResult | None, tokenizer: Tokenizer | None) -> BatchItem:
    text = canonical_of(source).text
    if source.is_digest:
        # Digested in an earlier iteration: it is what it was then, and is not selected again.
        earlier = record_of(
            source.id, text, payload=None, status="skipped", reason="already_digested", tokenizer=tokenizer
        )
        return BatchItem(source=source, result=result, fidelity=replace(earlier, level=FidelityLevel.DIGEST))
    record = record_of(
        source.id,
        text,
        payload=result.payload if result else None,
        status=result.status if result else "skipped",
        reason=result.reason if result else "not_selected",
        warnings=result.warnings if result else (),
        tokenizer=tokenizer,
    )
    if result is None or result.payload is None:
        return BatchItem(source=source, result=result, fidelity=record)
    return BatchItem(
        source=DigestedSource(source=source, payload=result.payload, notes=result.notes), result=result, fidelity=record
    )
