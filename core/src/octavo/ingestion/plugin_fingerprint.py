"""What a stored answer depends on: another set of engines might read a document that failed."""

from __future__ import annotations

import time

from octavo_contracts import IngestionState

from ..runtime import Runtime
from ..storage import Index, KnownDocument
from .circuit_breaker import BELIEVED_SECONDS
from .locked_documents import LockedDocuments
from .requests import IngestRequest


class EngineSet:
    """The installed engines, and which stored results hold with them. Thread-safe.

    Args:
        runtime: whose engines.
        index: the library's index, for reading.
        locked: which converted documents a request has to open first.
    """

    def __init__(self, runtime: Runtime, index: Index, *, locked: LockedDocuments) -> None:
        self._runtime = runtime
        self._index = index
        self._locked = locked
        self._seen = ("", float("-inf"))

    def of(self, request: IngestRequest) -> str:
        """The installed engines, and the plugin that was asked for, in one word."""
        fingerprint, looked = self._seen
        if time.monotonic() - looked >= BELIEVED_SECONDS:
            fingerprint = self._runtime.catalogue.fingerprint()
            self._seen = (fingerprint, time.monotonic())
        wishes = (*request.options.overrides, *request.options.standing)
        return fingerprint + "".join(f"/{plugin}" for plugin, _ in wishes)

    def is_settled(self, known: KnownDocument, request: IngestRequest) -> bool:
        """Whether a known document's stored result answers a request: a conversion, or a failure not worth a new try."""
        if known.active_version is not None:
            return not self._locked.is_locked(known)
        if request.retry or request.options.password is not None or known.status is not IngestionState.HARD_FAILED:
            return False
        failure = self._index.stored_failure(known.raw_hash)
        return failure is not None and failure.engine_set == self.of(request)
