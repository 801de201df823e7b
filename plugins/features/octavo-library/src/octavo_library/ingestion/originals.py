"""Finds the original of a document that the library knows, or is owed, and opens it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from octavo.documents.source import Source
from octavo_contracts import OctavoError, SourceChanged, SourceMissing, ref_path, store_ref

from ..storage import ArtifactStore, Index, PolicyContext, document_id_for
from ..storage.files.layout import original_file


def open_original(
    refs: Iterable[str],
    artifacts: ArtifactStore,
    *,
    raw_hash: str,
    name: str | None = None,
    shown: str | None = None,
) -> Source:
    """The first of these places that has the bytes, opened for reading; close it. Workers are not told its name (STO-5).

    Args:
        refs: `file:` and `store:` references, the likeliest first; read as far as is needed.
        artifacts: the library's files.
        raw_hash: SHA-256 of the bytes.
        name: what bytes are called that the library stored; None: by their hash.
        shown: what the document is called in messages.

    Raises:
        SourceMissing: no path leads to it any more.
        SourceChanged: other bytes stand in its place.
    """
    problem: OctavoError = SourceMissing("no path to its original is known", source=shown or raw_hash[:12])
    seen: set[str] = set()
    for ref in refs:
        if ref in seen:
            continue
        seen.add(ref)
        try:
            source = _open(ref, artifacts, name=name, shown=shown)
        except OctavoError as error:
            problem = error
            continue
        except ValueError:
            continue
        if source.raw_file_hash == raw_hash:
            return source.without_name()
        source.close()
        problem = SourceChanged("the file at its path has other bytes now", source=source.display)
    raise problem


def _open(ref: str, artifacts: ArtifactStore, *, name: str | None, shown: str | None) -> Source:
    if ref.startswith("store:"):
        return Source.from_store(artifacts.path(ref), ref=ref, name=name, display=shown)
    return Source.from_path(ref_path(ref))


def places_of(
    index: Index,
    artifacts: ArtifactStore,
    *,
    raw_hash: str,
    policy: PolicyContext | None,
    path_ref: str | None = None,
    name: str | None = None,
) -> Iterator[str]:
    """Where the original of a document may stand, the likeliest first.

    Args:
        index: the library's index.
        artifacts: the library's files.
        raw_hash: SHA-256 of its bytes.
        policy: who asks: the places of other policy contexts are left out (STO-5); None: all count.
        path_ref: the path it came by.
        name: the name of bytes that came without a path, by whose extension they are stored.
    """
    if name is not None:
        yield store_ref(original_file(raw_hash, PurePosixPath(name).suffix))
    if path_ref is not None:
        yield path_ref
    document_id = document_id_for(raw_hash)
    yield from (one.original_ref for one in index.documents.get_many([document_id], policy=policy) if one.original_ref)
    yield from (record.path for record in index.documents.paths(document_id, policy=policy))
    yield from stored_originals(artifacts, raw_hash)


def stored_originals(artifacts: ArtifactStore, raw_hash: str) -> Iterator[str]:
    """As `ArtifactStore.originals_of`, looked for when the first is asked for."""
    yield from artifacts.originals_of(raw_hash)
