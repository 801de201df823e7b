"""Digests: a large source compressed for a query, every quotation a slice that anyone can verify.

Everything here is a pure function of a canonical text and a query. What keeps, caches, fetches or calls a model is the
feature `octavo-digest`.
"""

from __future__ import annotations

from octavo_contracts import resolve_locator

from .archive import Archive
from .assembly import assemble, shorten
from .evidence import EvidenceSettings, find_evidence, locate
from .markup import canonical_html
from .plain import PlainDigestor
from .policy import DigestPolicy, SourceQuality, quality_of, refusal
from .scoring import DEFAULT_SCORER, SCORERS, Bm25Scorer, KeywordScorer, scorer_named
from .summarising import ExtractiveSummariser, ExtractiveSummary, extract_sentences
from .verifying import Difference, Verification, verify
from .wire import deserialize_payload, serialize_payload

__all__ = [
    "DEFAULT_SCORER",
    "SCORERS",
    "Archive",
    "Bm25Scorer",
    "Difference",
    "DigestPolicy",
    "EvidenceSettings",
    "ExtractiveSummariser",
    "ExtractiveSummary",
    "KeywordScorer",
    "PlainDigestor",
    "SourceQuality",
    "Verification",
    "assemble",
    "canonical_html",
    "deserialize_payload",
    "extract_sentences",
    "find_evidence",
    "locate",
    "quality_of",
    "refusal",
    "resolve_locator",
    "scorer_named",
    "serialize_payload",
    "shorten",
    "verify",
]
