"""The list of documents."""

from __future__ import annotations

from typing import Literal

from octavo_contracts import IngestionState
from octavo_library.storage import DocumentFilter
from pydantic import Field

from ..problems import NotFound
from ..screen import Query, Reader, Screen, View

Status = Literal["complete", "degraded_complete", "hard_failed"]


class DocumentsQuery(Query):
    """Which documents to list."""

    q: str = Field(default="", max_length=200, description="Part of the title or of the file name.")
    status: Status | None = Field(default=None, description="Only documents of this status.")
    accepted: Literal["yes", "no"] | None = Field(
        default=None, description="Only documents whose version a user accepted with its flags, or only the others."
    )
    type: str | None = Field(default=None, max_length=100, description="Only documents of this media type.")
    corpus: str | None = Field(
        default=None, max_length=200, description="Only documents of this corpus, by name, as it sees them."
    )
    order: Literal["newest", "oldest"] = Field(default="newest", description="By the time of the first ingestion.")
    limit: int = Field(default=50, ge=1, le=200, description="Documents of a page.")
    cursor: str | None = Field(default=None, max_length=400, description="Cursor of the page, from the page before.")


class DocumentRow(View):
    """A document in the list."""

    id: str = Field(description="Its id.")
    name: str = Field(description="Its title or file name.")
    status: str = Field(description="`complete`, `degraded_complete` or `hard_failed`.")
    reason: str | None = Field(description="Why it failed, or null.")
    media_type: str | None = Field(description="Its type by content.")
    document_type: str | None = Field(description="Its kind, such as `contract`, or null.")
    size: int | None = Field(description="Its bytes.")
    version: int | None = Field(description="Its active version, or null.")
    is_accepted: bool = Field(description="Whether a user accepted its active version with its flags.")
    ingested_at: str = Field(description="When it was first ingested, UTC.")
    url: str = Field(description="Its page.")


class DocumentsView(View):
    """A page of the list of documents."""

    documents: list[DocumentRow] = Field(description="The documents.")
    next_cursor: str | None = Field(description="Cursor of the next page, or null at the end.")
    total: int = Field(
        description="Documents that the asker may see, in the corpus if one is given, without another filter."
    )
    found: int | None = Field(description="Documents that the filter lets through; null for more than 10,000.")
    statuses: dict[str, int] = Field(description="Status → number of documents, without a filter.")
    accepted: int = Field(description="Documents whose version a user accepted with its flags.")
    media_types: dict[str, int] = Field(description="Media type → number of documents, without a filter.")
    corpora: list[str] = Field(description="Names of the corpora to filter by; empty for a user of a corpus.")
    query: DocumentsQuery = Field(description="The query as it was understood.")


def build(reader: Reader, query: DocumentsQuery) -> DocumentsView:
    """List documents.

    Raises:
        UsageError: the cursor is invalid.
        NotFound: the asker has no such corpus.
    """
    corpora = list(reader.library.corpora.names()) if reader.corpus is None else []
    if query.corpus is not None and query.corpus not in (*corpora, reader.corpus):
        raise NotFound("corpus")
    corpus = reader.corpus or query.corpus
    catalogue = reader.library.catalogue
    wanted = DocumentFilter(
        text="".join(letter for letter in query.q.strip() if letter.isprintable()),
        statuses=(IngestionState(query.status),) if query.status else (),
        media_types=(query.type.replace("\0", ""),) if query.type else (),
        accepted=None if query.accepted is None else query.accepted == "yes",
    )
    page = catalogue.page(
        wanted,
        corpus=corpus,
        newest_first=query.order == "newest",
        limit=query.limit,
        cursor=query.cursor,
    )
    counts = reader.counts.counts(catalogue, corpus)
    return DocumentsView(
        documents=[
            DocumentRow(
                id=entry.id,
                name=entry.name,
                status=entry.status,
                reason=entry.reason,
                media_type=entry.media_type,
                document_type=entry.document_type,
                size=entry.size,
                version=entry.active_version,
                is_accepted=entry.is_accepted,
                ingested_at=entry.ingested_at,
                url=f"/documents/{entry.id}",
            )
            for entry in page.entries
        ],
        next_cursor=page.next_cursor,
        total=counts.total,
        found=counts.total if wanted.is_empty else reader.counts.found(catalogue, wanted, corpus),
        statuses=counts.statuses,
        accepted=counts.accepted,
        media_types=counts.media_types,
        corpora=corpora,
        query=query,
    )


SCREEN = Screen(
    path="/documents",
    template="documents.html",
    summary="List documents, filtered, a page at a time.",
    query=DocumentsQuery,
    view=DocumentsView,
    build=build,
)
