"""Search in the texts, each hit with a link to its place."""

from __future__ import annotations

from octavo_contracts import UsageError
from octavo_library.search.records import SearchHit
from pydantic import Field

from ..screen import Query, Reader, Screen, View


class SearchQuery(Query):
    """What to search for."""

    q: str = Field(
        default="",
        max_length=500,
        description='Words; "phrases in quotation marks"; -excluded words. Empty: no search.',
    )
    limit: int = Field(default=20, ge=1, le=100, description="Most hits.")


class HitView(View):
    """A place in a document."""

    document_id: str = Field(description="The document.")
    title: str = Field(description="Its title or file name.")
    version: int = Field(description="The version to which the locator refers.")
    page: int | None = Field(description="The page, from 1, or null.")
    locator: str = Field(description="The place in the canonical text: `page:N:char:a-b` or `char:a-b`.")
    snippet: str = Field(description="The text at that place.")
    score: float = Field(description="Higher is better; comparable within one search only.")
    url: str = Field(description="The page of the document with the place marked.")


class SearchView(View):
    """The hits of a search."""

    query: SearchQuery = Field(description="The query.")
    hits: list[HitView] = Field(description="The hits, best first.")
    pending: int = Field(description="Documents that were not searched because they are not indexed yet.")
    method: str | None = Field(description="`fts` or `hybrid`; null without a search.")
    problem: str | None = Field(description="Why the query cannot be searched, or null.")


def build(reader: Reader, query: SearchQuery) -> SearchView:
    """Search.

    Raises:
        StorageError: the chunk index cannot be written.
    """
    text = "".join(letter for letter in query.q.strip() if letter.isprintable())
    if not text:
        return SearchView(query=query, hits=[], pending=0, method=None, problem=None)
    try:
        found = reader.library.search(text, corpus=reader.corpus, limit=query.limit)
    except UsageError as error:
        return SearchView(query=query, hits=[], pending=0, method=None, problem=error.message)
    return SearchView(
        query=query,
        hits=[_hit(reader, hit) for hit in found],
        pending=found.pending,
        method=found.method.value,
        problem=None,
    )


def _hit(reader: Reader, hit: SearchHit) -> HitView:
    place = hit.locator.rpartition("char:")[2]
    return HitView(
        document_id=hit.document_id,
        title=hit.title or _name(reader, hit.document_id),
        version=hit.version,
        page=hit.page,
        locator=hit.locator,
        snippet=hit.snippet,
        score=hit.score,
        url=f"/documents/{hit.document_id}/pages/{hit.page or 1}?char={place}#marked",
    )


def _name(reader: Reader, document_id: str) -> str:
    catalogue = reader.library.catalogue
    try:
        return catalogue.name_of(catalogue.find(document_id, corpus=reader.corpus))
    except UsageError:  # purged since the search
        return f"document {document_id[:8]}"


SCREEN = Screen(
    path="/search",
    template="search.html",
    summary="Search in the texts of documents.",
    query=SearchQuery,
    view=SearchView,
    build=build,
)
