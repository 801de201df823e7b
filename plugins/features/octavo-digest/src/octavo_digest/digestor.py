"""`DocumentDigestor`: digests one source, with cache, circuit breaker and deadline (DIG-16 … DIG-24)."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import TypeVar, cast

from octavo_contracts import (
    DigestOutcome,
    DigestPayload,
    EvidenceSnippet,
    Scorer,
    StorageError,
    Summariser,
    query_hash,
)
from octavo_text.canonical import CanonicalText, canonicalise
from octavo_text.deadline import DeadlineExceeded, deadline

from .archive import Archive, check_source_id
from .assembly import assemble
from .breaker import CircuitBreaker
from .cache import CacheEntry, CacheKey, DigestCache
from .config import DigestConfig
from .evidence import find_evidence
from .flight import SingleFlight
from .markup import canonical_html
from .observing import Metrics, Observer, error_fields
from .policy import SourceQuality, refusal
from .result import DigestResult
from .scoring import scorer_named
from .source import Source
from .summarisers import AsyncSummariser, Offload, called, identity_of, summarise
from .summarising import ExtractiveSummariser

T = TypeVar("T")

HTML = "text/html"
_CANONICAL = "_canonical"
"""Attribute in which a source caches its canonical text."""
BATCH_DEADLINE: ContextVar[float | None] = ContextVar("BATCH_DEADLINE", default=None)
"""Deadline of the running task's batch, in the event loop's time; None outside a batch."""

_PLUGIN_FAILURES = (Exception, asyncio.CancelledError, SystemExit)
"""Exceptions that a plugin's summariser or scorer may raise, including spurious cancellations and exits."""


