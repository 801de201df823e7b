"""Who asks: a corpus with its policy, or the library without its firewalled documents (RET-5, STO-5)."""

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
    """A corpus and the policy contexts that it may see, as they are now.

    Attributes:
        corpus_id: the corpus, or None for the library.
        policies: the policy contexts, each asked by itself; more than one for the library only.
    """

    corpus_id: str | None
    policies: tuple[PolicyContext, ...]


@dataclass(frozen=True)
class Scope:
    """The documents that a set of tools may see.

    The restriction is part of each query: a document that may not be seen gives exactly the answer of one that is not
    there.

    Attributes:
        library: the library.
        corpus: name or id of the corpus that asks. None: every document that came in under a policy context that is not
            firewalled, as in `Library.search`.
    """

    library: Library
    corpus: str | None = None

    def asker(self) -> Asker:
        """Who asks, as the corpora are now.

        Raises:
            UsageError: there is no such corpus.
        """
        corpora = self.library.context.index.corpora
        if self.corpus is not None:
            record = corpora.get(self.corpus)
            return Asker(record.corpus_id, (record.policy,))
        own = (record.policy for record in corpora.all() if record.policy.visibility != _FIREWALLED)
        return Asker(None, tuple(dict.fromkeys((PolicyContext(), *own))))

    def find(self, ref: str) -> Document:
        """The document that a model means.

        Args:
            ref: as `Library.document`.

        Raises:
            ToolFailure: it is not there for this asker, is on its way, or several fit.
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
            "There is no document of this id",
            remedy="Take a document_id from search_documents or list_documents",
        )

    def readable(self, ref: str) -> Document:
        """The document that a model means, where it has content.

        Raises:
            ToolFailure: as `find`; or it is being converted, failed, or was purged.
        """
        document = self.find(ref)
        if document.active_version is not None:
            return document
        if self._is_arriving(document.id, self.asker()):
            raise not_ready()
        raise ToolFailure(
            FailureCode.DOCUMENT_FAILED,
            f"The document has no content, as its conversion failed: {document.reason or document.status}",
            remedy="Tell the user: `octavo show` has the reasons and remedies",
        )

    def name_of(self, document: Document) -> str:
        """What a document is called: its title, else the name of a file under which the asker's side saw it."""
        if document.title:
            return document.title
        for path in document.paths:
            name = path.rstrip("/").rpartition("/")[2]
            if name:
                return name
        return f"document {document.id[:8]}"

    def listed(self, *, limit: int, cursor: str | None) -> tuple[list[Document], str | None]:
        """Documents in scope, and the cursor of the rest.

        Raises:
            ToolFailure: the cursor is none that this scope gave.
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
        """Whether there is any document in scope."""
        return bool(self.listed(limit=1, cursor=None)[0])

    def _walk(
        self, asker: Asker, place: int, after: DocumentRecord | None, limit: int
    ) -> Iterator[tuple[int, DocumentRecord]]:
        """Documents of one policy context after another, each once."""
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
                "The cursor is not one that this list gave, or its document is not there any more",
                remedy="Start again without a cursor",
            ) from None
        return number, last

    def _is_arriving(self, ref: str, asker: Asker) -> bool:
        index = self.library.context.index
        return any(is_arriving(index, ref, policy=policy, corpus_id=asker.corpus_id) for policy in asker.policies)


def not_ready() -> ToolFailure:
    """The answer for a document that is being converted for the first time."""
    return ToolFailure(
        FailureCode.DOCUMENT_NOT_READY,
        "The document is being converted and has no content yet",
        remedy="Call again in a few seconds",
    )


def _cursor(policy: PolicyContext, document_id: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([policy.canonical(), document_id]).encode()).decode()
