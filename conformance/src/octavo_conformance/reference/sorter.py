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

KINDS = {"h": "heading", "a": "link", "t": "table", "f": "note", "c": "comment", "i": "change", "d": "change"}
"""Kind of a block → kind of part."""


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
    parts = [
        SourcePart(kind=KINDS[block[0]], text=block[1][:200] if isinstance(block[1], str) else "")
        for page in pages
        for block in page["blocks"]
        if block[0] in KINDS
    ]
    grids = [block[1] for page in pages for block in page["blocks"] if block[0] == "t"]
    filled = [sum(bool(cell) for row in grid for cell in row) for grid in grids]
    parts += [SourcePart(kind="cell", count=cells) for cells in filled if cells]
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
        structure=SourceStructure(parts=tuple(parts)),
    )
