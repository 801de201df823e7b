"""The reference classifier: knows sheaves, and has no opinion on anything else."""

from __future__ import annotations

import json

from octavo_contracts import (
    Category,
    DocumentClassification,
    HookContext,
    RoutingType,
    SourcePart,
    SourceStructure,
    SourceView,
    hookimpl,
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
        structure=SourceStructure(parts=tuple(SourcePart(kind="heading", text=text[:200]) for text in headings)),
    )
