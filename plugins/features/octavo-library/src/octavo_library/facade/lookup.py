"""Looks documents up by id, prefix or path, as far as the asker may see them (STO-5)."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime

from octavo.documents.source import Source
from octavo_contracts import IngestionState, UsageError

from ..storage import HASH_KINDS, AlreadyKnown, DocumentRecord, HashKind, PolicyContext, time_text
from .context import LibraryContext
from .document import Document
from .versions import Versions


def asker_of(
    context: LibraryContext, corpus: str | None, policy: PolicyContext | None
) -> tuple[str | None, PolicyContext | None]:
    """The id of the asking corpus, or None; and the asking policy context, or None for the library's owner.

    Raises:
        UsageError: no such corpus, or both a corpus and a policy.
    """
    if corpus is None:
        return None, policy
    if policy is not None:
        raise UsageError("a corpus and a policy were given", remedy="Give only one of corpus and policy")
    record = context.index.corpora.get(corpus)
    return record.corpus_id, record.policy


def find_document(
    context: LibraryContext,
    ref: str,
    *,
    version: int | None = None,
    as_of: datetime | None = None,
    corpus: str | None = None,
    policy: PolicyContext | None = None,
) -> Document:
    """See `Library.document`.

    Raises:
        UsageError: no such document, or more than one; no such version, or none at that time; or two arguments that
            exclude each other.
    """
    _, asker = asker_of(context, corpus, policy)
    record = context.index.documents.get(context.index.documents.resolve(ref, policy=asker), policy=asker)
    if version is not None and as_of is not None:
        raise UsageError("a version and a time were given", remedy="Give only one of version and as_of")
    if version is None and as_of is None:
        return Document(context, record, policy=asker)
    return Document(context, _at_version(context, record, version, as_of, asker), policy=asker)


def _at_version(
    context: LibraryContext,
    record: DocumentRecord,
    version: int | None,
    as_of: datetime | None,
    asker: PolicyContext | None,
) -> DocumentRecord:
    """The record of a document with another version in the place of the active one."""
    named = record.title or record.document_id
    if as_of is not None:
        moment = as_of if as_of.tzinfo is not None else as_of.replace(tzinfo=UTC)
        asked = time_text(moment)
        # To a policy context there is no document before it had one (STO-5).
        is_known = asker is None or asked >= record.first_ingested_at
        version = context.index.versions.active(record.document_id, as_of=asked) if is_known else None
        if version is None:
            raise UsageError(
                f"{named} had no version at {moment.isoformat()}", remedy="See `octavo show DOC --versions`"
            )
    seen = {one.version: one for one in Versions(context, record, policy=asker)}
    if version not in seen:
        # A version that the asker may not see is reported like one that does not exist.
        raise UsageError(
            f"{named} has no version {version}", remedy=f"Its versions: {', '.join(map(str, seen)) or 'none'}"
        )
    is_whole = seen[version].status == "ok"
    status = IngestionState.COMPLETE if is_whole else IngestionState.DEGRADED_COMPLETE
    return replace(record, active_version=version, status=status, reason=None)


def list_documents(
    context: LibraryContext, *, corpus: str | None = None, policy: PolicyContext | None = None
) -> list[Document]:
    """See `Library.documents`.

    Raises:
        UsageError: no such corpus, or both a corpus and a policy.
    """
    corpus_id, policy = asker_of(context, corpus, policy)
    found: list[Document] = []
    last: DocumentRecord | None = None
    while page := context.index.documents.page(corpus_id=corpus_id, policy=policy, limit=1000, after=last):
        found.extend(Document(context, record, policy=policy) for record in page)
        last = page[-1]
    return found


def documents_with_hash(
    context: LibraryContext, value: str, *, corpus: str | None = None, policy: PolicyContext | None = None
) -> dict[HashKind, list[Document]]:
    """See `Library.documents_with_hash`.

    Raises:
        UsageError: no such corpus, or both a corpus and a policy.
    """
    _, asker = asker_of(context, corpus, policy)
    index = context.index.documents
    digest = value.removeprefix("sha256:").lower()
    found: dict[HashKind, list[Document]] = {}
    for kind in HASH_KINDS:
        ids = index.with_hash(kind, value if kind == "instance" else digest, policy=asker)
        if ids:
            found[kind] = [Document(context, index.get(one, policy=asker), policy=asker) for one in ids]
    return found


def document_id(context: LibraryContext, document: str | Document) -> str:
    """The id of a document, given as for `Library.document`.

    Raises:
        UsageError: no such document, or more than one.
    """
    return context.index.documents.resolve(document) if isinstance(document, str) else document.id


def find_known(
    context: LibraryContext, source: str | os.PathLike[str] | bytes, *, corpus: str | None = None
) -> AlreadyKnown | None:
    """See `Library.find_known`.

    Raises:
        UsageError: no such corpus.
        SourceMissing: there is no readable file.
    """
    policy = context.index.corpora.get(corpus).policy if corpus is not None else None
    if isinstance(source, bytes):
        return context.index.documents.already_known(hashlib.sha256(source).hexdigest(), policy=policy)
    with Source.from_path(source) as opened:
        return context.index.documents.already_known(opened.raw_file_hash, policy=policy)
