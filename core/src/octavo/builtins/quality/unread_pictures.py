"""Notes pages with pictures that may show text: only a page without text of its own is recognised."""

from __future__ import annotations

from collections.abc import Collection

from octavo_contracts import Conversion, QualityEvidence, QualityFinding
from octavo_text.page_spans import pages_text

PICTURES_UNREAD = "pictures_unread"
"""Code of the note."""
LARGE_PICTURE = 0.05
"""Least share of a page that a picture covers whose text would count: a logo is smaller."""


def unread_pictures(
    conversion: Conversion, evidence: QualityEvidence, recognised: Collection[int]
) -> list[QualityFinding]:
    """Return the note about the inspected pages of a PDF with pictures; none if there are none.

    Args:
        conversion: of the document.
        evidence: facts about the source.
        recognised: pages whose text was recognised, with that of their pictures.
    """
    if evidence.media_type != "application/pdf" or not conversion.paginated:
        return []
    pages = {sight.page for sight in evidence.sights if sight.picture_share >= LARGE_PICTURE}.difference(recognised)
    if not pages:
        return []
    inspected, count = len(evidence.sights), len(conversion.pages)
    where = f"{pages_text(pages)} have pictures" if len(pages) > 1 else "the page has a picture"
    rest = f"; {inspected} of {count} pages were inspected for pictures" if inspected < count else ""
    return [
        QualityFinding(
            flag=PICTURES_UNREAD,
            severity="note",
            message=f"{where} that may show text; text in a picture beside other text is not read{rest}",
            page=min(pages) if len(pages) == 1 else None,
            remedy="Compare with the original where the pictures matter",
        )
    ]
