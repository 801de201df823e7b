"""OC-SCHEMA-108 … for an `IngestionResult` as JSON: its report, hashes and chunks agree with each other and the original."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256

from octavo.documents.source import Source
from octavo.formats.detection import HEAD_BYTES, media_type_of
from octavo.formats.table import UNKNOWN, format_of, is_textual
from octavo_contracts import Chunk, DegradedFlag, page_spans

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import ResultEvidence

_READ = ("OC-SCHEMA-102",)
_WORD = re.compile(r"\w{4,}")
_EMBEDDING_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}", re.ASCII)
_FIXED = re.compile(r"fixed-\d{1,7}-\d{1,7}-\d{1,7}", re.ASCII)
_LOSSES = frozenset(
    {
        DegradedFlag.LOW_TEXT_YIELD,
        DegradedFlag.MISSING_PAGE_ANCHORS,
        DegradedFlag.PARTIAL_CONVERSION,
        DegradedFlag.NO_CONTENT,
    }
)
"""Flags of a document of which pages or text are missing."""
MIN_WORDS = 8
"""Shorter texts are not compared by their words."""


@check("OC-SCHEMA-108", scope="result", level=1, spec=("STO-4",), requires=("OC-PAGE-101",))
def hashes_are_complete(evidence: ResultEvidence) -> None:
    """Hashes of pages and of chunks are given for all of them or for none, and hashes of the same bytes are equal.

    Every hash is optional. A list with gaps is worse than none: a reader cannot tell which page a hash belongs to.

    Fix:
    Hash the body of each page (one for a document without pages) and each chunk, or leave the list empty.
    """
    result = evidence.result
    if result.ingestion_status == "hard_failed":
        return
    hashes = result.content_hashes
    if hashes.page_hashes:
        expect_equal(len(hashes.page_hashes), max(1, len(evidence.anchors)), "the number of page hashes")
    if hashes.chunk_hashes:
        expect_equal(len(hashes.chunk_hashes), len(result.chunk_manifest), "the number of chunk hashes")
    verdict, folded = result.classification, hashes.normalized_binary_hash
    if folded is None or verdict is None or verdict.media_type is None:
        return
    if format_of(verdict.media_type) != UNKNOWN and not is_textual(verdict.media_type) and hashes.raw_file_hash:
        expect_equal(folded, hashes.raw_file_hash, "normalized_binary_hash of a format that is no text")


@check("OC-SCHEMA-109", scope="result", level=1, spec=("ENG-19", "QLT-1"), requires=("OC-SCHEMA-106",))
def report_is_of_this_result(evidence: ResultEvidence) -> None:
    """The quality report refers to the original and the conversion of the result that contains it.

    Fix:
    Write the result's own original_artifact_ref and conversion_artifact_ref into its report.
    """
    result, report = evidence.result, evidence.result.quality_report
    expect_equal(report.source_ref, result.original_artifact_ref, "source_ref of the report")
    expect_equal(
        report.conversion_artifact_ref, result.conversion_artifact_ref, "conversion_artifact_ref of the report"
    )


@check("OC-SCHEMA-110", scope="result", level=1, spec=("ENG-19", "QLT-1"), requires=_READ)
def selected_tool_was_called(evidence: ResultEvidence) -> None:
    """The attempts contain a successful call of the selected tool.

    Fix:
    Keep every call of a hook in `attempts`, also for a version that is reused.
    """
    result = evidence.result
    worked = {attempt.plugin for attempt in result.attempts if attempt.outcome == "ok"}
    if result.ingestion_status != "hard_failed" and result.quality_report.selected_tool not in worked:
        raise Broken(
            "the selected tool has no successful attempt",
            expected=result.quality_report.selected_tool,
            actual=sorted(worked) or "no successful attempt",
        )


@check("OC-SCHEMA-111", scope="result", level=1, spec=("QLT-1", "QLT-2"), requires=_READ)
def flags_are_those_of_the_findings(evidence: ResultEvidence) -> None:
    """`degraded_flags` are the flags of the degrading findings; with flags the shown status and the score admit the loss.

    Fix:
    Build the flags from the findings, and show `degraded` if there are any.
    """
    result, report = evidence.result, evidence.result.quality_report
    found = sorted({finding.flag for finding in report.findings if finding.severity == "degraded"})
    expect_equal(list(report.degraded_flags), found, "degraded_flags")
    if report.degraded_flags and result.ingestion_status == "degraded_complete":
        expect_equal(report.user_visible_status, "degraded", "user_visible_status")
    if report.quality_score == 1.0 and (lost := sorted(_LOSSES.intersection(report.degraded_flags))):
        raise Broken("the score of an incomplete conversion", expected=f"below 1, with {', '.join(lost)}", actual=1.0)


@check("OC-SCHEMA-112", scope="result", level=1, spec=("CLS-2", "ENG-23", "CNV-12"), requires=("OC-PAGE-101",))
def named_pages_exist(evidence: ResultEvidence) -> None:
    """The page count is that of the anchors unless a flag admits lost pages, and every page that is named exists.

    Fix:
    Count pages from 1, and flag lost pages; write page numbers as decimal digits.
    """
    result, report = evidence.result, evidence.result.quality_report
    if result.ingestion_status == "hard_failed":
        return
    verdict = result.classification
    counted = verdict.page_count if verdict is not None else None
    pages = len(evidence.anchors)
    if counted is not None and pages and not _LOSSES.intersection(report.degraded_flags):
        expect_equal(counted, pages, "page_count")
    last = max(pages, counted or 0, 1)
    named = [str(finding.page) for finding in report.findings if finding.page is not None]
    named += report.ocr_confidence_summary.page_confidences
    named += [str(page.page_number) for page in verdict.page_metadata or ()] if verdict is not None else []
    wrong = sorted({page for page in named if not _is_page(page, last)})
    expect_none(wrong, "pages that do not exist", expected=f"1..{last}")


def _is_page(text: str, last: int) -> bool:
    return bool(re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII)) and int(text) <= last


@check("OC-SCHEMA-113", scope="result", level=1, spec=("CLS-8",), requires=_READ)
def category_fits_the_type(evidence: ResultEvidence) -> None:
    """The category of the classification is that of its media type.

    Fix:
    Take the category from the type that the content has; a PDF is visual, text or scanned.
    """
    verdict = evidence.result.classification
    if verdict is None or verdict.media_type is None:
        return
    known = format_of(verdict.media_type)
    if known == UNKNOWN:
        return
    category = verdict.category.value
    fits = category.startswith("pdf_") if known.family == "pdf" else category == known.category.value
    if not fits:
        wanted = "pdf_visual, pdf_text or pdf_scanned" if known.family == "pdf" else known.category.value
        raise Broken(f"the category of {verdict.media_type}", expected=wanted, actual=category)


@check("OC-SCHEMA-114", scope="result", level=1, spec=("STO-1", "STO-4"), requires=("OC-SCHEMA-108",), reads="original")
def hashes_are_those_of_the_original(evidence: ResultEvidence) -> None:
    """The hashes of the bytes that are given are those of the original document.

    Fix:
    Hash the bytes that were converted, before anything else reads them.
    """
    if evidence.original is None:
        return
    hashes, verdict = evidence.result.content_hashes, evidence.result.classification
    with Source.from_path(evidence.original) as source:
        if hashes.raw_file_hash is not None:
            expect_equal(hashes.raw_file_hash, source.raw_file_hash, "raw_file_hash")
        if hashes.normalized_binary_hash is not None and verdict is not None and verdict.media_type is not None:
            folded = source.normalized_binary_hash(textual=is_textual(verdict.media_type))
            expect_equal(hashes.normalized_binary_hash, folded, "normalized_binary_hash")


@check("OC-SCHEMA-115", scope="result", level=1, spec=("CLS-8",), requires=("OC-SCHEMA-113",), reads="original")
def type_is_that_of_the_original(evidence: ResultEvidence) -> None:
    """The media type belongs to the family of formats of the original's first bytes.

    Fix:
    Detect the type from the content; the name comes second.
    """
    verdict = evidence.result.classification
    if evidence.original is None or verdict is None or verdict.media_type is None:
        return
    with evidence.original.open("rb") as file:
        found = format_of(media_type_of(file.read(HEAD_BYTES), name=evidence.original.name))
    if UNKNOWN not in (found, format_of(verdict.media_type)):
        expect_equal(format_of(verdict.media_type).family, found.family, "the family of the media type")


@check("OC-SPAN-106", scope="result", level=1, spec=("STO-15", "DIG-12"), requires=("OC-SPAN-102", "OC-SPAN-103"))
def chunk_ids_are_unique(evidence: ResultEvidence) -> None:
    """Ids of chunks and of their embeddings are unique; of a `fixed-…` chunking, an id is derived from text and span.

    Fix:
    Make the id as octavo_text.chunking does: config version, text hash and span; write null without an embedding.
    """
    chunks, digest = evidence.result.chunk_manifest, evidence.result.content_hashes.normalized_text_hash
    expect_none(_repeated(chunk.chunk_id for chunk in chunks), "chunk ids that occur twice")
    embedded = [chunk.embedding_id for chunk in chunks if chunk.embedding_id is not None]
    expect_none(_repeated(embedded), "embedding ids that occur twice")
    expect_none([one for one in embedded if not _EMBEDDING_ID.fullmatch(one)], "malformed embedding ids")
    for chunk in chunks if digest is not None else ():
        if _FIXED.fullmatch(chunk.config_version):
            seed = f"{chunk.config_version}\n{digest}\n{chunk.span.start}-{chunk.span.end}"
            expect_equal(chunk.chunk_id, sha256(seed.encode()).hexdigest()[:24], "the id of a chunk")


def _repeated(names: Iterable[str]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


@check("OC-SPAN-107", scope="result", level=1, spec=("R-7", "DIG-12"), requires=("OC-SPAN-103",), reads="canonical")
def chunks_cover_the_text(evidence: ResultEvidence) -> None:
    """The chunks of a page concatenate to its body: no text is in no chunk.

    Fix:
    Cut each page from its start to its end; do not trim chunks.
    """
    chunks = iter(evidence.result.chunk_manifest)
    for number, page in enumerate(page_spans(evidence.canonical or ""), start=1):
        at = page.start
        while at < page.end:
            chunk = next(chunks, None)
            if chunk is None or chunk.span.start != at or chunk.span.end <= at:
                found = "no chunk" if chunk is None else f"{chunk.span.start}-{chunk.span.end}"
                raise Broken(f"page {number} is not covered", expected=f"a chunk from {at}", actual=found)
            at = chunk.span.end


@check("OC-SPAN-108", scope="result", level=1, spec=("STO-15",), requires=("OC-SPAN-105", "OC-SCHEMA-112"))
def markdown_spans_show_their_chunk(evidence: ResultEvidence) -> None:
    """The markdown span of a chunk is within its page in converted.md, and has its words.

    Fix:
    Give the range of the chunk's page in converted.md; write null if it cannot be determined.
    """
    for chunk in evidence.result.chunk_manifest:
        span = chunk.markdown_span
        if span is None or chunk.page is None:
            continue
        anchor = evidence.result.page_anchor_map.page(chunk.page)
        if not anchor.markdown_start <= span.start <= span.end <= anchor.markdown_end:
            raise Broken(
                f"the markdown span of chunk {chunk.chunk_id}",
                expected=f"within {anchor.markdown_start}-{anchor.markdown_end}, page {chunk.page}",
                actual=f"{span.start}-{span.end}",
            )
        _expect_words(evidence, chunk, span.start, span.end)


def _expect_words(evidence: ResultEvidence, chunk: Chunk, start: int, end: int) -> None:
    if evidence.canonical is None or evidence.markdown is None:
        return
    words = _WORD.findall(chunk.span.of(evidence.canonical))
    there = set(_WORD.findall(evidence.markdown[start:end]))
    kept = sum(word in there for word in words)
    if len(words) >= MIN_WORDS and kept < len(words) / 2:
        raise Broken(
            f"the markdown span of chunk {chunk.chunk_id} is elsewhere",
            expected=f"most of its {len(words)} words",
            actual=f"{kept} of them in {start}-{end}",
        )


@check("OC-SPAN-109", scope="result", level=1, spec=("STO-4", "DIG-10"), requires=_READ, reads="searched")
def archive_has_the_text(evidence: ResultEvidence) -> None:
    """The archive that is given has the canonical text of the result.

    Fix:
    Archive canonical.txt under its reference or its hash.
    """
    result = evidence.result
    if evidence.searched and evidence.canonical is None and result.ingestion_status != "hard_failed":
        digest = result.content_hashes.normalized_text_hash
        raise Broken("the archive has no such text", expected=digest, actual="no text with this hash")


@check("OC-PAGE-104", scope="result", level=1, spec=("CNV-12", "DIG-7"), requires=("OC-PAGE-101",), reads="canonical")
def pages_have_anchors(evidence: ResultEvidence) -> None:
    """A canonical text of several pages has an anchor for each.

    Fix:
    Write the page anchors; a document without pages has no separators in its text.
    """
    pages = len(page_spans(evidence.canonical or ""))
    if pages > 1:
        expect_equal(len(evidence.anchors), pages, "the number of anchors")


@check(
    "OC-PAGE-105", scope="result", level=1, spec=("CNV-12",), requires=("OC-PAGE-101", "OC-PAGE-102"), reads="markdown"
)
def pages_tile_the_markdown(evidence: ResultEvidence) -> None:
    """The pages cover converted.md: only line breaks are between two pages, and nothing is before, between or after them.

    Fix:
    Count code points of converted.md while joining the pages; a joint belongs to no page.
    """
    text = evidence.markdown
    if text is None or not evidence.anchors:
        return
    for what, between, joint in _between(evidence, text):
        if between.strip("\n") or bool(between) != joint:
            raise Broken(what, expected="line breaks" if joint else "nothing", actual=repr(between[:80]))


def _between(evidence: ResultEvidence, text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield what stands before, between and after the pages, and whether a joint belongs there."""
    at = 0
    for anchor in evidence.anchors:
        yield f"the markdown before page {anchor.page}", text[at : anchor.markdown_start], anchor.page > 1
        at = anchor.markdown_end
    yield "the markdown after the last page", text[at:].rstrip("\n"), False
