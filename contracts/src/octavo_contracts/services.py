"""Services: pluggable parts that are not document hooks. A manifest names a factory: `[plugin.services] digestor = "module:factory"`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from ._model import Span
from .digest import DigestPayload
from .graph_intake import GraphIntake
from .ocr import OCRRequest, OCRResult, PageImage


@dataclass(frozen=True, kw_only=True)
class FetchResponse:
    """The response to a `Fetcher.fetch`.

    Attributes:
        url: the last URL, after redirects.
        status: HTTP status.
        media_type: media type sent by the server, without parameters.
        body: the bytes, within the caller's limit.
        headers: the other response headers, names in lower case; of a repeated header, the last value.
    """

    url: str
    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Fetcher(Protocol):
    """Guarded network access: the host applies policy and address checks, and no plugin opens a socket.

    The host passes one to the services that need it. As a service kind it is reserved: no host resolves it yet.
    """

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = 30.0,
    ) -> FetchResponse:
        """Fetch a URL.

        Raises:
            PolicyRefused: the policy, the address or the limits forbid it.
            AuthUnavailable: the server requires credentials.
            ToolUnavailable: the server cannot be reached.
        """


@dataclass(frozen=True, kw_only=True)
class ExtractedField:
    """One literal value with its position in the text.

    Attributes:
        value: the value, normalised if the schema requires it.
        span: position of its verbatim form in the canonical text; None if the tool does not know it.
        method: the engine.
        confidence: 0..1.
    """

    value: JsonValue
    span: Span | None
    method: str
    confidence: float = 0.0


@runtime_checkable
class LiteralExtractor(Protocol):
    """Extracts literal values from a text according to a JSON Schema (CNV-13)."""

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """Return values by field name; omit fields that are not found."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A summary.

    Attributes:
        text: the summary.
        key_points: short statements.
        method: 'extractive', or the model's name.
        spans: for an extractive summary, the position of each of its sentences.
    """

    text: str
    key_points: tuple[str, ...] = ()
    method: str = "extractive"
    spans: tuple[Span, ...] = ()


@runtime_checkable
class Summariser(Protocol):
    """Summarises a text for a query (DIG-18)."""

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """Summarise a canonical text; an empty query summarises it in general."""


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to vectors of equal dimension."""

    @property
    def model_id(self) -> str:
        """Name and version of the model: vectors of different models are not comparable."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of unit length for each text."""


@dataclass(frozen=True, kw_only=True)
class VectorHit:
    """A nearest neighbour.

    Attributes:
        embedding_id: the entry's id.
        score: similarity, higher is nearer.
    """

    embedding_id: str
    score: float


@runtime_checkable
class VectorIndex(Protocol):
    """Stores vectors and finds nearest neighbours (ENG-26)."""

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """Add or replace vectors by id."""

    def remove(self, ids: Sequence[str]) -> None:
        """Remove vectors; unknown ids are ignored."""

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """Return the nearest entries, best first; `among` restricts the ids before the search, not after it."""


@runtime_checkable
class Scorer(Protocol):
    """Ranks chunks for a query (DIG-13, DIG-14)."""

    @property
    def name(self) -> str:
        """Name of the scorer, for example 'keyword/v1'."""

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """Return one score for each chunk, 0..1; 0 for no match."""


@dataclass(frozen=True, kw_only=True)
class DigestOutcome:
    """Result of a digestor.

    Attributes:
        payload: the digest, or None.
        status: 'digested', 'skipped' or 'failed'.
        reason: why it was skipped or failed, for example 'no_gain'.
        cache_hit: whether the digest came from a cache.
        duration_ms: wall time, milliseconds.
        warnings: warnings to the user.
        details: scorer, summariser, method, config hash, document id, conversion version.
    """

    payload: DigestPayload | None
    status: str
    reason: str | None = None
    cache_hit: bool = False
    duration_ms: float = 0.0
    warnings: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Digestor(Protocol):
    """Compresses a canonical text for a query."""

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """Digest a canonical text."""


