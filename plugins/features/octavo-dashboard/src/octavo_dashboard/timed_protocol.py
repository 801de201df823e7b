"""Time limits of requests: a client that sends its headers or its body too slowly does not keep a connection."""

from __future__ import annotations

import asyncio
import time

from starlette.types import Message, Receive
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .problems import Refused

HEADER_SECONDS = 10.0
"""From the begin of a connection, or of a further request on it, to the end of the headers."""
MOST_HEADER_BYTES = 64 * 1024
"""Longest headers of a request."""
BODY_SECONDS = 30.0
"""Until the first bytes of a body, and as a margin for the rest."""
LEAST_RATE = 16_000
"""Bytes a second that a body must reach on average."""


class TimedProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a time and a size limit for the headers of each request; uvicorn itself limits idle connections only.

    The parser is written in C: one in Python takes a sixth of the time of a page.
    """

    header_seconds = HEADER_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._headers_due: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._has_headers = False
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Handle bytes of the client."""
        self._header_bytes += len(data)
        super().data_received(data)
        if self._has_headers or self._is_answering():
            self._header_bytes = 0
            self._headers_arrived()
        elif self._header_bytes > MOST_HEADER_BYTES and not self.transport.is_closing():
            self.send_400_response("The headers are too long.")
        else:
            self._wait_for_headers()

    def on_headers_complete(self) -> None:
        """Begin to answer; a body may follow."""
        self._has_headers = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The next bytes belong to another request."""
        self._has_headers = False
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._headers_arrived()
        super().connection_lost(exc)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_headers(self) -> None:
        if self._headers_due is None:
            self._headers_due = self.loop.call_later(self.header_seconds, self._too_slow)

    def _headers_arrived(self) -> None:
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _too_slow(self) -> None:
        self._headers_due = None
        if not self._has_headers and not self._is_answering():
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
