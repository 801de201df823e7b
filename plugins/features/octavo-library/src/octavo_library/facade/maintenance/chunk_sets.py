"""Chunk set files: derived from a version's texts, so they can be verified against them and rebuilt (STO-7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from octavo_contracts import Chunk, LibraryDamaged, PageAnchorMap, store_ref
from octavo_text.canonical import CanonicalText, hash_texts
from octavo_text.chunking import ChunkingConfig, make_chunks
from pydantic import ValidationError

from ...storage import ArtifactStore
from ...storage.files.layout import CHUNK_FILE, chunks_folder, version_folder
from ...storage.version_files import ANCHORS, CANONICAL, PAGES


def chunk_set_refs(artifacts: ArtifactStore, raw_hash: str, version: int) -> Iterator[tuple[str, str]]:
    """Config and reference of every chunk set folder of a version, by config."""
    for config_version in artifacts.chunk_configs(raw_hash, version):
        yield config_version, chunk_set_ref(raw_hash, version, config_version)


def chunk_set_ref(raw_hash: str, version: int, config_version: str) -> str:
    """The reference of a chunk set."""
    return store_ref(f"{chunks_folder(raw_hash, version, config_version)}/{CHUNK_FILE}")


def is_whole(data: bytes, canonical: str, *, committed: tuple[str, ...] | None) -> bool:
    """Whether a chunk set is valid: its spans are within the text and match the listed hashes.

    Args:
        data: content of its file.
        canonical: the version's canonical text.
        committed: its hashes in the index, or None if the index has none.
    """
    try:
        content = json.loads(data)
        chunks = [Chunk.read(item) for item in content["chunks"]]
        listed = tuple(content["chunk_hashes"])
    except (ValueError, KeyError, TypeError, ValidationError):
        return False
    if any(chunk.span.end > len(canonical) for chunk in chunks):
        return False
    actual = tuple(hash_texts(chunk.span.of(canonical) for chunk in chunks))
    return actual == listed and (committed is None or actual == committed)


def derive(artifacts: ArtifactStore, raw_hash: str, version: int, config: ChunkingConfig) -> bytes:
    """Build the file of a chunk set from the version's texts.

    Raises:
        UsageError: a file of the version is missing.
        StorageError: a file of the version is damaged.
    """
    folder = store_ref(version_folder(raw_hash, version))
    try:
        pages: dict[str, Any] = json.loads(artifacts.read(f"{folder}/{PAGES}"))
        archived = CanonicalText.from_archive(artifacts.read(f"{folder}/{CANONICAL}").decode())
        text = CanonicalText(archived.text, archived.pages, tuple(pages["breaks"]), pages["paginated"])
        anchors = PageAnchorMap.model_validate_json(artifacts.read(f"{folder}/{ANCHORS}"))
    except (ValueError, KeyError) as error:
        raise LibraryDamaged(f"{folder!r} is damaged: {error}", remedy="Run `octavo verify-store`") from error
    chunks = make_chunks(text, anchors, config)
    content = {
        "chunks": [json.loads(chunk.to_json()) for chunk in chunks],
        "chunk_hashes": list(hash_texts(chunk.span.of(text.text) for chunk in chunks)),
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()
