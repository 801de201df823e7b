"""Digests: a large source compressed for a query, every quotation a slice that anyone can verify.

`digest_document` and `verify_digest` work on the documents of a library. Everything else is a pure function of a canonical
text and a query. What caches, fetches or calls a model is the feature `octavo-digest`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import resolve_locator

from .._lazy import lazily
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

if TYPE_CHECKING:
    from .document_digest import adigest_document, digest_document, verify_digest

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
    "adigest_document",
    "assemble",
    "canonical_html",
    "deserialize_payload",
    "digest_document",
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
    "verify_digest",
]

# What works on a library is imported when it is first used: a digest of a text needs no database.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "adigest_document": "document_digest",
        "digest_document": "document_digest",
        "verify_digest": "document_digest",
    },
)
