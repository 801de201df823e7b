"""`library.catalogue`: pages of documents, filtered, for screens and programs that browse a library (UI-1)."""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

from octavo.documents.location import place_of
from octavo_contracts import UsageError

from ..storage import MOST_COUNTED, DocumentFilter, DocumentRecord, ListingPosition, PolicyContext, entry_name, is_entry
from ..storage.index.superseded import Replacement
from .context import LibraryContext
from .document import Document
from .document_entity import DocumentEntity, entity_of
from .document_versions import DocumentVersion
from .lookup import asker_of
from .suggestions import Suggestion, suggestions
from .type_audit import SAMPLE, TypeAudit, sample_types

_FILE: Final = "file://"


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry:
    """A document in a listing: what its row in the index holds, without reading its files.

    Attributes:
        id: its id.
        name: its title, else its file name, else its name as an attachment, else the beginning of its id.
        status: `complete`, `degraded_complete` or `hard_failed`.
        reason: why it failed, or None.
        media_type: its type by content.
        document_type: its kind, such as `contract`; None if unknown.
        size: its bytes, or None if unknown.
        active_version: the version that readers get; None without one.
        is_accepted: whether the user accepted that version with its flags (ENG-25).
        ingested_at: when the asker first ingested it, ISO 8601, UTC.
    """

    id: str
    name: str
    status: str
    reason: str | None
    media_type: str | None
    document_type: str | None
    size: int | None
    active_version: int | None
    is_accepted: bool
    ingested_at: str


@dataclass(frozen=True, kw_only=True)
class CataloguePage:
    """One page of a listing.

    Attributes:
        entries: its documents.
        next_cursor: cursor of the next page; None at the end.
    """

    entries: tuple[CatalogueEntry, ...]
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class CatalogueCounts:
    """How many documents the asker has.

    Attributes:
        statuses: status → number of documents.
        media_types: media type → number of documents, the most frequent first.
        accepted: number of documents whose active version the user accepted with its flags.
    """

    statuses: dict[str, int] = field(default_factory=dict)
    media_types: dict[str, int] = field(default_factory=dict)
    accepted: int = 0

    @property
    def total(self) -> int:
        """Number of documents."""
        return sum(self.statuses.values())


@dataclass(frozen=True, kw_only=True)
class CatalogueExtent:
    """How much the documents of the asker hold.

    Attributes:
        original_bytes: size of the originals.
        versions: number of stored versions; for a corpus or a policy, of active ones.
        flags: degraded flag → number of documents whose active version has it, the most frequent first.
    """

    original_bytes: int
    versions: int
    flags: dict[str, int]


