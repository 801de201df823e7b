"""Time limits of requests: a client that sends its headers or its body too slowly does not keep a connection."""

from __future__ import annotations

import asyncio
import time

import h11
from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol

from .problems import Refused

HEADER_SECONDS = 10.0
"""From the begin of a connection, or of a further request on it, to the end of the headers."""
BODY_SECONDS = 30.0
"""Until the first bytes of a body, and as a margin for the rest."""
LEAST_RATE = 16_000
"""Bytes a second that a body must reach on average."""


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a time limit for the headers of each request. Uvicorn itself limits idle connections only."""

    header_seconds = HEADER_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._headers_due: asyncio.TimerHandle | None = None
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Handle bytes of the client."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait_for_headers()
        else:
            self._headers_arrived()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._headers_arrived()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        if self._headers_due is None:
            self._headers_due = self.loop.call_later(self.header_seconds, self._too_slow)

    def _headers_arrived(self) -> None:
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _too_slow(self) -> None:
        self._headers_due = None
        if self.conn.their_state is h11.IDLE and (self.cycle is None or self.cycle.response_complete):
            self.transport.close()


def timely(receive: Receive, *, body_seconds: float = BODY_SECONDS, least_rate: int = LEAST_RATE) -> Receive:
    """Receive the body of a request within its time limit.

    Args:
        receive: of the server.
        body_seconds: see `BODY_SECONDS`.
        least_rate: see `LEAST_RATE`.
    """
    started = time.monotonic()
    seen = 0
    is_complete = False

    async def limited() -> Message:
        nonlocal seen, is_complete
        if is_complete:  # what follows is the end of the connection, for which a stream of events waits
            return await receive()
        left = started + body_seconds + seen / least_rate - time.monotonic()
        try:
            message: Message = await asyncio.wait_for(receive(), max(0.0, left))
        except TimeoutError:
            raise Refused(408, "The request arrived too slowly", reason="request_timeout") from None
        seen += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        return message

    return limited
