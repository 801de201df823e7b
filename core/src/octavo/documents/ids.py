"""Document ids, derived from the bytes alone, so that equal bytes have the same id in every library."""

from __future__ import annotations

import uuid
from functools import lru_cache

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:octavo:document")


@lru_cache(maxsize=4096)  # called ten times per document
def document_id_for(raw_hash: str) -> str:
    """Return the document's id: a UUIDv5 of the SHA-256 of its bytes.

    Args:
        raw_hash: SHA-256 of the bytes, hex.
    """
    return str(uuid.uuid5(_NAMESPACE, raw_hash))
