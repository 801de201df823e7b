"""Checks and relinks the paths of originals (STO-11). User files are never written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from octavo.documents.source import Source, hash_file
from octavo_contracts import SourceChanged, file_ref, ref_path

from ...storage import ArtifactStore, Index, LocationType, Place, PolicyContext
from ...storage.files.layout import hash_of_original

PAGE = 1000
"""Paths that are checked between two transactions."""


@dataclass(frozen=True, kw_only=True)
class PathCheck:
    """The findings of `check_paths`.

    Attributes:
        checked: number of checked paths; references other than files of this machine are not checked.
        vanished: references newly marked as stale: the file is missing or another one.
        returned: references that lead to their document again.
        unreachable: ids of documents without a live path and a stored original: they cannot be converted again until
            a path is given with `Original.relink`. Their versions stay usable.
        elsewhere: number of paths that do not lead to the document on this machine and are not marked: several machines share
            the library, and it has the original, which another machine may have read at that path.
    """

    checked: int
    vanished: tuple[str, ...]
    returned: tuple[str, ...]
    unreachable: tuple[str, ...]
    elsewhere: int = 0


def check_paths(artifacts: ArtifactStore, index: Index, *, read_contents: bool = False, note: bool = True) -> PathCheck:
    """Check whether the originals are still at their paths, and record changes.

    Args:
        artifacts: the library's files.
        index: the library's index.
        read_contents: hash every file; otherwise a file of the right size counts as the document. The file at a stale
            path is always hashed before the path counts as live again.
        note: whether to record changes, or only to report them.
    """
    checked = elsewhere = 0
    stored = {hash_of_original(ref) for ref in artifacts.originals()}
    is_shared = artifacts.store.is_shared
    reachable: set[str] = set()
    vanished: list[str] = []
    returned: list[str] = []
    live: set[str] = set()
    seen: set[str] = set()
    last = 0
    while page := index.paths.all(after=last, limit=PAGE):
        last = page[-1].path_id
        gone: list[Place] = []
        back: list[Place] = []
        for place in page:
            path = _local_path(place.path)
            if path is None:
                continue
            checked += 1
            seen.add(place.document_id)
            if place.raw_hash in stored:
                reachable.add(place.document_id)
            if not _leads_to(path, place, read_contents=read_contents or place.is_stale):
                if is_shared and place.raw_hash in stored:
                    elsewhere += 1
                elif not place.is_stale:
                    gone.append(place)
                continue
            live.add(place.document_id)
            back += [place] if place.is_stale else []
        if note:
            index.paths.set_stale([place.path_id for place in gone], stale=True)
            index.paths.set_stale([place.path_id for place in back], stale=False)
        vanished += [place.path for place in gone]
        returned += [place.path for place in back]
    return PathCheck(
        checked=checked,
        vanished=tuple(vanished),
        returned=tuple(returned),
        unreachable=tuple(sorted(seen - live - reachable)),
        elsewhere=elsewhere,
    )


def relink(
    index: Index,
    *,
    document_id: str,
    raw_hash: str,
    path: str | os.PathLike[str],
    policy: PolicyContext | None = None,
) -> str:
    """Record a path of a document after comparing the bytes.

    Returns:
        The path's reference.

    Raises:
        SourceMissing: there is no readable file.
        SourceChanged: the file has other bytes.
    """
    with Source.from_path(os.path.abspath(path)) as source:
        if source.raw_file_hash != raw_hash:
            raise SourceChanged(
                f"the file differs from the document: SHA-256 {source.raw_file_hash[:12]}…, expected {raw_hash[:12]}…",
                source=source.display,
                remedy="Give the path of an unchanged copy, or ingest the file as a new document",
            )
        ref = file_ref(os.path.abspath(path))
        index.paths.add(document_id, ref, location_type=LocationType.LOCAL, policy=policy)
        return ref


def differing_originals(index: Index) -> tuple[str, ...]:
    """References of live paths whose files have other bytes, sorted; without paths whose file is missing."""
    found: set[str] = set()
    last = 0
    while page := index.paths.all(after=last, limit=PAGE):
        last = page[-1].path_id
        for place in page:
            path = _local_path(place.path)
            if path is None or place.is_stale:
                continue
            digest = hash_file(path)
            if digest is not None and digest != place.raw_hash:
                found.add(place.path)
    return tuple(sorted(found))


def _local_path(ref: str) -> Path | None:
    try:
        return ref_path(ref)
    except ValueError:  # not a file reference, such as url:
        return None


def _leads_to(path: Path, place: Place, *, read_contents: bool) -> bool:
    if read_contents:
        return hash_file(path) == place.raw_hash
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return path.is_file() and (place.size is None or status.st_size == place.size)
