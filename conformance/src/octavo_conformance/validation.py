"""Reads the input of `octavo conformance validate`: results and digests in every form that hosts write."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from octavo_contracts import RefScheme, UsageError, parse_ref

from .evidence import DigestEvidence, ResultEvidence, sha256_of

Evidence = ResultEvidence | DigestEvidence
STDIN = Path("-")
MAX_BYTES = 512 << 20
"""Maximum size of a file, bytes: parsed, it takes a multiple of its size in memory."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_documents(
    path: Path, *, archive: Path | None = None, original: Path | None = None, query: str | None = None
) -> Iterator[tuple[str, Evidence]]:
    """Yield the results and digests in a file, each with a name for messages.

    A file contains a bare result, the object that `octavo convert --json` prints, one JSON object per line (`--jsonl`),
    a digest, or the object that `octavo digest --json` prints.

    Args:
        path: the file; `-` for standard input.
        archive: folder with the texts, found by reference or by hash.
        original: the document that every result in the file is of.
        query: the question that every digest in the file answers.

    Raises:
        UsageError: the file is not JSON, or neither a result nor a digest; the archive is not a folder; or the original is
            not a file.
    """
    if archive is not None and not archive.is_dir():
        raise UsageError(f"{archive} is not a folder", remedy="Give the folder of a library or of archived texts")
    if original is not None and not original.is_file():
        raise UsageError(f"{original} is not a file", remedy="Give the document that was converted")
    name = "stdin" if path == STDIN else path.name
    for part, data in _objects(_read(path), name):
        evidence = _evidence(data, part, archive)
        if isinstance(evidence, ResultEvidence):
            yield part, replace(evidence, original=original)
        else:
            yield part, replace(evidence, query=query)


def _read(path: Path) -> str:
    """Read the text of a file without the byte order mark that some programs write before JSON."""
    try:
        if path == STDIN:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(
                f"{path} is larger than {MAX_BYTES >> 20} MiB",
                remedy="Split the lines of a long run into several files",
            )
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _objects(text: str, name: str) -> Iterator[tuple[str, Any]]:
    try:
        yield name, _parse(text)
        return
    except ValueError as error:
        # Split at line feeds only: JSON strings may contain other line separators.
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if len(lines) < 2:
            raise UsageError(f"{name} is not JSON: {error if lines else 'the file is empty'}") from error
    for number, line in lines:
        try:
            yield f"{name}:{number}", _parse(line)
        except ValueError as error:
            raise UsageError(f"{name}, line {number}, is not JSON: {error}") from error


def _parse(text: str) -> Any:
    """Parse a JSON value that can be written in UTF-8.

    Raises:
        ValueError: the text is not JSON, is nested too deeply, or contains half a surrogate pair.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    if "\\ud" in text.lower():
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"the text contains half a surrogate pair, {error.object[error.start]!a}") from None
    return data


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _evidence(data: Any, name: str, archive: Path | None) -> Evidence:
    if isinstance(data, dict) and isinstance(data.get("payload", data), dict):
        payload, details = data.get("payload", data), data.get("details")
        if payload.get("content_type") == "digest/v1":
            method = details.get("method") if isinstance(details, dict) else None
            return DigestEvidence(
                data=payload,
                archive=_by_hash(archive, str(payload.get("source_text_hash", "")).partition(":")[2]),
                searched=True if archive is not None else None,
                method=method if isinstance(method, str) else None,
            )
    if isinstance(data, dict) and "payload" in data and data["payload"] is None and "status" in data:
        raise UsageError(f"{name} has no digest: {data.get('reason') or data['status']}", remedy="Give a digest")
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
        searched=True if archive is not None and not isinstance(canonical, str) else None,
    )


def _archived(archive: Path | None, ref: Any, digest: Any) -> str | None:
    """Find a text by its `store:` reference in the archive, else by its hash."""
    if archive is None:
        return None
    if isinstance(ref, str):
        try:
            parsed = parse_ref(ref)
        except ValueError:
            return _by_hash(archive, digest)  # a check reports the invalid reference
        if parsed.scheme is RefScheme.STORE and (archive / parsed.value).is_file():
            return _text_of(archive / parsed.value)
    return _by_hash(archive, digest)


def _by_hash(archive: Path | None, digest: Any) -> str | None:
    """Find the archived canonical text with a hash: `{source_id}/{hash}.txt`, or any text with that hash."""
    if archive is None or not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        return None
    named = sorted(archive.rglob(f"{digest}.txt"))
    for path in named or sorted(archive.rglob("*.txt")):
        text = _text_of(path)
        # A file with this name is taken as the text: a check verifies its hash.
        if named or sha256_of(text) == digest:
            return text
    return None


def _text_of(path: Path) -> str:
    """Read an archived text; invalid UTF-8 in it results in a different hash."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
