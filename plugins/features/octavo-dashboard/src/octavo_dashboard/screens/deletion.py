"""What a deletion would remove and what stays, before it is confirmed (STO-12)."""

from __future__ import annotations

from octavo_library.facade.catalogue import file_name_of
from pydantic import Field

from ..screen import Reader, Screen, View
from .opened import DocumentQuery, open_document


class DeletionView(View):
    """What would be removed. A corpus removes the document from itself; the library's owner removes it altogether."""

    document_id: str = Field(description="The document.")
    name: str = Field(description="Its name.")
    corpus: str | None = Field(
        description="The corpus that it would leave; null: it would be removed from the library."
    )
    files: int = Field(description="Number of files to remove.")
    bytes: int = Field(description="Their size.")
    versions: int = Field(description="Number of its versions.")
    rows: dict[str, int] = Field(description="Table of the index → number of rows to remove.")
    corpora: list[str] = Field(description="Corpora that the document would leave.")
    kept_files: list[str] = Field(description="Names of the user's own files, which stay.")
    kept_attachments: int = Field(description="Number of its attachments, which stay as documents.")
    confirm: str = Field(description="The confirmation to send: it holds for exactly this content.")


def build(reader: Reader, query: DocumentQuery) -> DeletionView:
    """Preview a deletion.

    Raises:
        NotFound: the asker has no such document.
    """
    document = open_document(reader, query.document_id)
    name = reader.library.catalogue.name_of(document)
    if reader.corpus is not None:
        return DeletionView(
            document_id=document.id,
            name=name,
            corpus=reader.corpus,
            files=0,
            bytes=0,
            versions=0,
            rows={},
            corpora=[reader.corpus],
            kept_files=[],
            kept_attachments=0,
            confirm=document.id,
        )
    shown = reader.library.maintenance.purge_preview(document)
    return DeletionView(
        document_id=document.id,
        name=name,
        corpus=None,
        files=len(shown.files),
        bytes=shown.bytes,
        versions=len(document.versions),
        rows=dict(shown.rows),
        corpora=list(shown.corpora),
        kept_files=[file_name_of(ref) or "a file without a name" for ref in shown.kept_paths],
        kept_attachments=len(shown.kept_attachments),
        confirm=shown.digest,
    )


SCREEN = Screen(
    path="/documents/{document_id}/delete",
    template="deletion.html",
    summary="Preview what the deletion of a document would remove.",
    query=DocumentQuery,
    view=DeletionView,
    build=build,
)
