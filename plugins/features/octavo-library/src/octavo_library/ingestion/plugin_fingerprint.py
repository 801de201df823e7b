"""Fingerprint of the installed plugins: decides whether a stored result still answers a request."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping

from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo_contracts import IngestionState
from octavo_sandbox import SandboxLimits

from ..storage import ArtifactStore, Index, KnownDocument
from .circuit_breaker import BELIEVED_SECONDS
from .converting_plugin import is_by_its_owner
from .corpus_limits import is_raised
from .locked_documents import LockedDocuments
from .requests import IngestRequest, PersistedRequest

_DEFAULTS = SandboxLimits()


class PluginFingerprint:
    """Fingerprints the installed plugins and checks stored results against them. Thread-safe.

    Args:
        runtime: the runtime with the plugins.
        index: the library's index, for reading.
        artifacts: the library's files.
        locked: decides which converted documents a request has to open first.
    """

    def __init__(self, runtime: Runtime, index: Index, *, artifacts: ArtifactStore, locked: LockedDocuments) -> None:
        self._runtime = runtime
        self._index = index
        self._artifacts = artifacts
        self._locked = locked
        self._cached = ("", float("-inf"))

    def of(self, request: IngestRequest) -> str:
        """The fingerprint of the installed plugins and of the plugins that the request names, as one string."""
        fingerprint, read_at = self._cached
        if time.monotonic() - read_at >= BELIEVED_SECONDS:
            fingerprint = self._runtime.catalogue.fingerprint() + _chosen(self._runtime.settings.plugins)
            self._cached = (fingerprint, time.monotonic())
        wishes = (*request.options.overrides, *request.options.standing)
        return fingerprint + "".join(f"/{plugin}" for plugin, _ in wishes)

    @property
    def limits(self) -> dict[str, float]:
        """The conversion limits of the settings that differ from the defaults, for `serialize_request`."""
        settings = self._runtime.settings
        found = {name: getattr(settings.limits, name) for name in ("wall_seconds", "memory_mb")}
        differs = {name: value for name, value in found.items() if value != getattr(_DEFAULTS, name)}
        return (
            differs if settings.document_seconds is None else differs | {"document_seconds": settings.document_seconds}
        )

    def is_by_its_owner(self, known: KnownDocument) -> bool:
        """Whether the plugin that converted a known document is the one that its name stands for."""
        return is_by_its_owner(self._artifacts, self._runtime.catalogue, known)

    def is_settled(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request: a conversion, or a failure not worth a retry."""
        if known.active_version is not None:
            return not self._locked.is_locked(known) and self.is_by_its_owner(known)
        if request.retry or request.options.password is not None or known.status is not IngestionState.HARD_FAILED:
            return False
        failure = self._index.jobs.stored_failure(known.raw_hash)
        if failure is None or failure.engine_set != self.of(request):
            return False
        then = PersistedRequest.read(failure.request_json)
        # With more time, memory or size the conversion may succeed: limits of earlier requests do not bind (ENG-11, ENG-20).
        if is_raised(request.size_limits, then.size_limits if then else {}):
            return False
        had = _allowed(then.options.timeout if then else None, then.limits if then else {})
        return all(now <= was for now, was in zip(_allowed(request.options.timeout, self.limits), had, strict=True))


def _chosen(plugins: PluginSelection | None) -> str:
    """Return a hash of the options of plugins, of their memory and of their hosts; empty if there are none."""
    given = [plugins.options, plugins.memory] if plugins is not None else []
    if plugins is not None and plugins.network:
        given.append(plugins.network)
    text = json.dumps(given, sort_keys=True, default=dict)
    return f"+{hashlib.sha256(text.encode()).hexdigest()[:16]}" if any(given) else ""


def _allowed(timeout: float | None, limits: Mapping[str, float]) -> tuple[float, float, float]:
    """Limits of a conversion: seconds per call, seconds in total, and memory in MiB."""
    call = timeout or limits.get("wall_seconds", _DEFAULTS.wall_seconds)
    return call, limits.get("document_seconds", 2 * call), limits.get("memory_mb", _DEFAULTS.memory_mb)
