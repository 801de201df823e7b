"""Services as their callers get them: each call goes through the guard, and each answer is checked.

There is one class for each kind of service that runs in the host. An attribute that the protocol of the kind does not have
is the service's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, cast

from octavo_contracts import (
    CrawledPage,
    Crawler,
    Digestor,
    DigestOutcome,
    DocumentGraph,
    Embedder,
    Fetcher,
    GraphIntake,
    OCRRequest,
    OCRResult,
    PageImage,
    RemoteRecogniser,
    Scorer,
    Summariser,
    Summary,
    VectorHit,
    VectorIndex,
)

from . import service_answers as answers
from .service_guard import ServiceGuard

GRACE_SECONDS = 5.0
"""Time after a caller's own deadline in which a service can end its call with an error of its own."""


class GuardedService:
    """A service behind its guard.

    Args:
        service: the service.
        guard: its guard.
    """

    def __init__(self, service: Any, guard: ServiceGuard) -> None:
        self._service = service
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._service, name)

    def within(self, seconds: float) -> Self:
        """Return the same service with another deadline for its calls."""
        return type(self)(self._service, replace(self._guard, seconds=seconds))

    def _name(self, attribute: str, *, what: str) -> str:
        return self._guard.call(lambda: answers.checked_name(getattr(self._service, attribute), what=what))


class GuardedScorer(GuardedService):
    """See `octavo_contracts.Scorer`."""

    _service: Scorer

    @property
    def name(self) -> str:
        """Name of the scorer."""
        return self._name("name", what="name")

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return one score for each chunk."""
        return self._guard.call(lambda: answers.checked_scores(self._service.score(query, chunks), count=len(chunks)))


class GuardedEmbedder(GuardedService):
    """See `octavo_contracts.Embedder`."""

    _service: Embedder

    @property
    def model_id(self) -> str:
        """Name and version of the model."""
        return self._name("model_id", what="model")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""
        return self._guard.call(lambda: answers.checked_vectors(self._service.embed(texts), count=len(texts)))


class GuardedSelectiveEmbedder(GuardedEmbedder):
    """An embedder that excludes texts; see `octavo.plugins.vector_tools.SelectiveEmbedder`."""

    def reads(self, text: str) -> bool:
        """Return whether a vector of this text is meaningful."""
        return self._guard.call(lambda: bool(cast(Any, self._service).reads(text)))


class GuardedVectorIndex(GuardedService):
    """See `octavo_contracts.VectorIndex`."""

    _service: VectorIndex

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """Add or replace vectors by id."""
        self._guard.call(lambda: self._service.add(items))

    def remove(self, ids: Sequence[str]) -> None:
        """Remove vectors."""
        self._guard.call(lambda: self._service.remove(ids))

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """Return the nearest entries, best first."""

        def work() -> list[VectorHit]:
            answer = self._service.search(vector, limit=limit, among=among)
            return answers.checked_hits(answer, limit=limit)

        return self._guard.call(work)


class GuardedGraphIntake(GuardedService):
    """See `octavo_contracts.GraphIntake`."""

    _service: GraphIntake

    def put(self, document_id: str, graphs: Sequence[DocumentGraph], *, fingerprint: str) -> None:
        """Replace everything that is held of a document."""
        self._guard.call(lambda: self._service.put(document_id, graphs, fingerprint=fingerprint))

    def remove(self, document_ids: Sequence[str]) -> None:
        """Remove everything that is held of documents."""
        self._guard.call(lambda: self._service.remove(document_ids))

    def held(self) -> Mapping[str, str]:
        """Return the held documents with their fingerprints."""
        return self._guard.call(lambda: answers.checked_held(self._service.held()))

    def read(self, document_id: str, *, context: str) -> DocumentGraph | None:
        """Return the graph that a policy context has of a document."""

        def work() -> DocumentGraph | None:
            answer = self._service.read(document_id, context=context)
            return answers.checked_graph(answer, document_id=document_id, context=context)

        return self._guard.call(work)


class GuardedDigestor(GuardedService):
    """See `octavo_contracts.Digestor`."""

    _service: Digestor

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """Digest a canonical text."""

        async def work() -> DigestOutcome:
            answer = await self._service.digest_text(text, query, source_id=source_id)
            return answers.checked_digest(answer, text=text, query=query)

        return await self._guard.await_(work)


class GuardedStructuredDigestor(GuardedDigestor):
    """A digestor that also uses the structure of the text."""

    async def digest_canonical(self, text: Any, query: str, *, source_id: str, **more: Any) -> DigestOutcome:
        """Digest a canonical text with its structure."""

        async def work() -> DigestOutcome:
            service = cast(Any, self._service)
            answer = await service.digest_canonical(text, query, source_id=source_id, **more)
            return answers.checked_digest(answer, text=text.text, query=query)

        return await self._guard.await_(work)


class GuardedSummariser(GuardedService):
    """See `octavo_contracts.Summariser`."""

    _service: Summariser

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """Summarise a canonical text."""

        def work() -> Summary:
            answer = self._service.summarise(text, query=query, max_chars=max_chars)
            return answers.checked_summary(answer, text=text, max_chars=max_chars)

        return self._guard.call(work)


class GuardedCrawler(GuardedService):
    """See `octavo_contracts.Crawler`."""

    _service: Crawler

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """Render a page."""
        return self._guard.call(
            lambda: answers.checked_page(
                self._service.crawl(url, base_url=base_url, fetcher=fetcher, key=key, timeout=timeout)
            ),
            seconds=min(self._guard.seconds, timeout + GRACE_SECONDS),
        )


class GuardedRecogniser(GuardedService):
    """See `octavo_contracts.RemoteRecogniser`."""

    _service: RemoteRecogniser

    def recognise(
        self,
        image: PageImage,
        request: OCRRequest,
        *,
        base_url: str,
        key: str,
        fetcher: Fetcher,
        pause: Callable[[float], None],
    ) -> OCRResult:
        """Recognise one page."""

        def work() -> OCRResult:
            answer = self._service.recognise(image, request, base_url=base_url, key=key, fetcher=fetcher, pause=pause)
            return answers.checked_recognition(answer)  # the host enters the page that it asked for

        return self._guard.call(work)


_KINDS: Mapping[str, type[GuardedService]] = {
    "crawler": GuardedCrawler,
    "digestor": GuardedDigestor,
    "embedder": GuardedEmbedder,
    "graph_intake": GuardedGraphIntake,
    "remote_recogniser": GuardedRecogniser,
    "scorer": GuardedScorer,
    "summariser": GuardedSummariser,
    "vector_index": GuardedVectorIndex,
}
_WITH_MORE: Mapping[str, tuple[str, type[GuardedService]]] = {
    "digestor": ("digest_canonical", GuardedStructuredDigestor),
    "embedder": ("reads", GuardedSelectiveEmbedder),
}
"""Kind → a method that its protocol does not have, and the class of services that have it."""


def guarded(service: Any, guard: ServiceGuard) -> Any:
    """Put a service behind its guard; a kind that no host calls in its own process is returned as it is."""
    method, larger = _WITH_MORE.get(guard.kind, ("", GuardedService))
    if method and callable(getattr(service, method, None)):
        return larger(service, guard)
    kind = _KINDS.get(guard.kind)
    return service if kind is None else kind(service, guard)