class Catalogue:
    """The documents of an open library, page by page.

    Args:
        context: the library's parts.
    """

    def __init__(self, context: LibraryContext) -> None:
        self._context = context

    def page(
        self,
        wanted: DocumentFilter | None = None,
        *,
        corpus: str | None = None,
        policy: PolicyContext | None = None,
        newest_first: bool = True,
        limit: int = 50,
        cursor: str | None = None,
    ) -> CataloguePage:
        """One page of the documents that the asker may see.

        Args:
            wanted: the filter; None: every document.
            corpus: only documents of this corpus, as visible under its policy (STO-5).
            policy: only documents ingested under this policy context. Without corpus and policy, the library's owner
                asks and sees all.
            newest_first: by the time of the first ingestion, descending.
            limit: documents of a page, at least 1.
            cursor: `CataloguePage.next_cursor` of the page before.

        Raises:
            UsageError: no such corpus, both a corpus and a policy, a limit below 1, or an invalid cursor.
        """
        if limit < 1:
            raise UsageError(f"limit must be at least 1, got {limit}")
        corpus_id, asker = asker_of(self._context, corpus, policy)
        found = self._context.index.listing.page(
            wanted or DocumentFilter(),
            corpus_id=corpus_id,
            policy=asker,
            newest_first=newest_first,
            limit=limit,
            after=None if cursor is None else _position(cursor),
        )
        ids = [record.document_id for record in found.documents]
        accepted = self._context.index.acceptances.accepted(ids, policy=asker)
        own = {record.document_id: _own_name(record) for record in found.documents}
        unnamed = [document_id for document_id, name in own.items() if not name]
        named = self._context.index.attachments.names_of(unnamed, policy=asker) if unnamed else {}
        if left := [document_id for document_id in unnamed if document_id not in named]:
            paths = self._context.index.documents.first_paths(left, policy=asker)
            named |= {document_id: file_name_of(path) for document_id, path in paths.items()}
        return CataloguePage(
            entries=tuple(
                _entry(record, own[record.document_id] or named.get(record.document_id), accepted)
                for record in found.documents
            ),
            next_cursor=None if found.next is None else _cursor(found.next),
        )

    def count(
        self, wanted: DocumentFilter, *, corpus: str | None = None, policy: PolicyContext | None = None
    ) -> int | None:
        """Number of documents that a filter lets through; None if there are more than 10,000.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        counted = self._context.index.listing.count(wanted, corpus_id=corpus_id, policy=asker)
        return None if counted > MOST_COUNTED else counted

    def counts(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> CatalogueCounts:
        """Number of documents by status and by media type.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        index = self._context.index
        return CatalogueCounts(
            statuses={
                status.value: number
                for status, number in index.documents.status_counts(corpus_id=corpus_id, policy=asker).items()
            },
            media_types=index.listing.media_types(corpus_id=corpus_id, policy=asker),
            accepted=len(index.acceptances.accepted(corpus_id=corpus_id, policy=asker)),
        )

    def extent(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> CatalogueExtent:
        """How much the documents hold, and how often each flag occurs (UI-5). Reads the index alone.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        found = self._context.index.listing.extent(corpus_id=corpus_id, policy=asker)
        return CatalogueExtent(original_bytes=found.original_bytes, versions=found.versions, flags=found.flags)

    def successors(
        self, document_ids: Sequence[str], *, corpus: str | None = None, policy: PolicyContext | None = None
    ) -> dict[str, str]:
        """Document id → the document that is now at its path, for documents whose files have other content now.

        A document that stands at another path, with the same bytes, is left out.

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        _, asker = asker_of(self._context, corpus, policy)
        return self._context.index.paths.successors(document_ids, policy=asker)

    def replacements(self, document_ids: Sequence[str], *, corpus: str | None = None) -> tuple[Replacement, ...]:
        """The paths at which these documents replaced others, if their last ingestion there did so.

        Args:
            document_ids: the documents.
            corpus: the corpus of the ingestion; None: only documents that came in without one.

        Raises:
            UsageError: no such corpus.
        """
        policy = self._context.index.corpora.get(corpus).policy if corpus is not None else PolicyContext()
        return self._context.index.paths.replacements(document_ids, policy=policy)

    def type_audit(self, *, size: int = SAMPLE) -> TypeAudit:
        """This month's sample of classified documents, for a review by the library's owner (MET-2).

        Review a document by `Document.set_type`, with the classifier's type if it is right.

        Args:
            size: most documents of the sample.
        """
        return sample_types(self._context, size=size)

    def suggestions(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> dict[str, Suggestion]:
        """Documents for which a reconversion is suggested, by their ids: after an upgrade or a change of type (ENG-18).

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        return suggestions(self._context, corpus_id=corpus_id, policy=asker)

    def follow(
        self,
        suggestion: Suggestion,
        *,
        password: str | None = None,
        timeout: float | None = None,
        activate: bool | None = None,
        policy: PolicyContext | None = None,
    ) -> DocumentVersion:
        """Convert a document again as a suggestion says (ENG-18).

        After an upgrade the same plugin converts it, and does not become the document's plugin by that; after a change of
        type, the rules choose.

        Args:
            suggestion: of `suggestions`.
            password: as `Document.reconvert`.
            timeout: as `Document.reconvert`.
            activate: as `Document.reconvert`.
            policy: the asking policy context.

        Raises:
            UsageError: the asker has no such document.
            SourceMissing: the original is at none of its known paths.
            OctavoError: the conversion failed; existing versions are untouched.
        """
        from .reconvert import ReconvertOptions, reconvert_document  # a reader of listings needs no converter code

        document = self.find(suggestion.document_id, policy=policy)
        plugin = suggestion.plugin if suggestion.cause == "newer_plugin" else None
        how = ReconvertOptions(
            plugin=plugin, asked_by="an upgrade of the plugin", password=password, timeout=timeout, activate=activate
        )
        with document.original.open() as source:
            made = reconvert_document(self._context, document.id, source, how, policy=policy)
        return next(version for version in document.versions if version.version == made)

    def entity(self, document: Document) -> DocumentEntity:
        """Everything that is known of a document, as one record (STO-15). Reads the files of all its versions.

        Args:
            document: the document, as the asker may see it.

        Raises:
            LibraryDamaged: files of its version are missing or altered.
        """
        return entity_of(document)

    def accepted(self, *, corpus: str | None = None, policy: PolicyContext | None = None) -> frozenset[str]:
        """Ids of the documents whose active version the user accepted with its flags (ENG-25).

        Raises:
            UsageError: no such corpus, or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        return self._context.index.acceptances.accepted(corpus_id=corpus_id, policy=asker)

    def find(self, document_id: str, *, corpus: str | None = None, policy: PolicyContext | None = None) -> Document:
        """A document by its whole id. Unlike `Library.document`, a corpus finds only its own documents.

        Raises:
            UsageError: the asker has no such document; or both a corpus and a policy.
        """
        corpus_id, asker = asker_of(self._context, corpus, policy)
        record = self._context.index.documents.get(document_id, policy=asker, corpus_id=corpus_id)
        return Document(self._context, record, policy=asker)

    def name_of(self, document: Document) -> str:
        """The name of a document as in a listing."""
        if document.title:
            return document.title
        names = (file_name_of(ref) for ref in reversed(document.paths))
        return next((name for name in names if name), f"document {document.id[:8]}")


def _entry(record: DocumentRecord, named: str | None, accepted: frozenset[str]) -> CatalogueEntry:
    """A row of a listing; `named` is its title or file name, or the name by which bytes came in."""
    return CatalogueEntry(
        id=record.document_id,
        name=named or f"document {record.document_id[:8]}",
        status=record.status.value,
        reason=record.reason.value if record.reason else None,
        media_type=record.mime_type,
        document_type=record.document_type if record.document_type != "unknown" else None,
        size=record.file_size,
        active_version=record.active_version,
        is_accepted=record.document_id in accepted,
        ingested_at=record.first_ingested_at,
    )


def _own_name(record: DocumentRecord) -> str:
    """The title or the file name of a document; empty without either."""
    return record.title or file_name_of(record.original_ref or "")


@lru_cache(maxsize=4096)  # a page of a listing has fifty
def file_name_of(ref: str) -> str:
    """The file name in a reference; empty for one without a name, and for a URL without a path."""
    if is_entry(ref):
        return entry_name(ref)
    if ref.startswith(_FILE):  # without a `Path`, which takes longer
        return os.fsdecode(unquote_to_bytes(ref[len(_FILE) :].rstrip("/").rpartition("/")[2]))
    try:
        place = place_of(ref)
    except ValueError:
        return ""
    return place.rstrip("/").rpartition("/")[2] if isinstance(place, str) else place.name


def _cursor(position: ListingPosition) -> str:
    written = json.dumps([position.first_ingested_at, position.document_id])
    return base64.urlsafe_b64encode(written.encode()).decode()


def _position(cursor: str) -> ListingPosition:
    try:
        read = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, binascii.Error, RecursionError):
        read = None
    match read:
        case [str(at), str(document_id)] if "\0" not in at + document_id:
            return ListingPosition(first_ingested_at=at, document_id=document_id)
    raise UsageError("the cursor is invalid", remedy="Begin again without a cursor")
