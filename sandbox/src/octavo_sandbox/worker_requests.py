"""Requests to the network that a worker sends during a call: the host answers them, because workers have no network.

A request and its answer are frames on the channel of the call. The host answers only if the caller gave a fetcher, and
checks every value of a request: a worker that a document has taken over can send any bytes.
"""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from octavo_contracts import ErrorRecord, OctavoError, PolicyRefused

from .framing import Frame, FrameError, read_blocking, send_blocking

if TYPE_CHECKING:  # every worker imports this module, few calls have a fetcher
    from octavo_contracts import FetchResponse

MAX_REQUESTS = 100
"""Requests that the host answers in one call."""
MAX_BODY_BYTES = 16 << 20
"""Maximum size of a request's body, bytes."""
MAX_ANSWER_BYTES = 64 << 20
"""Maximum size of an answer's body, bytes: the host holds it in memory."""
MAX_SECONDS = 600.0
"""Maximum time limit of one request."""


@dataclass(frozen=True, kw_only=True)
class WorkerRequest:
    """One request, as the worker sent it; types and sizes are checked.

    Attributes:
        url: the URL.
        method: the method.
        body: the body, or None.
        headers: the headers.
        max_bytes: maximum size of the answer.
        seconds: time limit.
    """

    url: str
    method: str
    body: bytes | None
    headers: Mapping[str, str]
    max_bytes: int
    seconds: float


HostFetch = Callable[[WorkerRequest, Callable[[], bool]], "FetchResponse"]
"""Answers a request. The second argument is polled while the request waits; True ends it."""


class RequestAnswerer:
    """The host's side of the requests of one call.

    Args:
        fetch: answers requests.
        tick: checks the limits of the call; raises if one is exceeded.
    """

    def __init__(self, fetch: HostFetch, *, tick: Callable[[], float]) -> None:
        self._fetch = fetch
        self._tick = tick
        self._count = 0
        self._ended: BaseException | None = None

    def answer(self, frame: Frame) -> tuple[dict[str, Any], bytes]:
        """Answer one frame of kind `fetch`.

        Raises:
            FrameError: the frame is malformed.
            OctavoError: a limit of the call was exceeded while the request was waiting.
        """
        request = _parsed(frame)
        self._count += 1
        try:
            if self._count > MAX_REQUESTS:
                raise PolicyRefused(f"the plugin sent more than {MAX_REQUESTS} requests in one call")
            if request.body is not None and len(request.body) > MAX_BODY_BYTES:
                raise PolicyRefused(f"the body of the request is larger than {MAX_BODY_BYTES} bytes")
            answer = self._fetch(request, self._is_over)
        except OctavoError as error:
            if self._ended is not None:
                raise self._ended from None
            return {"kind": "refused", "record": ErrorRecord.of(error).model_dump(mode="json")}, b""
        header = {
            "kind": "fetched",
            "url": answer.url,
            "status": answer.status,
            "media_type": answer.media_type,
            "headers": dict(answer.headers),
        }
        return header, answer.body

    def _is_over(self) -> bool:
        try:
            self._tick()
        except Exception as error:  # noqa: BLE001 - raised again by `answer`, outside of the fetcher
            self._ended = error
            return True
        return False


def _parsed(frame: Frame) -> WorkerRequest:
    header = frame.header
    try:
        headers = {str(name): str(value) for name, value in header["headers"].items()}
        seconds, most = float(header["seconds"]), int(header["max_bytes"])
        if not (isinstance(header["url"], str) and isinstance(header["method"], str) and math.isfinite(seconds)):
            raise ValueError
        return WorkerRequest(
            url=header["url"],
            method=header["method"],
            body=frame.body if header["has_body"] else None,
            headers=headers,
            max_bytes=max(0, min(most, MAX_ANSWER_BYTES)),
            seconds=max(0.0, min(seconds, MAX_SECONDS)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise FrameError("a request of the worker is malformed") from None


class ChannelFetcher:
    """The worker's side: a `Fetcher` that asks the host. Thread-safe; refuses after the end of its call.

    Args:
        sock: the channel to the host.
        nonce: the nonce of the call.
    """

    def __init__(self, sock: socket.socket, *, nonce: str) -> None:
        self._sock = sock
        self._nonce = nonce
        self._lock = threading.Lock()
        self._is_open = True

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = 30.0,
    ) -> FetchResponse:
        """Fetch a URL; see `octavo_contracts.Fetcher`.

        Raises:
            OctavoError: the host refused the request, or it failed.
        """
        header = {
            "kind": "fetch",
            "nonce": self._nonce,
            "url": url,
            "method": method,
            "headers": dict(headers or {}),
            "max_bytes": max_bytes,
            "seconds": timeout,
            "has_body": body is not None,
        }
        with self._lock:
            if not self._is_open:
                raise PolicyRefused("the call has ended; a plugin can fetch only during its call")
            send_blocking(self._sock, header, body or b"")
            frame = read_blocking(self._sock)
        if frame.header["kind"] == "refused":
            raise ErrorRecord.read(frame.header["record"]).to_error()
        from octavo_contracts import FetchResponse

        return FetchResponse(
            url=frame.header["url"],
            status=frame.header["status"],
            media_type=frame.header["media_type"],
            body=frame.body,
            headers=frame.header["headers"],
        )

    def close(self) -> None:
        """End the call; a request of another thread is finished first."""
        with self._lock:
            self._is_open = False
