"""Digests of large sources for a research host: selection, cache, breaker, deadlines, archive, events and metrics."""

from __future__ import annotations

from octavo.digest import DigestPolicy, SourceQuality, deserialize_payload, serialize_payload

from .batch import BatchItem, digest_batch, rank_sources, select_sources
from .breaker import CircuitBreaker
from .cache import DIGEST_IMPL_VERSION, CacheEntry, CacheKey, DigestCache
from .config import DigestConfig
from .digestor import DocumentDigestor
from .fidelity import FidelityLevel, FidelityRecord, record_of
from .gathering import Gathered, gather
from .hybrid import HybridScorer
from .llm import LlmSettings, LlmSummariser
from .observing import AuditEvent, Metrics
from .pdf import PDFExtractionResult, PDFExtractor
from .result import DigestResult
from .source import DigestedSource, Source, normalise_url, source_id_for

__all__ = [
    "DIGEST_IMPL_VERSION",
    "AuditEvent",
    "BatchItem",
    "CacheEntry",
    "CacheKey",
    "CircuitBreaker",
    "DigestCache",
    "DigestConfig",
    "DigestPolicy",
    "DigestResult",
    "DigestedSource",
    "DocumentDigestor",
    "FidelityLevel",
    "FidelityRecord",
    "Gathered",
    "HybridScorer",
    "LlmSettings",
    "LlmSummariser",
    "Metrics",
    "PDFExtractionResult",
    "PDFExtractor",
    "Source",
    "SourceQuality",
    "deserialize_payload",
    "digest_batch",
    "gather",
    "normalise_url",
    "rank_sources",
    "record_of",
    "select_sources",
    "serialize_payload",
    "source_id_for",
]
