"""The gate that a document's content must pass before a cloud service receives it (CNV-15)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from octavo_contracts import PolicyRefused

from .policy import NOT_LET_OUT, CloudRequest, cloud_refusal

logger = logging.getLogger("octavo.egress")

Owners = Callable[[], Collection[CloudRequest]]
"""Returns the consent of all owners of a document to cloud services; called only when needed. No owners: no consent."""


@dataclass(frozen=True, kw_only=True)
class CloudDecision:
    """The gate's decision for one document and one service.

    Attributes:
        allowed: whether the service may receive the document.
        service: name of the service.
        reason: why it was refused; None if it was allowed.
    """

    allowed: bool
    service: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class RecordedOwners:
    """The owners of a document, with a recorder of the gate's decisions. Callable as `Owners`.

    Attributes:
        ask: returns the owners' consent.
        told: called once for each distinct decision.
        leave: remedy for the user if only the source's own policy forbids it.
    """

    ask: Owners
    told: Callable[[CloudDecision], None]
    leave: str | None = None
    _known: set[CloudDecision] = field(default_factory=set, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __call__(self) -> Collection[CloudRequest]:
        """Return the owners' current consent."""
        return self.ask()

    def record(self, decision: CloudDecision) -> None:
        """Record a decision, unless the same one was recorded for this document before."""
        with self._lock:
            if decision in self._known:
                return
            self._known.add(decision)
        self.told(decision)


def pass_gate(owners: Owners | None, *, service: str, enabled: bool = True, remedy: str | None = None) -> None:
    """Raise unless all owners of a document let a service receive it. Refusals are logged and, if possible, recorded.

    A permission is recorded by `note_use`, when the service is actually called.

    Args:
        owners: owners of the document; None or no owners: the document is refused.
        service: name of the service.
        enabled: whether the deployment allows this kind of service.
        remedy: remedy for a refusal.

    Raises:
        PolicyRefused: an owner does not allow it, or the owners are unknown.
    """
    asked = (owners() if owners is not None else ()) or (CloudRequest(user_enabled=True),)
    for request in asked:
        reason = cloud_refusal(replace(request, user_enabled=request.user_enabled and enabled))
        if reason is not None:
            logger.warning("egress.refused service=%s reason=%s", service, reason)
            if isinstance(owners, RecordedOwners):
                owners.record(CloudDecision(allowed=False, service=service, reason=reason))
                remedy = owners.leave if owners.leave and reason == NOT_LET_OUT else remedy
            raise PolicyRefused(f"{service} was not called: {reason}", remedy=remedy)


def note_use(owners: Owners | None, *, service: str) -> None:
    """Record that a service is called for a document, as the gate allowed."""
    logger.info("egress.allowed service=%s", service)
    if isinstance(owners, RecordedOwners):
        owners.record(CloudDecision(allowed=True, service=service))


_sending: ContextVar[Owners | None] = ContextVar("octavo_sending", default=None)


@contextmanager
def sending(owners: Owners | None) -> Iterator[None]:
    """Set whose document is processed: requests that clients of this package send meanwhile are recorded for it."""
    before = _sending.set(owners)
    try:
        yield
    finally:
        _sending.reset(before)


def note_sending(*, service: str) -> None:
    """Record that a service receives content of the document that is being processed."""
    note_use(_sending.get(), service=service)


def check_cloud(request: CloudRequest, *, service: str, remedy: str | None = None) -> None:
    """Raise unless a cloud service may receive a document; a refusal is logged.

    Args:
        request: the document.
        service: name of the service.
        remedy: remedy for a refusal.

    Raises:
        PolicyRefused: the service may not receive it.
    """
    pass_gate(lambda: (request,), service=service, remedy=remedy)
