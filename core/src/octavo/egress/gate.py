"""The one gate that a document's content passes on its way to a service elsewhere (CNV-15)."""

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
"""What everybody who owns a document says of cloud services; asked only where it matters. Nobody: the document stays here."""


@dataclass(frozen=True, kw_only=True)
class CloudDecision:
    """What the gate said of one document and one service.

    Attributes:
        allowed: whether the service may see the document.
        service: who asked to see it.
        reason: why not; None where it may.
    """

    allowed: bool
    service: str
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class RecordedOwners:
    """The owners of a document, and who writes down what the gate decides. Called, it is `Owners`.

    Attributes:
        ask: what the owners say.
        told: called once for each decision that differs.
        leave: what the user can do where nothing but the source itself keeps the document here.
    """

    ask: Owners
    told: Callable[[CloudDecision], None]
    leave: str | None = None
    _known: set[CloudDecision] = field(default_factory=set, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __call__(self) -> Collection[CloudRequest]:
        """What the owners say now."""
        return self.ask()

    def record(self, decision: CloudDecision) -> None:
        """Write down a decision, unless the same one was made for this document before."""
        with self._lock:
            if decision in self._known:
                return
            self._known.add(decision)
        self.told(decision)


def pass_gate(owners: Owners | None, *, service: str, enabled: bool = True, remedy: str | None = None) -> None:
    """Raise unless everybody who owns a document lets a service see it. A refusal is logged, and recorded where it can be.

    A permission is recorded by `note_use`, once the service is in fact asked.

    Args:
        owners: of the document; None, and nobody among them: it stays here.
        service: who would see it.
        enabled: whether the deployment lets this kind of service see anything.
        remedy: what can be done about a refusal.

    Raises:
        PolicyRefused: somebody does not let it out, or nobody was there to ask.
    """
    asked = (owners() if owners is not None else ()) or (CloudRequest(user_enabled=True),)
    for request in asked:
        reason = cloud_refusal(replace(request, user_enabled=request.user_enabled and enabled))
        if reason is not None:
            logger.warning("egress.refused service=%s reason=%s", service, reason)
            if isinstance(owners, RecordedOwners):
                owners.record(CloudDecision(allowed=False, service=service, reason=reason))
                remedy = owners.leave if owners.leave and reason == NOT_LET_OUT else remedy
            raise PolicyRefused(f"{service} was not asked: {reason}", remedy=remedy)


def note_use(owners: Owners | None, *, service: str) -> None:
    """Record that a service is asked about a document, as the gate allowed."""
    logger.info("egress.allowed service=%s", service)
    if isinstance(owners, RecordedOwners):
        owners.record(CloudDecision(allowed=True, service=service))


_sending: ContextVar[Owners | None] = ContextVar("octavo_sending", default=None)


@contextmanager
def sending(owners: Owners | None) -> Iterator[None]:
    """Say whose document is worked on: what goes out meanwhile, by a client of this package, is recorded for it."""
    before = _sending.set(owners)
    try:
        yield
    finally:
        _sending.reset(before)


def note_sending(*, service: str) -> None:
    """Record that a service elsewhere is sent something of the document that is worked on."""
    note_use(_sending.get(), service=service)


def check_cloud(request: CloudRequest, *, service: str, remedy: str | None = None) -> None:
    """Raise unless a cloud service may see a document; a refusal is logged.

    Args:
        request: the document.
        service: who would see it.
        remedy: what can be done about a refusal.

    Raises:
        PolicyRefused: it may not.
    """
    pass_gate(lambda: (request,), service=service, remedy=remedy)
