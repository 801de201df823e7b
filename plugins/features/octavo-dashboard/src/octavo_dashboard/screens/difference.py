"""Two versions of a document side by side: the lines that differ, page by page."""

from __future__ import annotations

from octavo_contracts import UsageError
from octavo_library import Document
from octavo_library.facade.routing_review.side_by_side import rows
from pydantic import Field

from ..problems import NotFound
from ..screen import Reader, Screen, View
from .opened import DocumentQuery, open_document, open_version

MOST_ROWS = 1_000
"""Rows of a comparison that are shown."""
MOST_PAGES = 2_000
"""Numbers of differing pages that are listed."""


class DifferenceQuery(DocumentQuery):
    """Two versions of a document."""

    left: int | None = Field(default=None, ge=1, le=1_000_000, description="A version; by default the newest but one.")
    right: int | None = Field(
        default=None, ge=1, le=1_000_000, description="The version to compare it with; by default the newest."
    )
    page: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Page, from 1; by default the first that differs."
    )


class RowView(View):
    """Two lines, or a number of lines that are left out."""

    left: str = Field(description="Line of the left version, or empty.")
    right: str = Field(description="Line of the right version, or empty.")
    same: int = Field(description="Equal lines that are left out here; 0 for two lines.")
    beyond: int = Field(description="Lines that were not compared; 0 except in the last row.")


class DifferenceView(View):
    """The difference of two versions."""

    document_id: str = Field(description="The document.")
    name: str = Field(description="Its name.")
    left: int = Field(description="The left version.")
    right: int = Field(description="The right version.")
    left_tool: str = Field(description="The plugin that made the left version.")
    right_tool: str = Field(description="The plugin that made the right version.")
    left_letters: int = Field(description="Code points of the left text.")
    right_letters: int = Field(description="Code points of the right text.")
    by_page: bool = Field(description="Whether both have the same pages; else the whole texts are compared.")
    pages: int = Field(description="Number of pages.")
    differing: list[int] = Field(description="Pages that differ, up to 2,000.")
    page: int | None = Field(description="The page that is compared, or null for the whole texts.")
    rows: list[RowView] = Field(description="The differing lines.")
    is_cut: bool = Field(description="Whether there are more rows.")


def build(reader: Reader, query: DifferenceQuery) -> DifferenceView:
    """Compare two versions.

    Raises:
        NotFound: the asker has no such document, version or page.
        LibraryDamaged: files of a version are missing or altered.
    """
    older, newest = _newest(open_document(reader, query.document_id))
    numbers = query.left or older, query.right or newest
    left, right = (_version(reader, query.document_id, number) for number in numbers)
    mine, theirs = left.pages, right.pages
    by_page = len(mine) == len(theirs) and len(mine) > 1
    differing = (
        [one.number for one, other in zip(mine, theirs, strict=True) if one.markdown != other.markdown]
        if by_page
        else []
    )
    page = query.page if query.page is not None else next(iter(differing), 1)
    if by_page and page > len(mine):
        raise NotFound("page")
    texts = (mine[page - 1].markdown, theirs[page - 1].markdown) if by_page else (left.markdown, right.markdown)
    found = rows(*texts)
    tools = {one.version: one.tool for one in left.versions}
    return DifferenceView(
        document_id=left.id,
        name=reader.library.catalogue.name_of(left),
        left=numbers[0],
        right=numbers[1],
        left_tool=tools[numbers[0]],
        right_tool=tools[numbers[1]],
        left_letters=len(left.canonical_text),
        right_letters=len(right.canonical_text),
        by_page=by_page,
        pages=max(len(mine), len(theirs)),
        differing=differing[:MOST_PAGES],
        page=page if by_page else None,
        rows=[RowView(left=row.left, right=row.right, same=row.same, beyond=row.beyond) for row in found[:MOST_ROWS]],
        is_cut=len(found) > MOST_ROWS,
    )


def _newest(document: Document) -> tuple[int, int]:
    """The two newest stored versions; twice the same if there is only one."""
    stored = [one.version for one in document.versions if one.condition == "stored"]
    if not stored:
        raise NotFound("version", remedy="The document has no stored version; its own page says why")
    return stored[-2:][0], stored[-1]


def _version(reader: Reader, document_id: str, version: int) -> Document:
    try:
        return open_version(reader, document_id, version)
    except UsageError:
        raise NotFound("version", remedy="Go back to the document, which lists its versions") from None


SCREEN = Screen(
    path="/documents/{document_id}/difference",
    template="difference.html",
    summary="Compare two versions of a document, line by line.",
    query=DifferenceQuery,
    view=DifferenceView,
    build=build,
)
