"""The file of an extraction run: what one engine found in one version, beside that version (STO-2, STO-6).

The index answers every query; the file keeps a run with the text to which its offsets refer. Its name has the hash of its content,
so that a run is written once and never changed. When it was made, and for whom, is known to the index alone (STO-5).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from ..storage import ArtifactStore
from ..storage.files.stored_files import name_of
from ..storage.index.entities import NewEntityRun

_FORMAT = 1
_DIGITS = 16


def keep_extraction(artifacts: ArtifactStore, raw_hash: str, run: NewEntityRun) -> str:
    """Store a run with its version; storing the same run again changes nothing.

    Args:
        artifacts: the library's files.
        raw_hash: hash of the document.
        run: the run.

    Returns:
        The reference of its file.

    Raises:
        UsageError: the version was purged meanwhile.
        StorageError: the library cannot be written.
    """
    content = {
        "engine": run.engine,
        "engine_version": run.engine_version,
        "request": json.loads(run.request_json),
        "version": run.version,
        "dropped": dict(sorted(run.checked.dropped.items())),
        "observations": [
            {**json.loads(one.observation.to_json()), "key": one.key, "value": one.value} for one in run.checked.kept
        ],
    }
    return store_run(artifacts, raw_hash, run.version, name=run.engine, content=content)


def store_run(artifacts: ArtifactStore, raw_hash: str, version: int, *, name: str, content: dict[str, Any]) -> str:
    """Store a run under a name and the hash of its content; see `keep_extraction`."""
    digest = _digest(content)
    data = json.dumps({"format": _FORMAT, "sha256": digest, **content}, ensure_ascii=False, indent=1).encode()
    return artifacts.put_extraction(raw_hash, version, run=f"{name}-{digest[:_DIGITS]}", data=data)


def altered_extractions(artifacts: ArtifactStore, raw_hash: str, version: int) -> Iterator[str]:
    """References of a version's extraction runs whose content is not what was stored.

    Raises:
        StorageError: the store does not answer now.
    """
    return (ref for ref, data in stored_runs(artifacts, raw_hash, version) if not is_whole(data, ref))


def stored_runs(artifacts: ArtifactStore, raw_hash: str, version: int) -> Iterator[tuple[str, bytes]]:
    """References of a version's extraction runs with their content, altered ones included.

    Raises:
        StorageError: the store does not answer now.
    """
    for ref in artifacts.extractions(raw_hash, version):
        data = artifacts.find(name_of(ref))
        if data is not None:
            yield ref, data


def is_whole(data: bytes, ref: str) -> bool:
    """Return whether the content of a run is what was stored under its name."""
    try:
        told = json.loads(data)
        content = {name: value for name, value in told.items() if name not in ("format", "sha256")}
        return told["sha256"] == _digest(content) and ref.split("/")[-2].endswith(f"-{told['sha256'][:_DIGITS]}")
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _digest(content: dict[str, Any]) -> str:
    told = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(told.encode()).hexdigest()
