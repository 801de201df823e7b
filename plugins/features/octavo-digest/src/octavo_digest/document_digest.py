"""Digests documents of a library for a query, and verifies digests against the library's texts."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Collection, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from octavo_contracts import (
    Digestor,
    DigestOutcome,
    DigestPayload,
    DigestVerification,
    PolicyRefused,
    UsageError,
    verify_digest,
)
from octavo_library.facade.context import LibraryContext
from octavo_library.facade.document import Document
from octavo_library.facade.library import Library
from octavo_library.ingestion.cloud_owners import owners_of_document
from octavo_library.storage import Index, PolicyContext
from octavo_library.storage.version_files import version_refs
from octavo_sandbox.egress import CloudRequest, cloud_refusal
from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners, sending

from .choosing import DigestOptions, choose_digestor
from .policy import SourceQuality, quality_of, quality_warnings
from .requests import digest_with, parse_policy, with_empty

_DigestorKey = tuple[str | None, DigestOptions, PolicyContext | None]

_digestors: WeakKeyDictionary[LibraryContext, dict[_DigestorKey, Digestor]] = WeakKeyDictionary()
"""Digestors by open library, name and options, so that their caches and models are reused."""


def digest_document(
    library: Library,
    document: str | Document,
    *,
    query: str,
    policy: str = "always",
    scorer: str | None = None,
    archive_dir: str | os.PathLike[str] | None = None,
    digestor: str | None = None,
    **settings: Any,
) -> DigestOutcome:
    """Compress a document's active version for a query; every quotation verifies against its canonical text.

    Uses the best installed `Digestor` service, or the core's own, which needs no model, if none is installed.

    Args:
        library: the library of the document.
        document: the document, or an argument for `Library.document`.
        query: the question that the digest answers; empty for a general digest.
        policy: 'off', 'auto' (long documents of good quality) or 'always'.
        scorer: scorer that ranks passages; default: the digestor's choice.
        archive_dir: also archive the canonical text there. Verifying works with the library alone.
        digestor: the plugin whose digestor to use; 'core' for the core's own.
        settings: the digestor's own settings.

    Raises:
        UsageError: unknown document, policy, scorer, digestor or setting, or the document has no content.
        PolicyRefused: the digestor would send the text to an external model, and a corpus of the document forbids it.
        ToolUnavailable: a requirement of the digestor or scorer is missing.
    """
    return _run(
        adigest_document(
            library,
            document,
            query=query,
            policy=policy,
            scorer=scorer,
            archive_dir=archive_dir,
            digestor=digestor,
            **settings,
        )
    )


async def adigest_document(
    library: Library,
    document: str | Document,
    *,
    query: str,
    policy: str = "always",
    scorer: str | None = None,
    archive_dir: str | os.PathLike[str] | None = None,
    digestor: str | None = None,
    **settings: Any,
) -> DigestOutcome:
    """Like `digest_document`, without blocking the event loop longer than the digestor does.

    Raises:
        UsageError: see `digest_document`.
        PolicyRefused: see `digest_document`.
        ToolUnavailable: see `digest_document`.
    """
    context = library.context
    found = library.document(document) if isinstance(document, str) else document
    _check_own(settings)
    owners = owners_of_document(context.index, context.events, found.id, surface="digest")
    options = DigestOptions(
        policy=parse_policy(policy),
        scorer=scorer,
        archive_dir=Path(archive_dir) if archive_dir is not None else None,
        cloud=_lets_out(owners()),
        others=tuple(sorted(settings.items())),
    )
    text = await asyncio.to_thread(lambda: found.structured_text)
    with sending(owners), _refusals_recorded(owners, asked=settings):
        made = _digestor(context, (digestor, options, found.policy))
        outcome = await digest_with(made, text, query, source_id=found.id, quality=_quality(found))
    details = {"document_id": found.id, "conversion_version": str(found.active_version)}
    lost = await asyncio.to_thread(_warnings_of, found)
    warnings = with_empty((*lost, *outcome.warnings), found.why_empty)
    return replace(outcome, details={**outcome.details, **details}, warnings=warnings)


def verify_in_library(library: Library, payload: DigestPayload) -> DigestVerification:
    """Compare a digest with the library document that it was made from, in whichever version.

    The status is 'unavailable' if no version has the text, or if its file is missing.

    Args:
        library: the library.
        payload: the digest.

    Raises:
        StorageError: the file exists and cannot be read.
    """
    return verify_digest(payload, text_of_hash(library.context, payload.source_text_hash.removeprefix("sha256:")))


def _digestor(context: LibraryContext, key: _DigestorKey) -> Digestor:
    """Return a digestor with its cache; each policy context has its own, so that none learns of another's queries (STO-5)."""
    name, options, policy = key
    options = _with_own_cache(options, policy)
    kept = _digestors.setdefault(context, {})
    try:
        known = kept.get(key)
    except TypeError:  # an unhashable setting: such a digestor is not shared
        return choose_digestor(context.services, options, name=name)
    if known is None:
        known = kept[key] = choose_digestor(context.services, options, name=name)
    return known


