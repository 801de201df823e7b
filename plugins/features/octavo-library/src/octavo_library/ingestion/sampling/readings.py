"""Builds the readings to compare, of a new conversion or of a stored version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_contracts import IngestionResult

from .measures import Reading

if TYPE_CHECKING:
    from octavo.conversion.states import ConvertedVersion
    from octavo_text.canonical import CanonicalText


def reading_of(version: ConvertedVersion) -> Reading:
    """The reading of a new conversion."""
    texts = version.texts
    return Reading(
        tool=version.candidate.plugin.name,
        engine_version=version.conversion.engine_version or version.candidate.plugin.engine_version,
        pages=tuple(texts.canonical.text[span.start : span.end] for span in texts.canonical.pages),
        paginated=version.conversion.paginated,
        markdown=tuple(page.markdown for page in version.conversion.pages),
        page_anchors=version.assessment.page_anchor_integrity,
        quality_score=version.assessment.quality_score,
        furniture_chars=sum(len(line) for page in version.conversion.pages for line in page.furniture),
    )


def reading_of_result(
    result: IngestionResult,
    text: CanonicalText,
    markdown: str,
    *,
    tool: str,
    engine_version: str | None,
    furniture: Sequence[str] = (),
) -> Reading:
    """The reading of a stored version.

    Args:
        result: its result.
        text: its canonical text.
        markdown: its markdown.
        tool: the plugin that made it.
        engine_version: version of that plugin's engine, or None.
        furniture: the lines of all pages that are kept apart from the text.
    """
    anchors = tuple(result.page_anchor_map.anchors())
    report = result.quality_report
    spans = [(one.text_start, one.text_end) for one in anchors] or [(0, len(text.text))]
    marked = [(one.markdown_start, one.markdown_end) for one in anchors] or [(0, len(markdown))]
    return Reading(
        tool=tool,
        engine_version=engine_version,
        pages=tuple(text.text[start:end] for start, end in spans),
        paginated=bool(anchors),
        markdown=tuple(markdown[start:end] for start, end in marked),
        page_anchors=report.page_anchor_integrity,
        quality_score=report.quality_score,
        furniture_chars=sum(map(len, furniture)),
    )
