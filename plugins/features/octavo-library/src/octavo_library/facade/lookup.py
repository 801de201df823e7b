"""Looks documents up by id, prefix or path, as far as the asker may see them (STO-5)."""

from __future__ import annotations

import hashlib
import os

from octavo.documents.source import Source
from octavo_contracts import UsageError

from ..storage import AlreadyKnown, DocumentRecord, PolicyContext
from .context import LibraryContext
from .document import Document


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
    context: LibraryContext, ref: str, *, corpus: str | None = None, policy: PolicyContext | None = None
) -> Document:
    """See `Library.document`.

    Raises:
        UsageError: no such document, or more than one; or both a corpus and a policy.
    """
    _, asker = asker_of(context, corpus, policy)
    record = context.index.documents.get(context.index.documents.resolve(ref, policy=asker), policy=asker)
    return Document(context, record, policy=asker)


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
