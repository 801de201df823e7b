"""Explains why a converted document has no text: blank page, scan without OCR, or hidden text (QLT-2).

A file of zero bytes is a failure of its own (`source_empty`) and ends at inspection.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from octavo_contracts import DegradedFlag, IngestionQualityReport, QualityFinding
from octavo_text.canonical import CanonicalText

if TYPE_CHECKING:
    from ..builtins.classification.inspection import Inspection
    from ..documents.source import Source
    from .states import ConvertedVersion

_NO_CONTENT = DegradedFlag.NO_CONTENT.value
_UNREAD = DegradedFlag.OCR_NEEDED.value
_SAYS_WHY = (
    _UNREAD,
    _NO_CONTENT,
    DegradedFlag.HIDDEN_TEXT.value,
    DegradedFlag.PARTIAL_CONVERSION.value,
    DegradedFlag.LOW_TEXT_YIELD.value,
)
"""Flags whose findings explain an empty text, in order of precedence."""


def is_empty(canonical_text: str) -> bool:
    """Return whether a canonical text contains nothing but page separators."""
    text = CanonicalText.from_archive(canonical_text)
    return not any(span.of(text.text).strip() for span in text.pages)


def why_empty(report: IngestionQualityReport, canonical_text: str) -> QualityFinding | None:
    """Return the finding that explains an empty text; None for a document that has text.

    Args:
        report: quality report of the version.
        canonical_text: canonical text of the version.
    """
    if not is_empty(canonical_text):
        return None
    by_flag = {finding.flag: finding for finding in reversed(report.findings)}
    return next((by_flag[flag] for flag in _SAYS_WHY if flag in by_flag), _no_content("the document contains no text"))


def is_lacking(why_empty: QualityFinding | None) -> bool:
    """Return whether a document has no text, and should have some: a page that is really blank should not.

    Args:
        why_empty: as `why_empty` returns it.
    """
    return why_empty is not None and why_empty.severity == "degraded"


def with_reason(
    findings: Iterable[QualityFinding], *, source: Source, inspection: Inspection, version: ConvertedVersion
) -> tuple[QualityFinding, ...]:
    """Return the findings of a conversion; if it has no text, include the finding that explains why.

    Pages without OCR need no explanation: `ocr_needed` reports them, with what to install.

    Args:
        findings: the findings for the report.
        source: the document.
        inspection: result of the inspection.
        version: the conversion.
    """
    kept = tuple(findings)
    if not is_empty(version.texts.canonical.text) or any(finding.flag == _UNREAD for finding in kept):
        return kept
    reason = _reason(source, inspection, version)
    replaced = {_NO_CONTENT}
    if reason.severity == "note":
        # No engine could have found more text on a blank page.
        replaced.add(DegradedFlag.LOW_TEXT_YIELD.value)
    return (*(finding for finding in kept if finding.flag not in replaced), reason)


def _reason(source: Source, inspection: Inspection, version: ConvertedVersion) -> QualityFinding:
    pages = version.conversion.pages
    hidden = sum(len(item.text) for page in pages for item in page.hidden_text)
    if hidden:
        return _no_content(
            f"all of its text, {hidden} characters, is hidden from readers and stored separately",
            remedy="See the hidden text in the version's pages.json, and compare with the original",
        )
    count = "its page" if len(pages) == 1 else f"its {len(pages)} pages"
    readings = version.recognition.readings
    if readings and not version.recognition.with_text:
        return _blank(f"no text was found on {count}")
    seen = inspection.classification.page_metadata if inspection.classification else ()
    if len(seen) == len(pages) and not any(page.has_text_layer or page.needs_ocr for page in seen):
        return _blank(
            f"{count} {'is' if len(pages) == 1 else 'are'} blank: neither text nor an image of text was found"
        )
    if source.size <= len(source.head) and not source.head.strip():
        return _no_content("the document contains no text: the file consists of white space")
    plugin = version.candidate.plugin.name
    return _no_content(
        f"the document contains no text: {plugin} found none",
        remedy="Convert it with another plugin, or check that it is the document you meant",
    )


def _no_content(message: str, *, remedy: str = "Check that the source is the document you meant") -> QualityFinding:
    return QualityFinding(flag=_NO_CONTENT, message=message, remedy=remedy)


def _blank(message: str) -> QualityFinding:
    return QualityFinding(flag=_NO_CONTENT, severity="note", message=message)