def _with_own_cache(options: DigestOptions, policy: PolicyContext | None) -> DigestOptions:
    """The options with a folder of the policy context's own below `cache_dir`: a hit would tell of another's query (STO-5)."""
    others = dict(options.others)
    if not others.get("cache_dir"):
        return options
    own = "owner" if policy is None else hashlib.sha256(policy.canonical().encode()).hexdigest()[:16]
    others["cache_dir"] = str(Path(others["cache_dir"]) / own)
    return replace(options, others=tuple(sorted(others.items())))


def _quality(document: Document) -> SourceQuality:
    active = next((version for version in document.versions if version.version == document.active_version), None)
    return quality_of(active.quality_score if active else None)


def text_of_hash(context: LibraryContext, text_hash: str) -> str | None:
    """Return the canonical text of any stored version with this hash; active versions are searched first."""
    index = context.index
    active = index.documents.with_hash("text", text_hash)
    # The hash of an older version is recorded only with the version, so every document may have to be searched.
    for document_id in active or _all_ids(index):
        for version in index.versions.of_document(document_id):
            if version.normalized_text_hash == text_hash and version.purged_at is None:
                raw_hash = index.documents.get(document_id).raw_hash
                ref = version_refs(raw_hash, version.version, original="").canonical
                try:
                    return context.artifacts.read(ref).decode("utf-8", "replace")
                except UsageError:
                    continue  # its file is missing: another version or document may have the same text
    return None


def _all_ids(index: Index) -> list[str]:
    found: list[str] = []
    last = None
    while page := index.documents.page(limit=1000, after=last):
        found.extend(record.document_id for record in page)
        last = page[-1]
    return found


def _warnings_of(document: Document) -> tuple[str, ...]:
    """Return the quality warnings of a document's active version."""
    flagged = any(version.flags for version in document.versions if version.version == document.active_version)
    return quality_warnings(document.quality, but=document.why_empty) if flagged else ()


def _check_own(settings: Mapping[str, Any]) -> None:
    """Raise if a caller tries to set the cloud permission, which belongs to the corpora of the document.

    Raises:
        UsageError: `cloud` is among the digestor's settings.
    """
    if "cloud" in settings:
        raise UsageError(
            "cloud is not a setting of a digest: the document's corpora decide whether an external model may see it",
            remedy="Set cloud for each corpus of the document",
        )


def _lets_out(asked: Collection[CloudRequest]) -> bool:
    """True if all owners of a document allow cloud services; a document without a corpus is never sent."""
    return bool(asked) and all(cloud_refusal(request) is None for request in asked)


@contextmanager
def _refusals_recorded(owners: RecordedOwners, *, asked: Mapping[str, Any]) -> Iterator[None]:
    """Record that a digestor did not send a document to a model because its owners forbid it."""
    try:
        yield
    except PolicyRefused:
        requests = owners() or (CloudRequest(user_enabled=True),)
        reason = next(filter(None, map(cloud_refusal, requests)), "its address is not allowed")
        service = f"the model {asked.get('llm_model', 'of the digestor')}"
        owners.record(CloudDecision(allowed=False, service=service, reason=reason))
        raise


def _run(work: Coroutine[Any, Any, DigestOutcome]) -> DigestOutcome:
    """Run a coroutine from synchronous code, even if the caller's thread has a running event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()