class DocumentDigestor:
    """Digests sources, with a cache, a circuit breaker and deadlines. Safe for many tasks and threads.

    A source is never changed. Only the running call holds its text: the text is in no attribute, event, metric or error.

    Args:
        summariser: writes the summary; default: extractive.
        config: settings.
        scorer: ranks evidence; default: the one in the settings.
        archive: stores canonical texts; default: according to the settings.
        cache: a shared cache; default: a new one.
        observer: receives events; default: the log.
        clock: a monotonic clock, seconds, for durations and the breaker.
        offload: runs computations outside the event loop.
    """

    def __init__(
        self,
        summariser: Summariser | AsyncSummariser | None = None,
        *,
        config: DigestConfig | None = None,
        scorer: Scorer | None = None,
        archive: Archive | None = None,
        cache: DigestCache | None = None,
        observer: Observer | None = None,
        clock: Callable[[], float] = time.monotonic,
        offload: Offload = asyncio.to_thread,
    ) -> None:
        self.config = config or DigestConfig()
        self.summariser = summariser or ExtractiveSummariser()
        self.scorer = scorer or scorer_named(self.config.scorer)
        if archive is None and self.config.archive_content:
            archive = Archive(self.config.archive_dir, retention_days=self.config.archive_retention_days)
        self.archive = archive
        self.cache = cache if cache is not None else DigestCache()
        self.observer = observer or Observer()
        self.breaker = CircuitBreaker(clock=clock, on_open=self._tell_opened)
        self._clock = clock
        self._offload = offload
        self._flights: SingleFlight[DigestResult] = SingleFlight()

    @property
    def metrics(self) -> Metrics:
        """The metrics of this digestor."""
        return self.observer.metrics

    @property
    def config_hash(self) -> str:
        """Hash of the settings that change a payload (DIG-19)."""
        return self.config.output_hash(scorer=self.scorer.name, summariser=self._identity)

    def is_eligible(self, source: Source) -> bool:
        """True if the policy allows this source to be digested."""
        return self._refusal(source, canonical_of(source)) is None

    def reset_circuit_breaker(self) -> None:
        """Close the circuit breaker; call it at the start of a new iteration."""
        self.breaker.reset()

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """Digest a canonical text (the service `digestor`)."""
        return await self.digest_canonical(CanonicalText.from_archive(text), query, source_id=source_id)

    async def digest_canonical(
        self, text: CanonicalText, query: str, *, source_id: str, quality: SourceQuality = SourceQuality.UNKNOWN
    ) -> DigestOutcome:
        """Like `digest_text`, for a text with known blocks and a source of known quality."""
        return (await self.digest(Source(id=source_id, content=text, quality=quality), query)).to_outcome()

    async def digest(self, source: Source, query: str) -> DigestResult:
        """Digest a source for a query. Failures are in the result and are not raised.

        Args:
            source: the source.
            query: the query for the summariser: the research brief with the sub-query (R-3).

        Raises:
            UsageError: the source's id is not a valid archive folder name; a batch reports it as a failure.
            asyncio.CancelledError: the task was cancelled; nothing was stored.
        """
        started = self._clock()
        try:
            with deadline(self._seconds_left()):
                text = await self._offload(canonical_of, source)
            reason = self._refusal(source, text)
            key = self._key(source, text, query) if reason is None else None
        except DeadlineExceeded as error:
            return self._fail(source, error, started, ())
        except Exception as error:  # noqa: BLE001 - dispatch: a source is the world's, and no shape of it may end a batch
            return self.failure(source, error, started=started)
        if key is None:
            return self._skip(source, reason or "", started)
        if self.archive is not None:
            check_source_id(source.id)
        entry = self.cache.get(key)
        if entry is not None:
            # Archive again: the entry may be from another digestor, and an archived text may have been swept.
            archive_hash, warnings = await self._keep_in_time(source, text)
            return self._complete(source, entry, started, cache_hit=True, archive_hash=archive_hash, warnings=warnings)
        # Full hashes: two keys with the same short form must not share a flight.
        flight = f"{source.id}:{key.content_hash}:{key.structure_hash}:{key.query_hash}:{key.config_hash}"
        result = await self._flights.run(flight, lambda: self._make(source, text, query, key, started))
        return replace(result, document_id=source.document_id, conversion_version=source.conversion_version)

    def failure(
        self, source: Source, error: BaseException, *, reason: str = "bad_source", started: float | None = None
    ) -> DigestResult:
        """Build, report and count the result for a source that could not be processed at all (DIG-22, DIG-24).

        It does not count as an attempt for the breaker, because no model was called.

        Args:
            source: the source.
            error: the cause; only its class and reason code are reported.
            reason: reason of the failure.
            started: start time, by the digestor's clock.
        """
        return self._fail(source, _StepFailed(reason, error), self._clock() if started is None else started, ())

    # -- inside ---------------------------------------------------------------------------------------------

    @property
    def _identity(self) -> str:
        try:
            return identity_of(self.summariser)
        except Exception:  # noqa: BLE001 - dispatch: a summariser is a plugin's; one that has no name fails when it is asked
            return type(self.summariser).__qualname__

    def _refusal(self, source: Source, text: CanonicalText) -> str | None:
        return refusal(
            self.config.policy,
            chars=len(text.text.strip()),
            quality=source.quality,
            digested=source.is_digest or DigestPayload.try_parse(text.text) is not None,
            min_chars=self.config.min_chars,
        )

    async def _make(
        self, source: Source, text: CanonicalText, query: str, key: CacheKey, started: float
    ) -> DigestResult:
        kind = self.breaker.enter()
        if kind is None:
            return self._skip(source, "breaker_open", started)
        failed: bool | None = None
        warnings: tuple[str, ...] = ()
        try:
            self.observer.tell(
                "digest.started",
                source_id=source.id,
                content_size=len(text.text),
                policy=self.config.policy.value,
                query_hash=query_hash(query),
            )
            try:
                # The first ends the waiting, the second the computing threads, which cannot be stopped from outside.
                async with asyncio.timeout_at(self._deadline()):
                    archive_hash, warnings = await self._keep(source, text)
                    with deadline(self._seconds_left()):
                        payload, method = await self._work(text, query)
            except (TimeoutError, _StepFailed) as error:
                failed = True
                return self._fail(source, error, started, warnings)
            if payload is None:
                return self._skip(source, "no_gain", started, warnings)
            failed = False
            entry = CacheEntry(key=key, payload=payload, method=method)
            self.cache.put(entry)
            return self._complete(source, entry, started, cache_hit=False, archive_hash=archive_hash, warnings=warnings)
        finally:
            # A skipped or cancelled attempt says nothing about the service.
            if failed is None:
                self.breaker.leave(kind)
            else:
                self.breaker.record(kind, failed=failed)

    def _deadline(self) -> float:
        """Deadline of work that begins now, in the loop's time: its own, or its batch's if that is earlier."""
        own = asyncio.get_running_loop().time() + self.config.timeout
        of_batch = BATCH_DEADLINE.get()
        return own if of_batch is None else min(own, of_batch)

    def _seconds_left(self) -> float:
        return max(0.0, self._deadline() - asyncio.get_running_loop().time())

    async def _work(self, text: CanonicalText, query: str) -> tuple[DigestPayload | None, str]:
        """Return the payload, or None if it would not shrink the source, and the method of its summary."""
        try:
            summary = await _apart(lambda: summarise(self.summariser, text, query, offload=self._offload))
        except _PLUGIN_FAILURES as error:
            _check_cancelled()
            raise _StepFailed("timeout" if isinstance(error, TimeoutError) else "summary_failed", error) from None
        try:
            evidence: tuple[EvidenceSnippet, ...] = await self._offload(
                called, find_evidence, text, query, scorer=self.scorer, settings=self.config.evidence
            )
        except DeadlineExceeded:
            raise
        except _PLUGIN_FAILURES as error:
            _check_cancelled()
            raise _StepFailed("scoring_failed", error) from None
        payload = assemble(text, query, summary=summary.text, key_points=summary.key_points, evidence=evidence)
        return payload, summary.method

    async def _keep(self, source: Source, text: CanonicalText) -> tuple[str | None, tuple[str, ...]]:
        """Archive the text before digesting it; a failure becomes a warning and does not prevent the digest (R-5)."""
        if self.archive is None:
            return None, ()
        try:
            await self._offload(self.archive.write, source.id, text)
            await self._offload(self.archive.sweep_when_due)
        except StorageError as error:
            return None, (f"the source is not archived, so the digest cannot be verified: {error.message}",)
        return text.sha256, ()

    async def _keep_in_time(self, source: Source, text: CanonicalText) -> tuple[str | None, tuple[str, ...]]:
        """Like `_keep`, for a digest that is already made: it is returned even if archiving takes too long."""
        try:
            async with asyncio.timeout_at(self._deadline()):
                return await self._keep(source, text)
        except TimeoutError:
            return None, ("the source is not archived, so the digest cannot be verified: the archive took too long",)

    def _key(self, source: Source, text: CanonicalText, query: str) -> CacheKey:
        shape = [text.paginated, [(page.start, page.end) for page in text.pages], text.breaks]
        return CacheKey(
            source_id=source.id,
            content_hash=text.sha256,
            query_hash=hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest(),
            config_hash=self.config_hash,
            structure_hash=hashlib.sha256(json.dumps(shape).encode()).hexdigest(),
        )

    def _result(self, source: Source, started: float, **others: object) -> DigestResult:
        made = DigestResult(
            source_id=source.id,
            payload=None,
            status="skipped",
            duration_ms=(self._clock() - started) * 1000,
            scorer=self.scorer.name,
            summariser=self._identity,
            config_hash=self.config_hash,
            document_id=source.document_id,
            conversion_version=source.conversion_version,
        )
        return replace(made, **others)  # type: ignore[arg-type]  # the fields of DigestResult, given by this module alone

    def _complete(
        self,
        source: Source,
        entry: CacheEntry,
        started: float,
        *,
        cache_hit: bool,
        archive_hash: str | None,
        warnings: tuple[str, ...],
    ) -> DigestResult:
        payload = entry.payload
        result = self._result(
            source,
            started,
            payload=payload,
            status="digested",
            cache_hit=cache_hit,
            method=entry.method,
            archive_hash=archive_hash,
            warnings=(*entry.warnings, *warnings),
        )
        self.observer.completed(source.id, result, policy=self.config.policy.value)
        return result

    def _skip(self, source: Source, reason: str, started: float, warnings: tuple[str, ...] = ()) -> DigestResult:
        self.observer.skipped(source.id, reason)
        return self._result(source, started, status="skipped", reason=reason, warnings=warnings)

    def _fail(
        self, source: Source, error: TimeoutError | _StepFailed, started: float, warnings: tuple[str, ...]
    ) -> DigestResult:
        reason, cause = (error.reason, error.error) if isinstance(error, _StepFailed) else ("timeout", error)
        fields = error_fields(cause)
        self.observer.failed(source.id, fields)
        said = f"the digest failed ({reason}: {fields['error_message']}); the source is unchanged"
        return self._result(source, started, status="failed", reason=reason, warnings=(*warnings, said))

    def _tell_opened(self, failures: int, attempts: int) -> None:
        self.observer.tell("digest.circuit_breaker_triggered", window_failures=failures, window_size=attempts)


