"""Ids that are computed, not given out: the same document and the same way in have the same id anywhere (STO-5)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache

from octavo.documents.ids import document_id_for

__all__ = ["PolicyContext", "document_id_for", "source_instance_id_for"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyContext:
    """Under which policy a document came in. Equal contexts see each other's documents, others do not (STO-5).

    Attributes:
        visibility: who may see it, for example "ambient" or "firewalled".
        sensitivity: how it must be handled, for example "normal", "privileged" or "local_only".
        scope_basis: what the two were inferred from, for example "corpus" or "default".
    """

    visibility: str = "ambient"
    sensitivity: str = "normal"
    scope_basis: str = "default"

    def canonical(self) -> str:
        """The context as JSON with sorted keys, the third under the seed's name (003 §12.2)."""
        return json.dumps(
            {
                "scope_inference_basis": self.scope_basis,
                "sensitivity": self.sensitivity,
                "visibility": self.visibility,
            },
            separators=(",", ":"),
        )


@lru_cache(maxsize=4096)  # asked for three times on a document's way
def source_instance_id_for(document_id: str, *, policy: PolicyContext, surface: str, corpus_id: str | None) -> str:
    """The id of a way in: document, policy context, surface and corpus, and nothing else (STO-5).

    Returns:
        32 hex digits of a SHA-256: time, path and user play no part, so that a repetition has the same id.
    """
    key = json.dumps([document_id, policy.canonical(), surface, corpus_id])
    return hashlib.sha256(key.encode()).hexdigest()[:32]
