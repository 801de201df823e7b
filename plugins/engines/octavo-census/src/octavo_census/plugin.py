"""The plugin's hook; the work is in `octavo_census.census`, and lxml is imported when a document comes."""

from __future__ import annotations

from octavo_contracts import DocumentClassification, HookContext, SourceView, hookimpl


@hookimpl
def classify(source: SourceView, context: HookContext) -> DocumentClassification | None:
    """Count the parts of a document; see `octavo_census.census.count_parts`."""
    from .census import count_parts

    return count_parts(source)
