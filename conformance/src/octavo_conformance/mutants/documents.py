"""Results and digests as faulty hosts would write them; each violates one rule."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from octavo_contracts import memory_ref, page_spans, query_hash

from ..evidence import DigestEvidence, ResultEvidence, sha256_of
from .model import DocumentMutant

ZERO = "0" * 64
Data = dict[str, Any]


def _result(target: str, change: Callable[[Data], object], *, variant: str = "a") -> DocumentMutant:
    def spoil(evidence: ResultEvidence) -> ResultEvidence:
        data = copy.deepcopy(evidence.data)
        change(data)
        return replace(evidence, data=data)

    return DocumentMutant(target=target, spoil=spoil, variant=variant)


def _digest(target: str, change: Callable[[Data], object], *, variant: str = "a") -> DocumentMutant:
    def spoil(evidence: DigestEvidence) -> DigestEvidence:
        data = copy.deepcopy(evidence.data)
        change(data)
        return replace(evidence, data=data)

    return DocumentMutant(target=target, spoil=spoil, variant=variant)


def _late_receipt(data: Data) -> None:
    """Add a receipt whose time stamp has a format that readers accept but no writer produces."""
    data["ingestion_status"] = "degraded_complete"
    data["failure_receipts"] = [
        {
            "stage": "classification_failed",
            "reason_code": "source_corrupt",
            "details": "it could not be classified",
            "remedy": "",
            "retry": "manual",
            "plugin": None,
            "timestamp": "2026-01-01 10:00:00+00:00",
        }
    ]


def _another_text(data: Data) -> None:
    data["content_hashes"]["normalized_text_hash"] = ZERO
    data["canonical_text_ref"] = memory_ref(ZERO)


def _not_folded(evidence: ResultEvidence) -> ResultEvidence:
    """Replace the first space by one that canonical texts never contain, and adapt all hashes."""
    assert evidence.canonical is not None
    text = evidence.canonical.replace(" ", "\u00a0", 1)
    data = copy.deepcopy(evidence.data)
    hashes = data["content_hashes"]
    hashes["normalized_text_hash"] = sha256_of(text)
    hashes["page_hashes"] = [sha256_of(span.of(text)) for span in page_spans(text)]
    spans = [chunk["span"] for chunk in data["chunk_manifest"]]
    hashes["chunk_hashes"] = [sha256_of(text[span["start"] : span["end"]]) for span in spans]
    data["canonical_text_ref"] = memory_ref(sha256_of(text))
    return replace(evidence, data=data, canonical=text)


RESULTS = (
    _result("OC-SCHEMA-101", lambda data: data.pop("chunk_manifest")),
    _result("OC-SCHEMA-101", lambda data: data.update(document_type=7), variant="b"),
    _result("OC-SCHEMA-102", lambda data: data.update(ingestion_status="hard_failed")),
    _result("OC-SCHEMA-102", lambda data: data["quality_report"].update(user_visible_status="failed"), variant="b"),
    _result("OC-SCHEMA-103", lambda data: data.update(confidence=1.0)),
    _result("OC-SCHEMA-103", lambda data: data["page_anchor_map"][0].update(text_length=4), variant="b"),
    _result("OC-SCHEMA-104", _late_receipt),
    _result("OC-SCHEMA-105", lambda data: data.update(contract_version="9.0")),
    _result("OC-SCHEMA-106", lambda data: data.update(original_artifact_ref="ftp://example.org/a.pdf")),
    _result("OC-SCHEMA-106", lambda data: data.update(normalized_content_ref=memory_ref(ZERO)), variant="b"),
    _result("OC-SCHEMA-107", lambda data: data.update(document_id="00000000-0000-5000-8000-000000000000")),
    _result(
        "OC-PAGE-101",
        lambda data: data["page_anchor_map"][0].update(text_end=data["page_anchor_map"][0]["text_end"] - 1),
    ),
    _result("OC-PAGE-101", lambda data: data["page_anchor_map"].pop(), variant="b"),
    _result("OC-PAGE-102", lambda data: data["page_anchor_map"][-1].update(markdown_end=10**6)),
    _result("OC-PAGE-103", lambda data: data["content_hashes"]["page_hashes"].__setitem__(0, ZERO)),
    _result("OC-SPAN-101", _another_text),
    DocumentMutant(target="OC-SPAN-102", spoil=_not_folded),
    _result("OC-SPAN-103", lambda data: data["chunk_manifest"][-1]["span"].update(end=10**6)),
    _result("OC-SPAN-104", lambda data: data["content_hashes"]["chunk_hashes"].__setitem__(0, ZERO)),
    _result("OC-SPAN-105", lambda data: data["chunk_manifest"][0].update(page=3)),
)

_SENTENCES = (
    "The harbour office keeps a record of every ship that enters the bay.",
    "Each entry names the captain 🚀, the cargo and the hour of arrival.",
    "Storms are noted in the margin with the height of the tide.",
)


def good_digest() -> DigestEvidence:
    """Return a digest that follows the whole contract, with the archived text that it was made from."""
    page = " ".join(_SENTENCES)
    archive = f"{page}\n\n---PAGE 2---\n\n{page}"
    first, second = page.index(_SENTENCES[1]), page.index(_SENTENCES[2])
    snippets = [
        {"text": _SENTENCES[1], "locator": f"page:2:char:{first}-{first + len(_SENTENCES[1])}", "relevance_score": 0.5},
        {
            "text": _SENTENCES[2],
            "locator": f"page:1:char:{second}-{second + len(_SENTENCES[2])}",
            "relevance_score": 0.25,
        },
    ]
    summary = "The harbour office keeps a record of every ship."
    size = len(summary) + len(_SENTENCES[1]) + len(_SENTENCES[2])
    data: Data = {
        "version": "1.0",
        "content_type": "digest/v1",
        "query_hash": query_hash("ships"),
        "summary": summary,
        "key_points": [],
        "evidence_snippets": snippets,
        "original_chars": len(archive),
        "digest_chars": size,
        "compression_ratio": round(size / len(archive), 6),
        "source_text_hash": f"sha256:{sha256_of(archive)}",
    }
    return DigestEvidence(data=data, archive=archive)


def _snippet(**change: object) -> Callable[[Data], object]:
    return lambda data: data["evidence_snippets"][0].update(change)


def _repeated_snippet(data: Data) -> None:
    """Repeat a snippet, with sums that agree."""
    snippets = data["evidence_snippets"]
    snippets.insert(1, snippets[0])
    _count(data, len(snippets[0]["text"]))


def _one_invented_word(evidence: DigestEvidence) -> DigestEvidence:
    """Replace a word of a summary that is extracted, as the digest's outcome says."""
    data = copy.deepcopy(evidence.data)
    data["summary"] = data["summary"].replace("harbour", "bankers")
    return replace(evidence, data=data, method="extractive")


