"""Detects versions whose files are missing or altered before they are reused, and replaces them (ENG-18, STO-8)."""

from __future__ import annotations

from ..storage import ArtifactStore, Index, KnownDocument, is_whole

DAMAGE = "damage"
"""Author of an activation that replaces a damaged version, in the log of activations."""


def is_there(artifacts: ArtifactStore, known: KnownDocument) -> bool:
    """Whether the folder of a document's active version exists: one check, for runs of thousands of known files.

    A damaged file in it is found when the result is read, or the document is ingested by itself.
    """
    if known.active_version is None:
        return True
    return artifacts.has_version(known.raw_hash, known.active_version)


def is_usable(artifacts: ArtifactStore, known: KnownDocument) -> bool:
    """Whether the files of a document's active version are intact; True for a document without one."""
    if known.active_version is None:
        return True
    return is_whole(artifacts, known.raw_hash, known.active_version, read_contents=True)


def replace_damaged(artifacts: ArtifactStore, index: Index, known: KnownDocument) -> int | None:
    """Mark a document's active version as damaged, and activate its newest intact version.

    Args:
        artifacts: the library's files.
        index: the library's index.
        known: the document.

    Returns:
        The version that is active now; None if no version is intact and the document must be converted again.
    """
    assert known.active_version is not None  # else no version could be damaged
    intact = [
        record.version
        for record in index.versions.of_document(known.document_id)
        if record.purged_at is None
        and record.version != known.active_version
        and is_whole(artifacts, known.raw_hash, record.version, read_contents=True)
    ]
    with index.whole():
        index.versions.mark_damaged(known.document_id, known.active_version)
        if intact:
            index.versions.activate(known.document_id, max(intact), by=DAMAGE)
    return max(intact, default=None)
