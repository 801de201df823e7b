"""Digests: large sources compressed for a query, with verifiable quotations.

`digest_document` and `verify_in_library` work on the documents of a library. `DocumentDigestor`, `digest_batch` and `gather`
serve a research host: selection, cache, circuit breaker, deadlines, archive, events and metrics. Their building blocks
are pure functions of a canonical text and a query, such as `assemble` and `find_evidence`.
`octavo_contracts.verify_digest` verifies a digest without this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .archive import Archive
    from .assembly import assemble, shorten
    from .batch import BatchItem, digest_batch, rank_sources, select_sources
    from .breaker import CircuitBreaker
    from .cache import DIGEST_IMPL_VERSION, CacheEntry, CacheKey, DigestCache
    from .config import DigestConfig
    from .digestor import DocumentDigestor
    from .document_digest import adigest_document, digest_document, verify_in_library
    from .evidence import EvidenceSettings, find_evidence, locate
    from .fidelity import FidelityLevel, FidelityRecord, record_of
    from .folder_cache import FolderCache
    from .gathering import Gathered, gather
    from .hybrid import HybridScorer
    from .llm import LlmSummariser
    from .markup import canonical_html
    from .model_settings import LlmSettings
    from .observing import AuditEvent, Metrics, Observer
    from .pdf import PDFExtractionResult, PDFExtractor
    from .plain import PlainDigestor
    from .policy import DigestPolicy, SourceQuality, quality_of, refusal
    from .result import DigestResult
    from .scoring import DEFAULT_SCORER, SCORERS, Bm25Scorer, KeywordScorer, scorer_named
    from .source import DigestedSource, Source, normalise_url, source_id_for
    from .summarising import ExtractiveSummariser, ExtractiveSummary, extract_sentences
    from .wire import deserialize_payload, serialize_payload

__all__ = [
    "DEFAULT_SCORER",
    "DIGEST_IMPL_VERSION",
    "SCORERS",
    "Archive",
    "AuditEvent",
    "BatchItem",
    "Bm25Scorer",
    "CacheEntry",
    "CacheKey",
    "CircuitBreaker",
    "DigestCache",
    "DigestConfig",
    "DigestPolicy",
    "DigestResult",
    "DigestedSource",
    "DocumentDigestor",
    "EvidenceSettings",
    "ExtractiveSummariser",
    "ExtractiveSummary",
    "FidelityLevel",
    "FidelityRecord",
    "FolderCache",
    "Gathered",
    "HybridScorer",
    "KeywordScorer",
    "LlmSettings",
    "LlmSummariser",
    "Metrics",
    "Observer",
    "PDFExtractionResult",
    "PDFExtractor",
    "PlainDigestor",
    "Source",
    "SourceQuality",
    "adigest_document",
    "assemble",
    "canonical_html",
    "deserialize_payload",
    "digest_batch",
    "digest_document",
    "extract_sentences",
    "find_evidence",
    "gather",
    "locate",
    "normalise_url",
    "quality_of",
    "rank_sources",
    "record_of",
    "refusal",
    "scorer_named",
    "select_sources",
    "serialize_payload",
    "shorten",
    "source_id_for",
    "verify_in_library",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Archive": "archive",
        "AuditEvent": "observing",
        "BatchItem": "batch",
        "Bm25Scorer": "scoring",
        "CacheEntry": "cache",
        "CacheKey": "cache",
        "CircuitBreaker": "breaker",
        "DEFAULT_SCORER": "scoring",
        "DIGEST_IMPL_VERSION": "cache",
        "DigestCache": "cache",
        "FolderCache": "folder_cache",
        "DigestConfig": "config",
        "DigestPolicy": "policy",
        "DigestResult": "result",
        "DigestedSource": "source",
        "DocumentDigestor": "digestor",
        "EvidenceSettings": "evidence",
        "ExtractiveSummariser": "summarising",
        "ExtractiveSummary": "summarising",
        "FidelityLevel": "fidelity",
        "FidelityRecord": "fidelity",
        "Gathered": "gathering",
        "HybridScorer": "hybrid",
        "KeywordScorer": "scoring",
        "LlmSettings": "model_settings",
        "LlmSummariser": "llm",
        "Metrics": "observing",
        "Observer": "observing",
        "PDFExtractionResult": "pdf",
        "PDFExtractor": "pdf",
        "PlainDigestor": "plain",
        "SCORERS": "scoring",
        "Source": "source",
        "SourceQuality": "policy",
        "adigest_document": "document_digest",
        "assemble": "assembly",
        "canonical_html": "markup",
        "deserialize_payload": "wire",
        "digest_batch": "batch",
        "digest_document": "document_digest",
        "extract_sentences": "summarising",
        "find_evidence": "evidence",
        "gather": "gathering",
        "locate": "evidence",
        "normalise_url": "source",
        "quality_of": "policy",
        "rank_sources": "batch",
        "record_of": "fidelity",
        "refusal": "policy",
        "scorer_named": "scoring",
        "select_sources": "batch",
        "serialize_payload": "wire",
        "shorten": "assembly",
        "source_id_for": "source",
        "verify_in_library": "document_digest",
    },
)
