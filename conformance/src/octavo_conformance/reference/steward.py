"""The reference of every kind of service that a host calls."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from octavo_contracts import (
    CrawledPage,
    DigestOutcome,
    DigestPayload,
    DocumentGraph,
    EvidenceSnippet,
    ExtractedField,
    Fetcher,
    FetchResponse,
    OCRRequest,
    OCRResult,
    PageImage,
    SearchHit,
    Span,
    Summary,
    ToolUnavailable,
    VectorHit,
    query_hash,
)

SIZE = 64


def words(text: str) -> list[str]:
    """The words of a text."""
    return re.findall(r"\w+", text.lower())


class WordScorer:
    """Shares of the query's words."""

    name = "shares/v1"

    def score(self, query: str, chunks: Sequence[str]) -> list[float]:
        """See `octavo_contracts.Scorer`."""
        wanted = set(words(query))
        return [len(wanted & set(words(chunk))) / len(wanted) if wanted else 0.0 for chunk in chunks]


class WordEmbedder:
    """Counts of words, on axes that their hashes give."""

    model_id = "counts/1"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `octavo_contracts.Embedder`."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        counts = [1.0] + [0.0] * (SIZE - 1)
        for word in words(text):
            counts[int(hashlib.sha256(word.encode()).hexdigest(), 16) % SIZE] += 1.0
        length = math.hypot(*counts)
        return [count / length for count in counts]


class FileIndex:
    """Vectors in a JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}

    def add(self, items: Mapping[str, Sequence[float]]) -> None:
        """See `octavo_contracts.VectorIndex`."""
        self._held.update({key: list(vector) for key, vector in items.items()})
        self._path.write_text(json.dumps(self._held))

    def remove(self, ids: Sequence[str]) -> None:
        """See `octavo_contracts.VectorIndex`."""
        for key in ids:
            self._held.pop(key, None)
        self._path.write_text(json.dumps(self._held))

    def search(
        self, vector: Sequence[float], *, limit: int = 10, among: Sequence[str] | None = None
    ) -> list[VectorHit]:
        """See `octavo_contracts.VectorIndex`."""
        scores = {
            key: sum(one * other for one, other in zip(vector, known, strict=True))
            for key, known in self._held.items()
            if among is None or key in among
        }
        nearest = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return [VectorHit(embedding_id=key, score=score) for key, score in nearest]


class FileGraphs:
    """Graphs of documents in a JSON file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}

    def put(self, document_id: str, graphs: Sequence[DocumentGraph], *, fingerprint: str) -> None:
        """See `octavo_contracts.GraphIntake`."""
        by_context = {graph.context: graph.to_json() for graph in graphs}
        self._held[document_id] = {"fingerprint": fingerprint, "graphs": by_context}
        self._path.write_text(json.dumps(self._held))

    def remove(self, document_ids: Sequence[str]) -> None:
        """See `octavo_contracts.GraphIntake`."""
        for document_id in document_ids:
            self._held.pop(document_id, None)
        self._path.write_text(json.dumps(self._held))

    def held(self) -> Mapping[str, str]:
        """See `octavo_contracts.GraphIntake`."""
        return {document_id: one["fingerprint"] for document_id, one in self._held.items()}

    def read(self, document_id: str, *, context: str) -> DocumentGraph | None:
        """See `octavo_contracts.GraphIntake`."""
        graphs = self._held.get(document_id, {}).get("graphs", {})
        return DocumentGraph.read(graphs[context]) if context in graphs else None


def first_sentence(text: str) -> Span:
    """The span of the first sentence."""
    found = re.search(r"[.!?]", text)
    return Span(start=0, end=found.end() if found else len(text))


class FirstSentence:
    """The first sentence as summary."""

    def summarise(self, text: str, *, query: str | None = None, max_chars: int = 2000) -> Summary:
        """See `octavo_contracts.Summariser`."""
        span = first_sentence(text)
        span = Span(start=0, end=min(span.end, max_chars))
        return Summary(text=text[span.start : span.end], spans=(span,))


def best_sentence(text: str, query: str) -> Span:
    """The span of the sentence with the most words of a query."""
    spans = [Span(start=found.start(), end=found.end()) for found in re.finditer(r"[^\s.!?][^.!?]*[.!?]?", text)]
    wanted = set(words(query))
    return max(spans, key=lambda span: len(wanted & set(words(text[span.start : span.end]))))


