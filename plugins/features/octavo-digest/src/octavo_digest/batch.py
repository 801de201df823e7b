"""Digests batches of sources: selection, order and deadlines (DIG-17, DIG-20, DIG-22)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite

from octavo_text.deadline import DeadlineExceeded
from octavo_text.deadline import deadline as seconds

from .digestor import BATCH_DEADLINE, DocumentDigestor, canonical_of
from .fidelity import FidelityLevel, FidelityRecord, Tokenizer, record_of
from .policy import SourceQuality
from .result import DigestResult
from .source import DigestedSource, Source

_RANK = {SourceQuality.HIGH: 3, SourceQuality.MEDIUM: 2, SourceQuality.LOW: 1, SourceQuality.UNKNOWN: 0}
GRACE_SECONDS = 1.0
"""Seconds after a batch's deadline before digests that still run are cancelled."""


@dataclass(frozen=True, kw_only=True)
class BatchItem:
    """One source of a batch.

    Attributes:
        source: its digest if there is one, else the source itself: the host continues with this.
        result: the digestor's result; None if the source was not selected.
        fidelity: its fidelity record.
    """

    source: Source | DigestedSource
    result: DigestResult | None
    fidelity: FidelityRecord


def rank_sources(sources: Sequence[Source]) -> list[Source]:
    """Sort sources by quality, relevance and length of the raw texts, best first, then by id."""
    return sorted(sources, key=_rank)


def select_sources(digestor: DocumentDigestor, sources: Sequence[Source]) -> list[Source]:
    """Return the first eligible sources of the ranking, up to the maximum in the settings.

    Sources whose canonical text cannot be made are excluded.
    """
    places, _ = _select(digestor, sources)
    return [sources[place] for place in places]


async def digest_batch(
    digestor: DocumentDigestor, sources: Sequence[Source], query: str, *, tokenizer: Tokenizer | None = None
) -> list[BatchItem]:
    """Digest the best sources of a batch; return an item for every source, in the given order.

    By default three sources are digested concurrently, each with its own deadline, all within `timeout × ceil(n / 3)`;
    sources not reached within the batch's time stay unchanged. A failing source does not affect the others.

    Args:
        digestor: the digestor.
        sources: the sources.
        query: the query for the summariser.
        tokenizer: counts tokens for the fidelity records; characters / 4 if there is none or it fails.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    # In a thread: canonicalising large pages would block the event loop.
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
        # Each digest stops at the deadline itself, so that it is reported and counted like any other timeout.
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
    # NaN does not compare: sorting with it would depend on the given order.
    relevance = source.relevance if isinstance(source.relevance, int | float) and isfinite(source.relevance) else 0.0
    return -_RANK.get(source.quality, 0), -relevance, -source.size, str(source.id)


def _select(digestor: DocumentDigestor, sources: Sequence[Source]) -> tuple[list[int], dict[int, DigestResult]]:
    """Return the indices of the sources to digest, best first, and failures of sources whose text cannot be made."""
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
        # Dispatch: any error with one source is a failure of that source and does not affect others.
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
        # Digested in an earlier iteration: it stays unchanged and is not selected again.
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
