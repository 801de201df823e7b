"""Reads what `octavo conformance validate` is given: results and digests in every form in which hosts write them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo_contracts import RefScheme, UsageError, parse_ref

from .evidence import DigestEvidence, ResultEvidence, sha256_of

Evidence = ResultEvidence | DigestEvidence


def read_documents(path: Path, *, archive: Path | None = None) -> Iterator[tuple[str, Evidence]]:
    """The results and digests of a file, each with a name for messages.

    A file holds a bare result, the object that `octavo convert --json` prints, one JSON object a line (`--jsonl`), or a
    digest.

    Args:
        path: the file.
        archive: a folder in which the texts are found by their references or by their hash.

    Raises:
        UsageError: it is no JSON, or neither a result nor a digest; or the archive is no folder.
    """
    if archive is not None and not archive.is_dir():
        raise UsageError(f"{archive} is no folder", remedy="Give the folder of a library, or of archived texts")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can not be read: {error}") from error
    for name, data in _objects(text, path):
        yield name, _evidence(data, name, archive)


def _objects(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    try:
        yield path.name, _parse(text)
        return
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise UsageError(f"{path} is not JSON: {error}") from error
    for number, line in enumerate(lines, start=1):
        try:
            yield f"{path.name}:{number}", _parse(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number}, is not JSON: {error}") from error


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _evidence(data: Any, name: str, archive: Path | None) -> Evidence:
    if isinstance(data, dict) and data.get("content_type") == "digest/v1":
        return DigestEvidence(
            data=data, archive=_by_hash(archive, str(data.get("source_text_hash", "")).partition(":")[2])
        )
    envelope = data if isinstance(data, dict) else {}
    result = envelope.get("result", data)
    if not isinstance(result, dict) or "ingestion_status" not in result:
        raise UsageError(
            f"{name} is neither an ingestion result nor a digest",
            remedy="Give a result, the output of `octavo convert --json`, a line of --jsonl, or a digest",
        )
    hashes = result.get("content_hashes")
    digest = hashes.get("normalized_text_hash") if isinstance(hashes, dict) else None
    canonical = envelope.get("canonical_text")
    markdown = envelope.get("markdown")
    return ResultEvidence(
        data=result,
        canonical=canonical
        if isinstance(canonical, str)
        else _archived(archive, result.get("canonical_text_ref"), digest),
        markdown=markdown
        if isinstance(markdown, str)
        else _archived(archive, result.get("normalized_content_ref"), None),
    )


def _archived(archive: Path | None, ref: Any, digest: Any) -> str | None:
    """A text by its `store:` reference below the archive, else by its hash."""
    if archive is None:
        return None
    if isinstance(ref, str):
        try:
            parsed = parse_ref(ref)
        except ValueError:
            return _by_hash(archive, digest)  # what is wrong with the reference is a check's to say
        if parsed.scheme is RefScheme.STORE and (archive / parsed.value).is_file():
            return (archive / parsed.value).read_bytes().decode("utf-8")
    return _by_hash(archive, digest)


def _by_hash(archive: Path | None, digest: Any) -> str | None:
    """The archived canonical text of a hash: `{source_id}/{hash}.txt`, or a text whose hash it is."""
    if archive is None or not isinstance(digest, str) or not digest:
        return None
    named = sorted(archive.rglob(f"{digest}.txt"))
    for path in named or sorted(archive.rglob("*.txt")):
        text = path.read_bytes().decode("utf-8", "replace")
        # A file that bears the name is taken for the text: whether its hash fits is a check's to say.
        if named or sha256_of(text) == digest:
            return text
    return None
