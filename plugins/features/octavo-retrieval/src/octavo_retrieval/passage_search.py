"""`search_documents` and `list_documents` (RET-7)."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_context.tokens import count_tokens
from octavo_contracts import OctavoError
from octavo_contracts.markers import Marker, excerpt_marker, stable_id
from octavo_library.search.records import SearchHit

from .failures import ToolFailure
from .models import (
    ListDocumentsRequest,
    ListDocumentsResponse,
    ListedDocument,
    PassageHit,
    SearchDocumentsRequest,
    SearchDocumentsResponse,
)
from .scope import Scope

SEARCH = "search_documents"
LIST = "list_documents"


@dataclass(frozen=True)
class Searcher:
    """Searches and lists the documents within a scope.

    Attributes:
        scope: the visible documents.
    """

    scope: Scope

    def search(self, request: SearchDocumentsRequest) -> SearchDocumentsResponse:
        """The best passages for a query.

        Raises:
            OctavoError: the search index cannot be read.
        """
        found = self.scope.library.search(request.query, corpus=self.scope.corpus, limit=request.limit + 1)
        hits = tuple(one for hit in found[: request.limit] if (one := self._hit(hit)) is not None)
        notes = []
        if len(found) > request.limit:
            notes.append(
                f"There are more than {request.limit} passages. Call again with a narrower query or a higher limit."
            )
        if found.pending:
            notes.append(f"Documents that are not indexed yet: {found.pending}. Call again in a few seconds.")
        if not hits:
            notes.append("No passage matches. Ask with fewer or other words.")
        return SearchDocumentsResponse(
            query=request.query,
            hits=hits,
            truncated=len(found) > request.limit,
            method=str(found.method),
            pending=found.pending,
            token_count=sum(count_tokens(hit.snippet) for hit in hits),
            notes=" ".join(notes),
        )

    def list(self, request: ListDocumentsRequest) -> ListDocumentsResponse:
        """Documents in scope, sorted by time of ingest.

        Raises:
            ToolFailure: the cursor is invalid.
        """
        documents, following = self.scope.listed(limit=request.limit, cursor=request.cursor)
        listed = tuple(
            ListedDocument(
                document_id=one.id,
                document_title=self.scope.name_of(one),
                media_type=one.media_type,
                status=one.status,
                readable=one.active_version is not None,
                ingested_at=one.ingested_at,
            )
            for one in documents
        )
        notes = f"There are more documents. Call list_documents again with cursor {following!r}." if following else ""
        if not listed and request.cursor is None:
            notes = "There are no documents in scope."
        return ListDocumentsResponse(
            documents=listed, truncated=following is not None, next_cursor=following, notes=notes
        )

    def _hit(self, hit: SearchHit) -> PassageHit | None:
        try:
            title = self.scope.name_of(self.scope.find(hit.document_id))
        except (ToolFailure, OctavoError):
            return None  # the document was purged or left the corpus after the search
        return PassageHit(
            document_id=hit.document_id,
            document_title=title,
            page=hit.page,
            locator=hit.locator,
            snippet=hit.snippet,
            score=hit.score,
            version=hit.version,
            marker_id=_marker_id(hit.document_id, hit.version, hit.locator),
            source_ref=f"{hit.document_id}:v{hit.version}:{hit.locator}",
        )


def passage_marker(hit: PassageHit) -> Marker:
    """Wrap a passage in its marker."""
    return excerpt_marker(
        hit.snippet,
        document_id=hit.document_id,
        extraction_method="search",
        pages=str(hit.page) if hit.page is not None else None,
        span=hit.locator,
        retrieved_via=SEARCH,
        others={"id": hit.marker_id, "title": hit.document_title, "version": str(hit.version)},
    )


def _marker_id(document_id: str, version: int, locator: str) -> str:
    return stable_id("doc", document_id, str(version), locator)
