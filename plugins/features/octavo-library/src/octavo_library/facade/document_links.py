"""`document.links`: a user's links between documents of a library (STO-9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..storage import Link, LinkKind, PolicyContext
from .context import LibraryContext


class Identified(Protocol):
    """A document of the library."""

    @property
    def id(self) -> str:
        """Its id."""


class Links:
    """The links from and to a document, oldest first. Reads are not cached.

    Links of policy contexts other than the asker's, or to their documents, are left out.

    Args:
        context: the library's parts.
        document_id: the document.
        policy: the asking policy context; None: the library's owner.
    """

    def __init__(self, context: LibraryContext, document_id: str, *, policy: PolicyContext | None) -> None:
        self._context = context
        self._document_id = document_id
        self._policy = policy

    def __iter__(self) -> Iterator[Link]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __getitem__(self, number: int, /) -> Link:
        return self._read()[number]

    def add(self, other: str | Identified, *, kind: LinkKind = "related_to", by: str = "user") -> None:
        """Record that the document `revises` another one, or is `related_to` it; both documents stay unchanged.

        Args:
            other: the other document, or what `Library.document` takes.
            kind: `revises` or `related_to`.
            by: the user.

        Raises:
            UsageError: no such document, or it is the same one.
        """
        self._context.index.links.add(self._document_id, self._other(other), kind=kind, by=by, policy=self._policy)

    def remove(self, other: str | Identified, *, kind: LinkKind = "related_to") -> bool:
        """Remove a link; return whether it existed.

        Raises:
            UsageError: no such document.
        """
        return self._context.index.links.remove(self._document_id, self._other(other), kind=kind, policy=self._policy)

    def _read(self) -> tuple[Link, ...]:
        index, policy, mine = self._context.index, self._policy, self._document_id
        found = index.links.of_document(mine, policy=policy)
        if policy is None:
            return found
        others = {one: one.other_id if one.document_id == mine else one.document_id for one in found}
        return tuple(one for one, other in others.items() if index.documents.is_visible(other, policy=policy))

    def _other(self, other: str | Identified) -> str:
        """The id of the other document; a document that the asker may not see is not found."""
        return self._context.index.documents.resolve(other, policy=self._policy) if isinstance(other, str) else other.id
