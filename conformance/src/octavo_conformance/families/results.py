"""OC-SCHEMA, OC-SPAN and OC-PAGE for an `IngestionResult` as JSON, from any host in any language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from octavo.documents.ids import document_id_for
from octavo_contracts import (
    CONTRACT_VERSION,
    IngestionResult,
    RefScheme,
    host_accepts,
    page_spans,
    parse_ref,
)
from octavo_contracts.schema import load_schema
from octavo_text.canonical import fold

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import ResultEvidence, sha256_of
from ..schemas import first_violation

_RESULT = ("OC-SCHEMA-101",)
_READ = ("OC-SCHEMA-102",)


@check("OC-SCHEMA-101", scope="result", level=1, spec=("ENG-19",))
def result_fits_its_schema(evidence: ResultEvidence) -> None:
    """The JSON validates against the committed schema of IngestionResult.

    Fix:
    Compare with `octavo schema ingestion-result`; write every field, including null ones.
    """
    violation = first_violation(evidence.data, load_schema("ingestion_result"))
    if violation:
        raise Broken("the result does not match the schema", expected="a valid IngestionResult", actual=violation)


@check("OC-SCHEMA-102", scope="result", level=1, spec=("ENG-19", "ENG-23"), requires=_RESULT)
def status_and_content_agree(evidence: ResultEvidence) -> None:
    """References, chunks, anchors and receipts match the status: on `hard_failed` a receipt, and nothing of the content.

    Fix:
    On `hard_failed` write null references, no chunks, no anchors, and at least one failure receipt.
    """
    status = evidence.result.ingestion_status
    shown = evidence.result.quality_report.user_visible_status
    degraded = bool(evidence.result.quality_report.degraded_flags or evidence.result.failure_receipts)
    wanted = {"hard_failed": ("failed",), "complete": ("ok",), "degraded_complete": ("degraded", "ok")}[status]
    if shown not in wanted or (status != "hard_failed" and degraded != (status == "degraded_complete")):
        raise Broken(
            "status and report disagree",
            expected=f"{status} with {' or '.join(wanted)}",
            actual=f"{shown}, degraded: {degraded}",
        )


@check("OC-SCHEMA-103", scope="result", level=1, spec=("ENG-19",), requires=_READ)
def unknown_fields_stand_apart(evidence: ResultEvidence) -> None:
    """Data that the contract does not define is under `extensions` and nowhere else.

    Fix:
    Move the field to `extensions` under a key that starts with the producer's name.
    """
    known = json.loads(evidence.result.to_json())
    expect_none(list(_unknown(evidence.data, known)), "unknown fields", expected="only under extensions")


def _unknown(data: Any, known: Any, path: str = "") -> Iterator[str]:
    if isinstance(data, dict) and isinstance(known, dict):
        for key, value in data.items():
            here = f"{path}.{key}".lstrip(".")
            if key not in known:
                yield here
            elif key not in ("extensions", "fields"):
                yield from _unknown(value, known[key], here)
    elif isinstance(data, list) and isinstance(known, list):
        for index, (item, other) in enumerate(zip(data, known, strict=False)):
            yield from _unknown(item, other, f"{path}[{index}]")


@check("OC-SCHEMA-104", scope="result", level=1, spec=("ENG-19",), requires=_READ)
def result_survives_json(evidence: ResultEvidence) -> None:
    """Reading the result and writing it again changes no value.

    Fix:
    Write numbers, dates and texts in the formats of the schema; no duplicate keys, no NaN.
    """
    again = json.loads(evidence.result.to_json())
    twice = json.loads(IngestionResult.read(again).to_json())
    changed = [key for key, value in again.items() if key in evidence.data and not _equal(evidence.data[key], value)]
    expect_none(changed, "fields that a round trip changes")
    expect_equal(twice, again, "a second round trip")


def _equal(given: Any, read: Any) -> bool:
    """Whether two JSON values agree where both speak; a date may be written with Z or +00:00, absent fields are defaults."""
    if isinstance(given, dict) and isinstance(read, dict):
        return all(_equal(value, read[key]) for key, value in given.items() if key in read)
    if isinstance(given, list) and isinstance(read, list):
        return len(given) == len(read) and all(map(_equal, given, read))
    if isinstance(given, str) and isinstance(read, str):
        return given.replace("+00:00", "Z") == read.replace("+00:00", "Z")
    return bool(given == read)


@check("OC-SCHEMA-105", scope="result", level=1, spec=("ENG-19",), requires=_RESULT)
def contract_is_known(evidence: ResultEvidence) -> None:
    """The suite supports the contract version of the result.

    Fix:
    Write the version of the contract that the host was built with.
    """
    version = evidence.data.get("contract_version")
    if version is None or not host_accepts(version):
        raise Broken(
            "the contract version is not supported", expected=f"{CONTRACT_VERSION} or an older minor", actual=version
        )


@check("OC-SCHEMA-106", scope="result", level=1, spec=("ENG-19", "STO-1"), requires=_READ)
def references_parse(evidence: ResultEvidence) -> None:
    """References have the form file:, store:, memory: or url:, and memory: references have the hash of their content.

    Fix:
    Build references with octavo_contracts.file_ref, store_ref and memory_ref.
    """
    result = evidence.result
    named = {
        result.original_artifact_ref: result.content_hashes.raw_file_hash,
        result.canonical_text_ref: result.content_hashes.normalized_text_hash,
        result.normalized_content_ref: None if evidence.markdown is None else sha256_of(evidence.markdown),
        result.conversion_artifact_ref: None,
    }
    for ref, digest in named.items():
        if ref is None:
            continue
        try:
            parsed = parse_ref(ref)
        except ValueError as error:
            raise Broken("a reference is malformed", expected="file:, store:, memory: or url:", actual=ref) from error
        if parsed.scheme is RefScheme.MEMORY and digest is not None:
            expect_equal(parsed.value, f"sha256:{digest}", "the hash in a reference")


@check("OC-SCHEMA-107", scope="result", level=1, spec=("ENG-19",), requires=_READ)
def equal_bytes_equal_id(evidence: ResultEvidence) -> None:
    """The document id is derived from the hash of the bytes, so that equal bytes have equal ids everywhere.

    Fix:
    Derive the id as in decision record 0002: a UUID from the raw file hash.
    """
    raw = evidence.result.content_hashes.raw_file_hash
    if raw is not None and evidence.result.document_id is not None:
        expect_equal(evidence.result.document_id, document_id_for(raw), "the document id")


@check("OC-PAGE-101", scope="result", level=1, spec=("CNV-12", "DIG-7"), requires=_READ, reads="canonical")
def anchors_are_the_pages(evidence: ResultEvidence) -> None:
    """The anchors are the pages of the canonical text: 1..n, in order, including empty pages, without gaps.

    Fix:
    Count code points from the start of canonical.txt; a separator belongs to no page.
    """
    if evidence.canonical is None or not evidence.anchors:
        return
    spans = [(span.start, span.end) for span in page_spans(evidence.canonical)]
    expect_equal(
        [(a.text_start, a.text_end) for a in evidence.anchors], spans, "the positions of the pages in canonical.txt"
    )


@check("OC-PAGE-102", scope="result", level=1, spec=("CNV-12",), requires=_READ)
def anchors_agree_both_ways(evidence: ResultEvidence) -> None:
    """Mapping a page to its offset and back gives the same page, in both texts, and offsets are inside the texts.

    Fix:
    Write markdown offsets as code points of converted.md, in the order of the pages.
    """
    pages = evidence.result.page_anchor_map
    for anchor in evidence.anchors:
        if anchor.text_end > anchor.text_start:
            expect_equal(pages.page_at(anchor.text_start), anchor.page, "the page at the start of a page")
        if anchor.markdown_end > anchor.markdown_start:
            expect_equal(
                pages.page_at_markdown(anchor.markdown_start), anchor.page, "the page at the start in markdown"
            )
    if evidence.markdown is not None and evidence.anchors:
        end, size = evidence.anchors[-1].markdown_end, len(evidence.markdown)
        if end > size:
            raise Broken("an anchor is outside converted.md", expected=f"at most {size}", actual=end)


@check("OC-PAGE-103", scope="result", level=1, spec=("STO-4",), requires=("OC-PAGE-101",), reads="canonical")
def page_hashes_fit(evidence: ResultEvidence) -> None:
    """The page hashes are those of the page bodies, in order.

    Fix:
    Hash each page's canonical body in UTF-8, without its separator.
    """
    hashes = list(evidence.result.content_hashes.page_hashes)
    if evidence.canonical is not None and hashes:
        bodies = [span.of(evidence.canonical) for span in page_spans(evidence.canonical)]
        expect_equal(hashes, [sha256_of(body) for body in bodies], "the page hashes")


@check("OC-SPAN-101", scope="result", level=1, spec=("DIG-8", "STO-4"), requires=_READ, reads="canonical")
def the_text_is_the_one_hashed(evidence: ResultEvidence) -> None:
    """`normalized_text_hash`, if it is given, is the SHA-256 of canonical.txt in UTF-8.

    Fix:
    Hash exactly the archived bytes, without line end conversion.
    """
    if evidence.canonical is not None:
        found = evidence.result.content_hashes.normalized_text_hash
        if found is None or (evidence.result.ingestion_status == "hard_failed" and not evidence.canonical):
            return
        expect_equal(found, sha256_of(evidence.canonical), "normalized_text_hash")


@check("OC-SPAN-102", scope="result", level=1, spec=("DIG-6", "DIG-8"), requires=("OC-SPAN-101",), reads="canonical")
def the_text_is_canonical(evidence: ResultEvidence) -> None:
    """canonical.txt is canonical: NFC, white space collapsed, trimmed, no NUL, no lone surrogates.

    Fix:
    Canonicalise each page before joining; canonicalising again must change nothing.
    """
    for number, span in enumerate(page_spans(evidence.canonical or ""), start=1):
        body = span.of(evidence.canonical or "")
        expect_equal(body, fold(body), f"the body of page {number}")


@check("OC-SPAN-103", scope="result", level=1, spec=("DIG-12", "STO-15"), requires=_READ)
def chunks_are_in_order(evidence: ResultEvidence) -> None:
    """Chunks are in order without overlap, and end within the text: code points, not UTF-16 units.

    Fix:
    Count code points; track offsets instead of searching for them.
    """
    at = 0
    size = None if evidence.canonical is None else len(evidence.canonical)
    for chunk in evidence.result.chunk_manifest:
        if chunk.span.start < at:
            raise Broken(
                f"chunk {chunk.chunk_id} overlaps", expected=f"start at {at} or later", actual=chunk.span.start
            )
        at = chunk.span.end
        if size is not None and at > size:
            raise Broken(f"chunk {chunk.chunk_id} ends outside the text", expected=f"at most {size}", actual=at)


@check(
    "OC-SPAN-104",
    scope="result",
    level=1,
    spec=("STO-4", "DIG-12"),
    requires=("OC-SPAN-101", "OC-SPAN-103"),
    reads="canonical",
)
def chunks_are_what_was_hashed(evidence: ResultEvidence) -> None:
    """Each chunk's slice of canonical.txt has the hash listed for it.

    Fix:
    Hash `canonical[start:end]` in UTF-8, in the order of the chunks.
    """
    hashes = list(evidence.result.content_hashes.chunk_hashes)
    if evidence.canonical is not None and hashes:
        text = evidence.canonical
        found = [sha256_of(chunk.span.of(text)) for chunk in evidence.result.chunk_manifest]
        expect_equal(hashes, found, "the chunk hashes")


@check(
    "OC-SPAN-105",
    scope="result",
    level=1,
    spec=("DIG-12", "R-7"),
    requires=("OC-SPAN-103", "OC-PAGE-101", "OC-PAGE-102"),
)
def chunks_tile_their_page(evidence: ResultEvidence) -> None:
    """A chunk is on the page that it names, and crosses no page boundary.

    Fix:
    Cut page by page; name the page whose anchor contains the span.
    """
    for chunk in evidence.result.chunk_manifest:
        if chunk.page is None:
            continue
        if chunk.page > len(evidence.anchors):
            raise Broken(
                f"chunk {chunk.chunk_id} names no existing page",
                expected=f"1..{len(evidence.anchors)}",
                actual=chunk.page,
            )
        anchor = evidence.anchors[chunk.page - 1]
        if not anchor.text_start <= chunk.span.start <= chunk.span.end <= anchor.text_end:
            place = f"within {anchor.text_start}-{anchor.text_end}, page {chunk.page}"
            raise Broken(
                f"chunk {chunk.chunk_id} is not within its page",
                expected=place,
                actual=f"{chunk.span.start}-{chunk.span.end}",
            )
