"""Checks that what the tools return slices from the archived text, for every page of every document of a folder.

Ingests the documents, reads each one whole by `retrieve_full_document` and its continuations, in both formats, and compares
each excerpt with what its locator slices from the canonical text. Prints what was checked, and ends with 1 if an excerpt differs
or a page is missing.

Usage: python tests/benchmarks/retrieval/slices.py FOLDER [--profile fast] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo import Settings
from octavo_contracts import resolve_locator
from octavo_library import Document, Library
from octavo_retrieval import Toolset, tools

TOKENS = 5_000
"""Budget of a call, so that long documents need many."""


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--profile", default="fast")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.is_file())
    found = {"files": len(files), "documents": 0, "pages": 0, "excerpts": 0, "differing": 0, "missing_pages": 0}
    with (
        tempfile.TemporaryDirectory() as scratch,
        Library.open(f"{scratch}/library", settings=Settings(sampling=False, profile=options.profile)) as library,
    ):
        for _ in library.ingest_many(files):
            pass
        offered = tools(library)
        for document in library.documents():
            if document.active_version is None or document.why_empty:
                continue
            found["documents"] += 1
            found["pages"] += len(document.pages)
            for form in ("text", "markdown"):
                seen = set()
                for page, is_same in excerpts(offered, document, form):
                    seen.add(page)
                    found["excerpts"] += 1
                    found["differing"] += not is_same
                filled = {
                    page.number for page in document.pages if (page.text if form == "text" else page.markdown).strip()
                }
                found["missing_pages"] += len(filled - seen)
    print(json.dumps(found) if options.json else "\n".join(f"{name:14}{count:>9}" for name, count in found.items()))
    return int(bool(found["differing"] or found["missing_pages"]))


def excerpts(offered: Toolset, document: Document, form: str) -> Iterator[tuple[int, bool]]:
    """Yield the page of each excerpt of a document, and whether its locator slices it.

    Args:
        offered: the tools.
        document: the document.
        form: `text` or `markdown`.
    """
    call: tuple[str, dict[str, Any]] | None = (
        "retrieve_full_document",
        {"document_id": document.id, "format": form, "max_tokens": TOKENS},
    )
    while call is not None:
        answer: Any = offered.call(*call).value
        for one in answer.excerpts:
            part = answer.content[one.start : one.end]
            if form == "text":
                yield one.page, resolve_locator(document.canonical_text, one.locator) == part
            else:
                is_page = resolve_locator(document.canonical_text, one.locator) == document.page(one.page).text
                yield one.page, is_page and one.markdown_span.of(document.markdown) == part
        call = (answer.next_call.tool, answer.next_call.arguments) if answer.next_call else None


if __name__ == "__main__":
    raise SystemExit(main())
