"""Computed ids: the same document and the same source instance have the same id in every library (STO-5)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from octavo.documents.ids import document_id_for

__all__ = ["FIREWALLED", "PolicyContext", "document_id_for", "source_instance_id_for"]

FIREWALLED: Final = '"visibility":"firewalled"'
"""Part of the canonical text of a firewalled policy context, visible only to its own corpora."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyContext:
    """The policy under which a document was ingested. Only equal contexts see each other's documents (STO-5).

    Attributes:
        visibility: who may see it, for example "ambient" or "firewalled".
        sensitivity: how it must be handled, for example "normal", "privileged" or "local_only".
        scope_basis: what the two were inferred from, for example "corpus" or "default".
    """

    visibility: str = "ambient"
    sensitivity: str = "normal"
    scope_basis: str = "default"

    def canonical(self) -> str:
        """The context as JSON with sorted keys; `scope_basis` has the seed's key (003 §12.2)."""
        return json.dumps(
            {
                "scope_inference_basis": self.scope_basis,
                "sensitivity": self.sensitivity,
                "visibility": self.visibility,
            },
            separators=(",", ":"),
        )

    @classmethod
    def parse(cls, canonical: str) -> PolicyContext:
        """The context that `canonical` wrote."""
        told = json.loads(canonical)
        return cls(
            visibility=told["visibility"], sensitivity=told["sensitivity"], scope_basis=told["scope_inference_basis"]
        )


@lru_cache(maxsize=4096)  # called three times for each document
def source_instance_id_for(document_id: str, *, policy: PolicyContext, surface: str, corpus_id: str | None) -> str:
    """The id of a source instance, from document, policy context, surface and corpus only (STO-5).

    Returns:
        32 hex digits of a SHA-256; time, path and user are not included, so that a repeated ingest has the same id.
    """
    key = json.dumps([document_id, policy.canonical(), surface, corpus_id])
    return hashlib.sha256(key.encode()).hexdigest()[:32]