class _StepFailed(Exception):
    """A step of the work failed; only the class of its exception is reported."""

    def __init__(self, reason: str, error: BaseException) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


def canonical_of(source: Source) -> CanonicalText:
    """Return a source's canonical text; convert plain text or HTML on first use and cache it."""
    if isinstance(source.content, CanonicalText):
        return source.content
    known: CanonicalText | None = vars(source).get(_CANONICAL)
    if known is None:
        known = canonical_html(source.content) if source.content_type == HTML else canonicalise(source.content)
        vars(source)[_CANONICAL] = known  # the content of a frozen source never changes
    return known


async def _apart(work: Callable[[], Awaitable[T]]) -> T:
    """Await a plugin's work in a separate task: a task group that fails in it leaves its task marked as cancelled.

    The task itself creates the coroutine. A deadline may cancel the task before its first step: a coroutine created
    outside would then never be awaited.
    """

    async def settled() -> tuple[T | None, BaseException | None]:
        try:
            return await work(), None
        except _PLUGIN_FAILURES as error:
            return None, error  # an exit raised by a task would end the loop

    made, error = await asyncio.create_task(settled())
    if error is not None:
        raise error
    return cast(T, made)


def _check_cancelled() -> None:
    """Raise the cancellation again if a client turned it into an error of its own."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
