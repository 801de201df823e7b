"""Entity types that a policy context must not learn of, because only corpora outside of its view ask for them (STO-5)."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.settings.entities import EntitySettings

from ..storage import CorpusRecord, PolicyContext
from .opt_in import LABELS


def types_of_others(
    corpora: Sequence[CorpusRecord], settings: EntitySettings, *, policy: PolicyContext | None
) -> frozenset[str]:
    """The entity types that only corpora outside of a view ask for.

    Args:
        corpora: every corpus of the library.
        settings: the library's own types are visible everywhere.
        policy: the asking policy context sees the corpora under it; None: all corpora that are not firewalled.
    """
    if not any(LABELS in record.overrides for record in corpora):
        return frozenset()
    seen = [
        record
        for record in corpora
        if (record.policy == policy if policy is not None else record.policy.visibility != "firewalled")
    ]
    own = {*settings.labels, *(label for labels in settings.labels_by_document_type.values() for label in labels)}
    own |= {label for record in seen for label in record.overrides.get(LABELS) or ()}
    every = {label for record in corpora for label in record.overrides.get(LABELS) or ()}
    return frozenset(every - own)
