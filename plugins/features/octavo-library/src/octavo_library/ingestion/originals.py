"""Finds and opens the original of a known document, or of an attachment that is to be ingested."""

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
    """Open the first reference that has the bytes; the caller closes it. Workers do not learn its name (STO-5).

    Args:
        refs: `file:` and `store:` references, the likeliest first; consumed only as far as needed.
        artifacts: the library's files.
        raw_hash: SHA-256 of the bytes.
        name: name for bytes that the library stored; None: their hash.
        shown: name of the document in messages.

    Raises:
        SourceMissing: the original is at none of the references.
        SourceChanged: the file has changed.
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
        return Source.from_store(artifacts.path(ref), ref=ref, name=name or PurePosixPath(ref).name, display=shown)
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
    """References at which the original of a document may be, the likeliest first.

    Args:
        index: the library's index.
        artifacts: the library's files.
        raw_hash: SHA-256 of its bytes.
        policy: the asking policy context: references of other contexts are left out (STO-5); None: all are included.
        path_ref: the path in the request.
        name: name of bytes without a path; they are stored under its extension.
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
    """As `ArtifactStore.originals_of`, but lazy: searches when the first reference is requested."""
    yield from artifacts.originals_of(raw_hash)
