"""`origins_of`: where a document came from, the corpora that have it, and when it was last used (UI-1)."""

from __future__ import annotations

from dataclasses import dataclass

from ..storage import CorpusMembership, PathRecord
from ..storage.index.memberships import SourceInstance
from .document import Document


@dataclass(frozen=True, kw_only=True)
class DocumentOrigins:
    """Where a document came from, as far as the asker may see it (STO-5).

    Attributes:
        locations: the places at which it was seen, oldest first, with type and time, and whether it is gone from there.
        memberships: its corpora, with when and by whom it was added.
        instances: the ways in which it came, oldest first.
        last_accessed_at: when a model was last sent the document, or None.
    """

    locations: tuple[PathRecord, ...]
    memberships: tuple[CorpusMembership, ...]
    instances: tuple[SourceInstance, ...]
    last_accessed_at: str | None


def origins_of(document: Document, *, corpus: str | None = None) -> DocumentOrigins:
    """Read the origins of a document.

    Args:
        document: the document as the asker sees it.
        corpus: only the membership and the ways in of this corpus; other corpora of the same policy are not named.
    """
    index, policy = document.context.index, document.policy
    sent = index.conversations.of_document(document.id, policy=policy)
    memberships = index.memberships.of_document(document.id, policy=policy)
    instances = index.memberships.instances_of(document.id, policy=policy)
    return DocumentOrigins(
        locations=index.documents.paths(document.id, policy=policy),
        memberships=tuple(one for one in memberships if corpus in (None, one.corpus)),
        instances=tuple(one for one in instances if corpus in (None, one.corpus)),
        last_accessed_at=max((one.last_sent_at for one in sent if one.last_sent_at), default=None),
    )