class BestSentenceDigestor:
    """The sentence with the most words of the query as summary and evidence."""

    async def digest_text(self, text: str, query: str, *, source_id: str) -> DigestOutcome:
        """See `octavo_contracts.Digestor`."""
        if not text:
            return DigestOutcome(payload=None, status="skipped", reason="no_gain")
        span = best_sentence(text, query)
        said = text[span.start : min(span.end, span.start + 500)]
        snippet = EvidenceSnippet(text=said, locator=f"char:{span.start}-{span.start + len(said)}", relevance_score=1.0)
        payload = DigestPayload(
            query_hash=query_hash(query),
            summary=said,
            key_points=(),
            evidence_snippets=(snippet,),
            original_chars=len(text),
            digest_chars=2 * len(said),
            compression_ratio=min(1.0, 2 * len(said) / len(text)),
            source_text_hash="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
        )
        return DigestOutcome(payload=payload, status="digested")


class LabelledValues:
    """Values that follow their names: 'port: Lisbon'."""

    def extract(self, text: str, schema: Mapping[str, Any]) -> Mapping[str, ExtractedField]:
        """See `octavo_contracts.LiteralExtractor`."""
        found = {}
        for name in schema["properties"]:
            match = re.search(rf"\b{re.escape(name)}: (\S+)", text)
            if match is not None:
                span = Span(start=match.start(1), end=match.end(1))
                found[name] = ExtractedField(value=match[1], span=span, method="labels/1", confidence=0.9)
        return found


def answer_of(fetcher: Fetcher, url: str, *, key: str | None, body: bytes = b"") -> dict[str, Any]:
    """Send a request to a service and return its JSON.

    Raises:
        AuthUnavailable: the service rejects the key; raised by the fetcher.
        ToolUnavailable: the service cannot be reached, or does not follow its API.
    """
    headers = {"authorization": f"Bearer {key}"} if key else {}
    reply: FetchResponse = fetcher.fetch(url, method="POST", body=body, headers=headers)
    try:
        told = json.loads(reply.body) if reply.status == 200 else None
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise ToolUnavailable("the service does not follow its API")
    return told


class JsonCrawler:
    """Asks a crawler that answers with JSON."""

    def crawl(
        self, url: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, timeout: float = 60.0
    ) -> CrawledPage:
        """See `octavo_contracts.Crawler`."""
        told = answer_of(fetcher, f"{base_url}/crawl", key=key, body=json.dumps({"url": url}).encode())
        if not isinstance(told.get("html"), str):
            raise ToolUnavailable("the service returned no page")
        return CrawledPage(url=url, status=200, body=told["html"].encode())


class JsonSearch:
    """Asks a search service that answers with JSON."""

    name = "json"

    def search(
        self, query: str, *, base_url: str, fetcher: Fetcher, key: str | None = None, limit: int = 10
    ) -> list[SearchHit]:
        """See `octavo_contracts.SearchProvider`."""
        told = answer_of(fetcher, f"{base_url}/search", key=key, body=json.dumps({"query": query}).encode())
        hits = told.get("hits")
        if not isinstance(hits, list):
            raise ToolUnavailable("the service returned no results")
        return [SearchHit(url=hit["url"], title=hit["title"], snippet=hit["snippet"]) for hit in hits[:limit]]


class JsonRecogniser:
    """Asks a recogniser that answers with JSON."""

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
        """See `octavo_contracts.RemoteRecogniser`."""
        told = answer_of(fetcher, f"{base_url}/read", key=key, body=image.png)
        if not isinstance(told.get("text"), str):
            raise ToolUnavailable("the service returned no text")
        return OCRResult(
            page_number=image.page_number,
            page_fingerprint=image.page_fingerprint,
            extracted_text=told["text"],
            confidence=0.5,
            method="external",
            processed_at=datetime.now(UTC),
            tool_version="1",
        )


def make_scorer() -> WordScorer:
    """See the manifest."""
    return WordScorer()


def make_embedder() -> WordEmbedder:
    """See the manifest."""
    return WordEmbedder()


def make_vector_index(settings: Mapping[str, Any]) -> FileIndex:
    """See the manifest."""
    return FileIndex(Path(settings["folder"]) / "vectors.json")


def make_graph_intake(settings: Mapping[str, Any]) -> FileGraphs:
    """See the manifest."""
    return FileGraphs(Path(settings["folder"]) / "graphs.json")


def make_summariser() -> FirstSentence:
    """See the manifest."""
    return FirstSentence()


def make_digestor(settings: Mapping[str, Any]) -> BestSentenceDigestor:
    """See the manifest."""
    return BestSentenceDigestor()


def make_extractor() -> LabelledValues:
    """See the manifest."""
    return LabelledValues()


def make_crawler() -> JsonCrawler:
    """See the manifest."""
    return JsonCrawler()


def make_search_provider() -> JsonSearch:
    """Create the search provider."""
    return JsonSearch()


def make_recogniser() -> JsonRecogniser:
    """See the manifest."""
    return JsonRecogniser()
