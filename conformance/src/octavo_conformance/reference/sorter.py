"""The reference classifier: knows sheaves, and has no opinion on anything else."""

from __future__ import annotations

import json
from typing import Any

from octavo_contracts import (
    Category,
    DocumentClassification,
    HookContext,
    PageMetadata,
    RoutingType,
    SourcePart,
    SourceStructure,
    SourceView,
    hookimpl,
)


def letters_of(page: dict[str, Any]) -> int:
    """Count the letters of a page."""
    return sum(
        len(block[1]) + 1 if isinstance(block[1], str) else sum(len(cell) + 1 for row in block[1] for cell in row)
        for block in page["blocks"]
    )


@hookimpl
def classify(source: SourceView, context: HookContext) -> DocumentClassification | None:
    """See `octavo.hookspecs.classify`."""
    if not source.name.endswith(".sheaf"):
        return None
    pages = json.loads(json.loads(source.read_bytes())["body"])["pages"]
    headings = [block[1] for page in pages for block in page["blocks"] if block[0] == "h"]
    count = len(pages)
    return DocumentClassification(
        category=Category.PLAINTEXT,
        routing_type=RoutingType.PLAIN_TEXT,
        classification_confidence=1.0,
        page_count=count,
        page_metadata=tuple(
            PageMetadata(page_number=number, is_scanned=False, text_density=letters_of(page) / 500_000)
            for number, page in enumerate(pages, start=1)
        ),
        structure=SourceStructure(parts=tuple(SourcePart(kind="heading", text=text[:200]) for text in headings)),
    )
