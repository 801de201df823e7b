"""Scope of a toolset: a corpus with its policy, or the library without firewalled documents (RET-5, STO-5)."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from octavo_contracts import UsageError
from octavo_library.facade.document import Document
from octavo_library.facade.library import Library
from octavo_library.facade.runs.document_jobs import is_arriving
from octavo_library.storage import AmbiguousReference, DocumentRecord, PolicyContext

from .failures import FailureCode, ToolFailure

_FIREWALLED = "firewalled"
_WHOLE_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Asker(NamedTuple):
    """A calling corpus and the policy contexts currently visible to it.

    Attributes:
        corpus_id: the corpus, or None for the library.
        policies: the visible policy contexts, each queried separately; more than one only for the library.
    """

    corpus_id: str | None
    policies: tuple[PolicyContext, ...]


@dataclass(frozen=True)
class Scope:
    """The documents visible to a toolset.

    The restriction is part of each query: a hidden document gets exactly the same answer as a missing one.

    Attributes:
        library: the library.
        corpus: name or id of the calling corpus. None: every document ingested under a policy context that is not
            firewalled, as in `Library.search`.
    """

    library: Library
    corpus: str | None = None

    def asker(self) -> Asker:
        """The caller, resolved against the current corpora.

        Raises:
            UsageError: the corpus is unknown.
        """
        corpora = self.library.context.index.corpora
        if self.corpus is not None:
            record = corpora.get(self.corpus)
            return Asker(record.corpus_id, (record.policy,))
        own = (record.policy for record in corpora.all() if record.policy.visibility != _FIREWALLED)
        return Asker(None, tuple(dict.fromkeys((PolicyContext(), *own))))

    def find(self, ref: str) -> Document:
        """Find the document that a model refers to.

        Args:
            ref: reference as accepted by `Library.document`.

        Raises:
            ToolFailure: the document is invisible to the caller, still being ingested, or the reference is ambiguous.
        """
        asker = self.asker()
        documents = self.library.context.index.documents
        for policy in asker.policies if "\x00" not in ref else ():
            try:
                whole = _WHOLE_ID.fullmatch(ref) is not None
                found = ref if whole else documents.resolve(ref, policy=policy, corpus_id=asker.corpus_id)
                record = documents.get(found, policy=policy, corpus_id=asker.corpus_id)
            except AmbiguousReference as error:
                raise ToolFailure(
                    FailureCode.INVALID_ARGUMENTS, error.message, remedy="Call it again with the whole document_id"
                ) from None
            except UsageError:
                continue
            return Document(self.library.context, record, policy=policy)
        if self._is_arriving(ref, asker):
            raise not_ready()
        raise ToolFailure(
            FailureCode.DOCUMENT_NOT_FOUND,
            "There is no document with this id",
            remedy="Take a document_id from search_documents or list_documents",
        )

    def readable(self, ref: str) -> Document:
        """Find a document and check that it has content.

        Raises:
            ToolFailure: as `find`; or the document is being converted, failed, or was purged.
        """
        document = self.find(ref)
        if document.active_version is not None:
            return document
        if self._is_arriving(document.id, self.asker()):
            raise not_ready()
        raise ToolFailure(
            FailureCode.DOCUMENT_FAILED,
            f"The document has no content because its conversion failed: {document.reason or document.status}",
            remedy="Tell the user: `octavo show` has the reasons and remedies",
        )

    def name_of(self, document: Document) -> str:
        """Display name of a document: its title, else a file name visible to the caller."""
        if document.title:
            return document.title
        for path in document.paths:
            name = path.rstrip("/").rpartition("/")[2]
            if name:
                return name
        return f"document {document.id[:8]}"

    def listed(self, *, limit: int, cursor: str | None) -> tuple[list[Document], str | None]:
        """One page of the documents in scope, and the cursor of the next page.

        Raises:
            ToolFailure: the cursor is invalid for this scope.
        """
        asker = self.asker()
        place, after = self._place(asker, cursor)
        found: list[tuple[int, DocumentRecord]] = []
        for number, record in self._walk(asker, place, after, limit + 1):
            found.append((number, record))
            if len(found) > limit:
                break
        told = [
            Document(self.library.context, record, policy=asker.policies[number]) for number, record in found[:limit]
        ]
        if len(found) <= limit:
            return told, None
        number, last = found[limit - 1]
        return told, _cursor(asker.policies[number], last.document_id)

    def has_documents(self) -> bool:
        """Whether any document is in scope."""
        return bool(self.listed(limit=1, cursor=None)[0])

    def _walk(
        self, asker: Asker, place: int, after: DocumentRecord | None, limit: int
    ) -> Iterator[tuple[int, DocumentRecord]]:
        """Yield the documents of each policy context, without duplicates."""
        documents = self.library.context.index.documents
        for number in range(place, len(asker.policies)):
            policy = asker.policies[number]
            while page := documents.page(corpus_id=asker.corpus_id, policy=policy, limit=limit, after=after):
                for record in page:
                    earlier = asker.policies[:number]
                    if not any(documents.is_visible(record.document_id, policy=one) for one in earlier):
                        yield number, record
                after = page[-1]
            after = None

    def _place(self, asker: Asker, cursor: str | None) -> tuple[int, DocumentRecord | None]:
        if cursor is None:
            return 0, None
        try:
            written, document_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
            number = [policy.canonical() for policy in asker.policies].index(written)
            last = self.library.context.index.documents.get(
                document_id, policy=asker.policies[number], corpus_id=asker.corpus_id
            )
        except (ValueError, TypeError, UsageError):
            raise ToolFailure(
                FailureCode.INVALID_ARGUMENTS,
                "The cursor is invalid, or its document no longer exists",
                remedy="Start again without a cursor",
            ) from None
        return number, last

    def _is_arriving(self, ref: str, asker: Asker) -> bool:
        index = self.library.context.index
        return any(is_arriving(index, ref, policy=policy, corpus_id=asker.corpus_id) for policy in asker.policies)


def not_ready() -> ToolFailure:
    """The failure for a document whose first conversion is running."""
    return ToolFailure(
        FailureCode.DOCUMENT_NOT_READY,
        "The document is being converted and has no content yet",
        remedy="Call again in a few seconds",
    )


def _cursor(policy: PolicyContext, document_id: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([policy.canonical(), document_id]).encode()).decode()
