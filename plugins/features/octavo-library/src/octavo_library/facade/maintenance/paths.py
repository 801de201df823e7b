"""Paths of originals: which vanished, which are back, and one given by hand (STO-11). User files are read only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from octavo.documents.source import Source, hash_file
from octavo_contracts import SourceChanged, file_ref, ref_path

from ...storage import Index, LocationType, Place, PolicyContext

PAGE = 1000
"""How many paths are looked at between two transactions."""


@dataclass(frozen=True, kw_only=True)
class PathCheck:
    """What `check_paths` found.

    Attributes:
        checked: paths looked at; references that are no files of this machine are not.
        vanished: references newly marked as stale: nothing is there, or another file.
        returned: references that lead to their document again.
        unreachable: documents, by id, that have no live path and no stored original: they cannot be converted
            again until one is given with `Document.relink`. What was made of them stays usable.
    """

    checked: int
    vanished: tuple[str, ...]
    returned: tuple[str, ...]
    unreachable: tuple[str, ...]


def check_paths(index: Index, *, read_contents: bool = False, note: bool = True) -> PathCheck:
    """Look whether the documents still stand where they were seen, and note what changed.

    Args:
        index: the library's.
        read_contents: hash every file; otherwise a file of the right size counts as the document. A path that was
            stale is always hashed before it counts again.
        note: whether to note what changed, or only to tell.
    """
    checked = 0
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
            if not _leads_to(path, place, read_contents=read_contents or place.is_stale):
                gone += [] if place.is_stale else [place]
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
        unreachable=tuple(sorted(one for one in seen - live if not _has_stored_original(index, one))),
    )


def relink(
    index: Index,
    *,
    document_id: str,
    raw_hash: str,
    path: str | os.PathLike[str],
    policy: PolicyContext | None = None,
) -> str:
    """Note a path at which a document stands, once its bytes were compared.

    Returns:
        The path's reference.

    Raises:
        SourceMissing: there is no readable file.
        SourceChanged: the file is another one.
    """
    with Source.from_path(os.path.abspath(path)) as source:
        if source.raw_file_hash != raw_hash:
            raise SourceChanged(
                f"it is another file: its SHA-256 begins with {source.raw_file_hash[:12]}, the document's with {raw_hash[:12]}",
                source=source.display,
                remedy="Give the path of an unchanged copy; a new edition is ingested as a document of its own",
            )
        ref = file_ref(os.path.abspath(path))
        index.paths.add(document_id, ref, location_type=LocationType.LOCAL, policy=policy)
        return ref


def differing_originals(index: Index) -> tuple[str, ...]:
    """References of live paths at which a file with other bytes stands, sorted. A path without a file is none."""
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
    except ValueError:  # url: and the like lead to no file
        return None


def _leads_to(path: Path, place: Place, *, read_contents: bool) -> bool:
    if read_contents:
        return hash_file(path) == place.raw_hash
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return path.is_file() and (place.size is None or status.st_size == place.size)


def _has_stored_original(index: Index, document_id: str) -> bool:
    original = index.documents.get(document_id).original_ref
    return original is not None and original.startswith("store:")
