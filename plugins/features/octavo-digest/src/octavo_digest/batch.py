"""Many sources at once: which are digested, in which order, within which time (DIG-17, DIG-20, DIG-22)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite

from octavo.text.deadline import DeadlineExceeded
from octavo.text.deadline import deadline as seconds

from .digestor import BATCH_DEADLINE, DocumentDigestor, canonical_of
from .fidelity import FidelityLevel, FidelityRecord, Tokenizer, record_of
from .policy import SourceQuality
from .result import DigestResult
from .source import DigestedSource, Source

_RANK = {SourceQuality.HIGH: 3, SourceQuality.MEDIUM: 2, SourceQuality.LOW: 1, SourceQuality.UNKNOWN: 0}
GRACE_SECONDS = 1.0
"""How long after a batch's deadline its digests may take to end, before they are cancelled."""


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
    return sorted(sources, key=_rank)


def select_sources(digestor: DocumentDigestor, sources: Sequence[Source]) -> list[Source]:
    """The first eligible ones of the ranking, at most as many as the settings say.

    A source whose text cannot be made is not among them.
    """
    places, _ = _select(digestor, sources)
    return [sources[place] for place in places]


async def digest_batch(
    digestor: DocumentDigestor, sources: Sequence[Source], query: str, *, tokenizer: Tokenizer | None = None
) -> list[BatchItem]:
    """Digest the best of some sources; the answer has every source, in the order given.

    Three at a time by default, each with its own deadline, all within `timeout × ceil(n / 3)`; those that the time of
    the batch did not reach stay as they are. A source that cannot be digested gives one failure and stops no other.

    Args:
        digestor: what digests.
        sources: the sources.
        query: what the summariser is told.
        tokenizer: counts tokens for the fidelity records; characters / 4 where there is none, or where it fails.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    # In a thread: making canonical texts of large pages would hold up the event loop.
    selected, results = await asyncio.to_thread(_select, digestor, sources)
    config = digestor.config
    gate = asyncio.Semaphore(config.max_concurrent)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + config.timeout * ceil(len(selected) / config.max_concurrent)

    async def one(place: int) -> None:
        async with gate:
            if loop.time() < deadline:
                results[place] = await _digest(digestor, sources[place], query)

    outside = BATCH_DEADLINE.set(deadline)
    try:
        # Each digest ends at the deadline by itself, so that it is told and counted as any other that took too long.
        async with asyncio.timeout_at(deadline + GRACE_SECONDS):
            async with asyncio.TaskGroup() as group:
                for place in selected:
                    group.create_task(one(place))
    except TimeoutError:
        pass
    finally:
        BATCH_DEADLINE.reset(outside)
    for place in selected:
        if place not in results:
            results[place] = digestor.failure(sources[place], TimeoutError(), reason="timeout")
    return [_item(source, results.get(place), tokenizer) for place, source in enumerate(sources)]


def _rank(source: Source) -> tuple[int, float, int, str]:
    # NaN compares with nothing: a sort among it would depend on the order given.
    relevance = source.relevance if isinstance(source.relevance, int | float) and isfinite(source.relevance) else 0.0
    return -_RANK.get(source.quality, 0), -relevance, -source.size, str(source.id)


def _select(digestor: DocumentDigestor, sources: Sequence[Source]) -> tuple[list[int], dict[int, DigestResult]]:
    """Places of the sources to digest, the best first, and the failures of those whose text cannot be made."""
    chosen: list[int] = []
    failures: dict[int, DigestResult] = {}
    for place in sorted(range(len(sources)), key=lambda place: _rank(sources[place])):
        if len(chosen) == digestor.config.max_sources:
            break
        try:
            with seconds(digestor.config.timeout):
                if digestor.is_eligible(sources[place]):
                    chosen.append(place)
        except DeadlineExceeded as error:
            failures[place] = digestor.failure(sources[place], error, reason="timeout")
        except Exception as error:  # noqa: BLE001 - dispatch: a source is the world's, and no shape of it may end a batch
            failures[place] = digestor.failure(sources[place], error)
    return chosen, failures


async def _digest(digestor: DocumentDigestor, source: Source, query: str) -> DigestResult:
    try:
        return await digestor.digest(source, query)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        # Dispatch: whatever goes wrong with one source is its failure, and stops no other.
        return digestor.failure(source, error)


def _item(source: Source, result: DigestResult | None, tokenizer: Tokenizer | None) -> BatchItem:
    try:
        text = canonical_of(source).text
    except Exception:  # noqa: BLE001 - dispatch: it has failed before, and that stands in the result
        text = source.content if isinstance(source.content, str) else ""
    try:
        fidelity = _record(source, text, result, tokenizer)
    except Exception:  # noqa: BLE001 - dispatch: the tokenizer is the host's, and may not take every text
        fidelity = _record(source, text, result, None)
    if source.is_digest or result is None or result.payload is None:
        return BatchItem(source=source, result=result, fidelity=fidelity)
    digested = DigestedSource(source=source, payload=result.payload, notes=result.notes)
    return BatchItem(source=digested, result=result, fidelity=fidelity)


def _record(source: Source, text: str, result: DigestResult | None, tokenizer: Tokenizer | None) -> FidelityRecord:
    if source.is_digest:
        # Digested in an earlier iteration: it is what it was then, and is not selected again.
        earlier = record_of(
            source.id, text, payload=None, status="skipped", reason="already_digested", tokenizer=tokenizer
        )
        return replace(earlier, level=FidelityLevel.DIGEST)
    return record_of(
        source.id,
        text,
        payload=result.payload if result else None,
        status=result.status if result else "skipped",
        reason=result.reason if result else "not_selected",
        warnings=result.warnings if result else (),
        tokenizer=tokenizer,
    )
