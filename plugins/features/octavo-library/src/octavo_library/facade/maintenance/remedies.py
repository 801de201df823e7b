"""Which command clears a finding of a check."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...storage import document_id_for
from ...storage.files.layout import hash_of_original
from .repair import is_chunk_set, is_original, version_of

_REPAIR = "`octavo repair --yes`"


def remedies(refs: Iterable[str], *, purgeable: Collection[tuple[str, int]], is_repaired: bool) -> list[str]:
    """The commands that clear findings, each with what they clear, in words.

    Args:
        refs: references of missing and altered files.
        purgeable: (document id, version) of the versions that `octavo purge --expired` would remove.
        is_repaired: whether a repair has just left these findings.
    """
    return list(dict.fromkeys(_remedy(ref, purgeable, is_repaired=is_repaired) for ref in refs))


def _remedy(ref: str, purgeable: Collection[tuple[str, int]], *, is_repaired: bool) -> str:
    place = version_of(ref)
    if place is not None and (document_id_for(place[0]), place[1]) in purgeable:
        return "damaged versions that another one has replaced: `octavo purge --expired --yes` removes them"
    if not is_repaired:
        return f"what can be repaired: {_REPAIR}"
    if is_original(ref):
        document_id = document_id_for(hash_of_original(ref))
        return (
            f"a stored original of {document_id}: put the file back at its path on any machine and run {_REPAIR} there; "
            f"`octavo purge {document_id}` gives the document up"
        )
    if place is not None:
        document_id = document_id_for(place[0])
        what = "a chunk set" if is_chunk_set(ref) else "a version"
        return f"{what} of {document_id}: `octavo reconvert {document_id}` makes a new version, where its original is"
    return f"other findings: {_REPAIR} again"
