"""Results whose parts contradict each other, their texts, or their original; each violates one rule."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from octavo.documents.ids import document_id_for
from octavo.documents.source import hash_file
from octavo_contracts import memory_ref

from ..evidence import ResultEvidence
from ..vectors.stored import VERSION
from .model import DocumentMutant

ZERO = "0" * 64
Data = dict[str, Any]


def vector_file(path: str) -> Path:
    """Return the file of a golden vector."""
    return Path(str(resources.files("octavo_conformance.vectors").joinpath(VERSION, path)))


def _result(
    target: str,
    change: Callable[[Data], object],
    *,
    variant: str = "a",
    original: str | None = None,
    co_failures: Mapping[str, str] | None = None,
) -> DocumentMutant:
    def spoil(evidence: ResultEvidence) -> ResultEvidence:
        data = copy.deepcopy(evidence.data)
        change(data)
        return replace(evidence, data=data, original=vector_file(original) if original else evidence.original)

    return DocumentMutant(target=target, spoil=spoil, variant=variant, co_failures=co_failures or {})


def _classified(**change: object) -> Callable[[Data], None]:
    """Give the result a classification that is right but for a change."""

    def classify(data: Data) -> None:
        data["classification"] = {
            "category": "plaintext",
            "classification_confidence": 0.9,
            "page_count": 3,
            "media_type": "text/html",
            "decided_by": "automatic",
        } | change

    return classify


def _report(**change: object) -> Callable[[Data], None]:
    return lambda data: data["quality_report"].update(change)


def _lossy(data: Data) -> None:
    data["quality_report"]["findings"][0]["flag"] = "partial_conversion"
    data["quality_report"].update(degraded_flags=["partial_conversion"], quality_score=1.0)


def _of_another_file(digest: str) -> Callable[[Data], None]:
    """Make bytes with a hash the original of the result, consistently."""

    def rename(data: Data) -> None:
        data["content_hashes"]["raw_file_hash"] = digest
        data["document_id"] = document_id_for(digest)
        data["original_artifact_ref"] = data["quality_report"]["source_ref"] = memory_ref(digest)

    return rename


def _without_anchors(data: Data) -> None:
    data["page_anchor_map"] = []
    data["content_hashes"]["page_hashes"] = data["content_hashes"]["page_hashes"][:1]
    data["quality_report"]["findings"][0]["page"] = 1
    for chunk in data["chunk_manifest"]:
        chunk.update(page=None, markdown_span=None)


def _without_chunks(data: Data) -> None:
    data["chunk_manifest"], data["content_hashes"]["chunk_hashes"] = [], []


def _moved_markdown(by: int) -> Callable[[Data], None]:
    """Move the end of page 1 and the start of its neighbours in converted.md."""

    def move(data: Data) -> None:
        first, second, third = data["page_anchor_map"]
        first["markdown_end"] -= by
        for place in ("markdown_start", "markdown_end"):
            second[place] -= by
        third["markdown_start"] -= by
        for chunk in data["chunk_manifest"]:
            chunk["markdown_span"] = None

    return move


def _start_off(data: Data) -> None:
    data["page_anchor_map"][0]["markdown_start"] += 1
    data["chunk_manifest"][0]["markdown_span"] = None


def _same_id(data: Data) -> None:
    data["chunk_manifest"][1]["chunk_id"] = data["chunk_manifest"][0]["chunk_id"]


def _embedded(*ids: str) -> Callable[[Data], None]:
    def embed(data: Data) -> None:
        for chunk, name in zip(data["chunk_manifest"], ids, strict=True):
            chunk["embedding_id"] = name

    return embed


AGREEMENT = (
    _result(
        "OC-SCHEMA-108",
        lambda data: data["content_hashes"]["page_hashes"].pop(),
        co_failures={"OC-PAGE-103": "where the text is known, the hash that is missing is missed there too"},
    ),
    _result(
        "OC-SCHEMA-108",
        lambda data: data["content_hashes"]["chunk_hashes"].pop(),
        variant="b",
        co_failures={"OC-SPAN-104": "where the text is known, the hash that is missing is missed there too"},
    ),
    _result("OC-SCHEMA-109", _report(source_ref="file:///other.pdf")),
    _result("OC-SCHEMA-109", _report(conversion_artifact_ref=memory_ref(ZERO)), variant="b"),
    _result("OC-SCHEMA-110", _report(selected_tool="somebody")),
    _result("OC-SCHEMA-110", lambda data: data.update(attempts=[]), variant="b"),
    _result("OC-SCHEMA-111", _lossy),
    _result("OC-SCHEMA-111", _report(user_visible_status="ok"), variant="b"),
    _result(
        "OC-SCHEMA-111",
        lambda data: (
            data["quality_report"].update(degraded_flags=[], user_visible_status="ok"),
            data.update(ingestion_status="complete"),
        ),
        variant="c",
    ),
    _result("OC-SCHEMA-112", _classified(page_count=7)),
    _result("OC-SCHEMA-112", lambda data: data["quality_report"]["findings"][0].update(page=99), variant="b"),
    _result(
        "OC-SCHEMA-112",
        _report(ocr_confidence_summary={"applied": True, "page_confidences": {"99": 0.9}}),
        variant="c",
    ),
    _result(
        "OC-SCHEMA-112",
        _report(ocr_confidence_summary={"applied": True, "page_confidences": {"first": 0.9}}),
        variant="d",
    ),
    _result("OC-SCHEMA-113", _classified(category="word")),
    _result("OC-SCHEMA-113", _classified(category="pdf_text"), variant="b"),
    _result("OC-SCHEMA-114", _of_another_file(ZERO), original="csv/ships.csv"),
    _result(
        "OC-SCHEMA-114",
        lambda data: (
            _of_another_file(hash_file(vector_file("html/article.html")) or ZERO)(data),
            _classified()(data),
            data["content_hashes"].update(normalized_binary_hash=ZERO),
        ),
        original="html/article.html",
        variant="b",
    ),
    _result(
        "OC-SCHEMA-115",
        lambda data: (
            _of_another_file(hash_file(vector_file("png/printed.png")) or ZERO)(data),
            _classified()(data),
        ),
        original="png/printed.png",
    ),
    _result("OC-SPAN-106", _same_id),
    _result("OC-SPAN-106", lambda data: data["chunk_manifest"][0].update(chunk_id="0" * 24), variant="b"),
    _result("OC-SPAN-106", _embedded("7", "7"), variant="c"),
    _result("OC-SPAN-106", _embedded("no id\x00", "7"), variant="d"),
    _result("OC-SPAN-107", _without_chunks),
    _result(
        "OC-SPAN-107",
        lambda data: (data["chunk_manifest"].pop(), data["content_hashes"]["chunk_hashes"].pop()),
        variant="b",
    ),
    _result("OC-SPAN-108", lambda data: data["chunk_manifest"][0].update(markdown_span={"start": 0, "end": 5})),
    _result("OC-SPAN-108", lambda data: data["chunk_manifest"][1].update(markdown_span={"start": 0, "end": 9}), variant="b"),
    DocumentMutant(target="OC-SPAN-109", spoil=lambda evidence: replace(evidence, canonical=None, searched=True)),
    _result(
        "OC-PAGE-104",
        _without_anchors,
        co_failures={"OC-PAGE-103": "the one hash that is left is that of the first page, not of the whole text"},
    ),
    _result("OC-PAGE-105", _start_off),
    _result("OC-PAGE-105", _moved_markdown(30), variant="b"),
)  # fmt: skip