def _count(data: Data, more: int) -> None:
    data["digest_chars"] += more
    data["compression_ratio"] = round(data["digest_chars"] / data["original_chars"], 6)


DIGESTS = (
    _digest("OC-DIG-001", lambda data: data.pop("summary")),
    _digest("OC-DIG-001", lambda data: data.update(query_hash="XYZ"), variant="b"),
    _digest("OC-DIG-002", lambda data: data.update(scorer="keyword/v1")),
    _digest("OC-DIG-003", _snippet(locator="chars 10 to 20")),
    _digest("OC-DIG-003", _snippet(locator="char:0-5"), variant="b"),
    _digest("OC-DIG-004", lambda data: data.update(source_text_hash=f"sha256:{ZERO}")),
    _digest("OC-DIG-005", _snippet(text=_SENTENCES[1].replace("names", "NAMES"))),
    _digest("OC-DIG-005", _snippet(text=_SENTENCES[1][:-1] + "…"), variant="b"),
    _digest("OC-DIG-006", lambda data: data.update(digest_chars=data["digest_chars"] + 9)),
    _digest("OC-DIG-007", lambda data: data.update(compression_ratio=0.9)),
    _digest("OC-DIG-008", lambda data: data["evidence_snippets"].reverse()),
    _digest("OC-DIG-008", _snippet(relevance_score=0.50000004), variant="b"),
    DocumentMutant(target="OC-DIG-009", spoil=lambda evidence: replace(evidence, archive=None, searched=True)),
    _digest("OC-DIG-010", _repeated_snippet),
    DocumentMutant(target="OC-DIG-011", spoil=_one_invented_word),
    _digest("OC-DIG-012", lambda data: data.update(query_hash="00000000")),
    DocumentMutant(
        target="OC-DIG-012", spoil=lambda evidence: replace(evidence, query="what do seals eat?"), variant="b"
    ),
)
