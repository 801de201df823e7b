"""The id of a document: made from its bytes alone, so that equal bytes are one document in every library."""

from __future__ import annotations

import uuid
from functools import lru_cache

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:octavo:document")


@lru_cache(maxsize=4096)  # asked for ten times on a document's way
def document_id_for(raw_hash: str) -> str:
    """The document's id: a UUIDv5 of its bytes' SHA-256.

    Args:
        raw_hash: SHA-256 of the bytes, hex.
    """
    return str(uuid.uuid5(_NAMESPACE, raw_hash))
