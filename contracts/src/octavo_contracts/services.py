"""What is pluggable but no document hook. A manifest names a factory: `[plugin.services] digestor = "module:factory"`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from ._model import Span
from .digest import DigestPayload
from .ocr import OCRRequest, OCRResult, PageImage


@dataclass(frozen=True, kw_only=True)
class FetchResponse:
    """What came back from the one way out.

    Attributes:
        url: the last URL, after redirects.
        status: HTTP status.
        media_type: as the server says, without parameters.
        body: the bytes, within the caller's limit.
        headers: what else the server says, by names in lower case; of a name that stands there twice, the last.
    """

    url: str
    status: int
    media_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Fetcher(Protocol):
    """The guarded way to the network: the host applies policy and address checks, no plugin opens a socket.

    The host gives it to the services that need it. As a service kind it is reserved: no host resolves it yet.
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
            AuthUnavailable: the server wants credentials.
            ToolUnavailable: the server cannot be reached.
        """


@dataclass(frozen=True, kw_only=True)
class ExtractedField:
    """One literal value with the place it was read from.

    Attributes:
        value: the value, normalised where the schema asks for it.
        span: where in the canonical text its verbatim form stands; None where the tool cannot tell.
        method: the engine.
        confidence: 0..1.
    """

    value: JsonValue
    span: Span | None
    method: str
    confidence: float = 0.0


@runtime_checkable
class LiteralExtractor(Protocol):
    """Reads literal values from a text by a JSON Schema (CNV-13)."""

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """Values by field name; a field that is not found is left out."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A summary.

    Attributes:
        text: the summary.
        key_points: short statements.
        method: 'extractive', or the model's name.
        spans: for an extractive summary, where each of its sentences stands.
    """

    text: str
    key_points: tuple[str, ...] = ()
    method: str = "extractive"
    spans: tuple[Span, ...] = ()


@runtime_checkable
class Summariser(Protocol):
    """Summarises for a query (DIG-18)."""

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """Summarise a canonical text; an empty query summarises it in general."""


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to vectors of one length."""

    @property
    def model_id(self) -> str:
        """Name and version of the model: vectors of different models do not mix."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector a text, each of unit length."""


@dataclass(frozen=True, kw_only=True)
class VectorHit:
    """A neighbour.

    Attributes:
        embedding_id: the entry.
        score: similarity, higher is nearer.
    """

    embedding_id: str
    score: float


@runtime_checkable
class VectorIndex(Protocol):
    """Keeps vectors and finds neighbours (ENG-26)."""

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """Add or replace vectors by id."""

    def remove(self, ids: Sequence[str]) -> None:
        """Remove vectors; unknown ids are ignored."""

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """The nearest, best first; `among` restricts the ids before the search, not after it."""


@runtime_checkable
class Scorer(Protocol):
    """Ranks chunks for a query (DIG-13, DIG-14)."""

    @property
    def name(self) -> str:
        """For example 'keyword/v1'."""

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """A score a chunk, 0..1, 0 for no match."""


@dataclass(frozen=True, kw_only=True)
class DigestOutcome:
    """What a digestor did.

    Attributes:
        payload: the digest, or None.
        status: 'digested', 'skipped' or 'failed'.
        reason: why it was skipped or failed, for example 'no_gain'.
        cache_hit: whether it came from a cache.
        duration_ms: wall time, milliseconds.
        warnings: what the user should know.
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
        url: where, or a library's document reference.
        title: its title.
        snippet: what the provider shows of it.
        score: the provider's own score, or None.
    """

    url: str
    title: str
    snippet: str
    score: float | None = None


@runtime_checkable
class SearchProvider(Protocol):
    """Finds sources for a question (RES-5). Reserved: no host resolves it yet."""

    @property
    def name(self) -> str:
        """For example 'corpus'."""

    async def search(self, query: str, *, limit: int = 10) -> list[SearchHit]:
        """Results, best first."""


@dataclass(frozen=True, kw_only=True)
class CrawledPage:
    """A page as a browser shows it.

    Attributes:
        url: where it came from, after redirects.
        status: the HTTP status that the crawler got.
        body: the rendered page's HTML, UTF-8.
    """

    url: str
    status: int
    body: bytes


@runtime_checkable
class Crawler(Protocol):
    """Renders web pages that a plain fetch does not show whole (CNV-14)."""

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """Have a page rendered.

        Args:
            url: the page; the host has allowed it.
            base_url: where the crawler answers.
            fetcher: the way to `base_url`, and to nothing else.
            key: the crawler's API key.
            timeout: seconds for everything together.

        Raises:
            PolicyRefused: the crawler's address is not allowed.
            AuthUnavailable: it wants another key.
            ToolUnavailable: it cannot be reached, or could not render the page.
        """


@runtime_checkable
class RemoteRecogniser(Protocol):
    """Has page images recognised by a service across the network (OCR-1, CNV-15).

    The hook `ocr` runs where there is no network. This runs in the host, after the gate to cloud services: the host gives
    it the picture that a worker drew, and a way to the service's own address.
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
        """Have one page recognised.

        Args:
            image: the page; its bytes are sent as they are, never decoded.
            request: languages and options.
            base_url: where the service answers.
            key: the service's API key; it stands in no message and no result.
            fetcher: the way to `base_url`, and to nothing else; it ends when the caller cancels or the time is over.
            pause: waits so many seconds before the service is asked again, and ends likewise.

        Raises:
            PolicyRefused: the address is not allowed, or the service leads elsewhere.
            AuthUnavailable: it wants another key.
            ToolUnavailable: it cannot be reached, is too busy, or does not answer as its API says.
            OcrFailed: it cannot read the picture.
            ContentTooLarge: the picture, or the answer, is too large.
            ConversionTimeout: the time was over first.
        """


SERVICE_KINDS: Mapping[str, type] = {
    "crawler": Crawler,
    "digestor": Digestor,
    "embedder": Embedder,
    "fetcher": Fetcher,
    "literal_extractor": LiteralExtractor,
    "remote_recogniser": RemoteRecogniser,
    "scorer": Scorer,
    "search_provider": SearchProvider,
    "summariser": Summariser,
    "vector_index": VectorIndex,
}
"""Service kind as a manifest names it → the protocol its objects fulfil.

A host resolves each kind where it is used, but for two that are reserved: `search_provider`, for the research feature to
come, and `fetcher`, for a web feature of its own. Until then a host makes its fetcher itself and hands it to the services
that need the network; a plugin that offers one of the two is listed, and not asked.
"""