@dataclass(frozen=True, kw_only=True)
class SearchHit:
    """A result of a search provider.

    Attributes:
        url: URL of the result, or a library's document reference.
        title: its title.
        snippet: excerpt supplied by the provider.
        score: the provider's own score, or None.
    """

    url: str
    title: str
    snippet: str
    score: float | None = None


@runtime_checkable
class SearchProvider(Protocol):
    """Speaks the protocol of one search service (RES-5).

    The host chooses the server, holds the key, retries, limits the rate, caches, normalises and deduplicates URLs, and fuses the results of
    several providers. An adapter builds one request and parses one answer.
    """

    @property
    def name(self) -> str:
        """Name of the provider, for example 'searxng'."""

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """Search once.

        Args:
            query: what to look for.
            base_url: base URL of the service.
            fetcher: network access to `base_url` and nothing else. It retries, and returns answers of status 200 alone.
            key: the service's API key; it never appears in messages or results.
            limit: number of results wanted.

        Returns:
            Results, best first.

        Raises:
            AuthUnavailable: the service rejects the key, or needs one.
            ToolUnavailable: the service cannot be reached, is too busy, or does not follow its API.
            PolicyRefused: the address is not allowed.
        """


@dataclass(frozen=True, kw_only=True)
class CrawledPage:
    """A page as rendered by a browser.

    Attributes:
        url: its URL, after redirects.
        status: the HTTP status that the crawler received.
        body: the rendered page's HTML, UTF-8.
    """

    url: str
    status: int
    body: bytes


@runtime_checkable
class Crawler(Protocol):
    """Renders web pages that a plain fetch does not return completely (CNV-14)."""

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """Render a page.

        Args:
            url: the page; the host has already checked that it is allowed.
            base_url: base URL of the crawler's API.
            fetcher: network access to `base_url` and nothing else.
            key: the crawler's API key.
            timeout: seconds for the whole call.

        Raises:
            PolicyRefused: the crawler's address is not allowed.
            AuthUnavailable: the crawler rejects the key.
            ToolUnavailable: the crawler cannot be reached, or could not render the page.
        """


@runtime_checkable
class RemoteRecogniser(Protocol):
    """Recognises page images with a network service (OCR-1, CNV-15).

    The hook `ocr` runs in a worker, without a network. A remote recogniser runs in the host, after the policy check for
    cloud services: the host passes it the image that a worker rendered, and access to the service's own address.
    """

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
        """Recognise one page.

        Args:
            image: the page; its bytes are sent unchanged, never decoded.
            request: languages and options.
            base_url: base URL of the service's API.
            key: the service's API key; it never appears in messages or results.
            fetcher: network access to `base_url` and nothing else; it ends when the caller cancels or the time is up.
            pause: waits the given number of seconds before the next poll of the service; it ends under the same conditions.

        Raises:
            PolicyRefused: the address is not allowed, or the service redirects to another one.
            AuthUnavailable: the service rejects the key.
            ToolUnavailable: the service cannot be reached, is too busy, or does not follow its API.
            OcrFailed: the service cannot read the image.
            ContentTooLarge: the image or the answer is too large.
            ConversionTimeout: the time ran out.
        """


SERVICE_KINDS: Mapping[str, type] = {
    "crawler": Crawler,
    "digestor": Digestor,
    "embedder": Embedder,
    "fetcher": Fetcher,
    "graph_intake": GraphIntake,
    "literal_extractor": LiteralExtractor,
    "remote_recogniser": RemoteRecogniser,
    "scorer": Scorer,
    "search_provider": SearchProvider,
    "summariser": Summariser,
    "vector_index": VectorIndex,
}
"""Service kind as a manifest names it → the protocol that its objects implement.

A host resolves each kind where it is used, except the reserved kind `fetcher`, for a separate web feature. Until then a host creates its
own fetcher and passes it to the services that need the network; a plugin that offers a reserved kind is listed but not used.
"""
