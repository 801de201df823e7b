"""What is said on stderr of a converted document: one line, unless more is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.conversion.report_text import UNREAD, failure_error, why_low, worth_telling
from octavo_contracts import DegradedFlag
from octavo_text.page_spans import pages_text

from ..toolkit.output import clean, note
from ..toolkit.remedies import remedy_text
from ..toolkit.running import report
from ..toolkit.verbosity import is_verbose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from octavo_contracts import IngestionQualityReport, IngestionResult, QualityFinding

_LOW_YIELD = DegradedFlag.LOW_TEXT_YIELD.value
_DOUBTFUL = DegradedFlag.OCR_LOW_CONFIDENCE.value


def explain(result: IngestionResult, *, shown: str, seconds: float, but: QualityFinding | None) -> None:
    """Say why a document failed, or what is doubtful about it; with `-v` by which plugin it was converted, too.

    Args:
        result: of the document.
        shown: the document as the user named it.
        seconds: how long the conversion took.
        but: a finding that is told apart.
    """
    failed = failure_error(result, shown)
    if failed is not None:
        report(failed)
        return
    found = [finding for finding in result.quality_report.findings if finding != but]
    if is_verbose():
        score = result.quality_report.quality_score
        quality = "not assessed" if score is None else f"{score:.2f}"
        by = result.quality_report.selected_tool
        note(f"octavo: {clean(shown)}: converted by {by}, quality {quality}, after {seconds:.2f} s")
        if said := recognised_text(result):
            note(f"octavo: {clean(shown)}: {said}")
        for finding in found:
            note(_line(finding, shown=shown))
    elif worth_telling(found) or why_low(result.quality_report) or recognised_text(result):
        note(
            f"octavo: {clean(shown)}: {', '.join(document_parts(result))}{remarks_text(result.quality_report, but=but)}"
        )
        for finding in (*unread_pages(found), *pages_without_model(found)):
            note(f"  {remedy_text(finding.remedy)}")


def pages_without_model(findings: Sequence[QualityFinding]) -> list[QualityFinding]:
    """The findings about pages in a script or language for which an engine lacks its model, and says how to install it."""
    return [one for one in findings if one.flag == _DOUBTFUL and "run: " in one.remedy]


def unread_pages(findings: Sequence[QualityFinding]) -> list[QualityFinding]:
    """The findings about pages that were not read, as they need OCR, and that lower the score."""
    return [one for one in findings if one.flag == UNREAD and one.severity == "degraded"]


def status_of(result: IngestionResult) -> str:
    """The status of a document that was converted: `complete` or `degraded`."""
    return "degraded" if result.ingestion_status == "degraded_complete" else "complete"


def count_text(count: int, noun: str) -> str:
    """A number of things, for example `1 page` or `3 pages`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def document_parts(result: IngestionResult) -> list[str]:
    """How a document was converted, for example `complete`, `3 pages`, `quality 0.94` and what of it was recognised."""
    status = status_of(result)
    parts = [status]
    pages = len(result.page_anchor_map)
    if pages:
        parts.append(count_text(pages, "page"))
    report = result.quality_report
    if report.quality_score is not None:
        low = why_low(report)
        parts.append(f"quality {report.quality_score:.2f}" + (f" ({low})" if low and status == "complete" else ""))
    if said := recognised_text(result):
        parts.append(said)
    return parts


def remarks_text(report: IngestionQualityReport, *, but: QualityFinding | None = None) -> str:
    """What is doubtful about a document, as the end of its line: the first finding in words, the others by their codes.

    For example `; page 2: its table has empty cells [tables_garbled]; -v explains active_content`; with `-v`, which tells all
    findings, the codes alone.

    Args:
        report: of the document.
        but: why the document has no text, which is told apart; its low yield needs no words then.
    """
    told = [one for one in worth_telling(report.findings) if but is None or (one != but and one.flag != _LOW_YIELD)]
    codes = list(dict.fromkeys(one.flag for one in told))
    if not told or is_verbose():
        return f" [{', '.join(codes)}]" if told else ""
    first, others = told[0], codes[1:]
    page = f"page {first.page}: " if first.page else ""
    rest = f"; -v explains {', '.join(others)}" if others else ""
    return f"; {page}{clean(first.message.rstrip('.'))} [{first.flag}]{rest}"


def recognised_text(result: IngestionResult) -> str:
    """For example `2 pages recognised by rapidocr, mean confidence 0.93; page 3 is blank`; empty where no text was recognised."""
    confidences = result.quality_report.ocr_confidence_summary.page_confidences.values()
    by = dict.fromkeys(one.plugin for one in result.attempts if one.hook == "ocr" and one.outcome == "ok")
    if not confidences or not by:  # a transcript has confidences too
        return ""
    said = f"{count_text(len(confidences), 'page')} recognised by {' and '.join(by)}, mean confidence {sum(confidences) / len(confidences):.2f}"
    if doubtful := _pages(result, "words_doubtful"):
        said += f"; doubtful words on {doubtful}"
    if blank := _pages(result, "page_blank"):
        said += f"; {blank} {'are' if blank.startswith('pages') else 'is'} blank"
    return said


def _pages(result: IngestionResult, flag: str) -> str:
    """Return for example `page 4` or `pages 4 and 6`: the pages that findings with this flag name; empty without any."""
    numbers = {one.page for one in result.quality_report.findings if one.flag == flag and one.page is not None}
    return pages_text(numbers) if numbers else ""


def _line(finding: QualityFinding, *, shown: str) -> str:
    page = f", page {finding.page}" if finding.page else ""
    return f"octavo: {clean(shown)}{page}: {clean(finding.message.rstrip('.'))} [{finding.flag}]"
