"""Sends one HTTP request over a vetted connection; ignores proxies, stored passwords and the environment (DIG-27)."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from octavo_contracts import ContentTooLarge, PolicyRefused, ToolUnavailable

from .addresses import refusal
from .connecting import BLOCK, Deadline, Resolver, Vetting, connect, slow, system_resolver
from .targets import Target

USER_AGENT = "octavo"


@dataclass(frozen=True, kw_only=True)
class Connector:
    """How connections are made.

    Attributes:
        resolver: resolves hosts.
        vetting: returns why connecting to an address is refused, or None.
        context: TLS context; None: the system's certificates, names checked.
    """

    resolver: Resolver = system_resolver
    vetting: Vetting = refusal
    context: ssl.SSLContext | None = None


@contextmanager
def answered(
    target: Target,
    connector: Connector,
    deadline: Deadline,
    *,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
) -> Iterator[http.client.HTTPResponse]:
    """Send a request on its own connection, and yield the response after its headers are read.

    Args:
        target: the target of the request.
        connector: how to connect.
        deadline: deadline of the whole exchange, including the caller's reading.
        method: of the request.
        body: of the request.
        headers: headers of the request, except those of the connection itself, which are set here.

    Raises:
        PolicyRefused, Cancelled: see `connect`.
        ToolUnavailable: the server cannot be reached, is too slow, or its answer is not HTTP.
    """
    vetted = connect(
        target, deadline, resolver=connector.resolver, vetting=connector.vetting, context=connector.context
    )
    connection = http.client.HTTPConnection(target.host, target.port)
    # It must never connect by itself: it gets this socket, for a single request.
    connection.sock = cast("ssl.SSLSocket", vetted)
    connection.auto_open = 0
    own = {"Host": target.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        connection.request(method, target.path, body=body, headers={**headers, **own})
        yield connection.getresponse()
    except TimeoutError:
        raise slow() from None
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise ToolUnavailable(f"the answer of {target.host} is malformed: {type(error).__name__}") from error
    finally:
        connection.close()
        vetted.shut()


def read_body(response: http.client.HTTPResponse, target: Target, *, max_bytes: int) -> bytes:
    """Read the body of a response, up to its declared length and within the limit.

    Raises:
        PolicyRefused: the body has an encoding that was not requested.
        ContentTooLarge: the body is longer than `max_bytes`.
        ToolUnavailable: the body is truncated.
    """
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding != "identity":
        raise PolicyRefused(f"{target.host} answered in the encoding {encoding[:20]!r}, which was not requested")
    if response.length is not None and response.length > max_bytes:
        raise _too_large(target, max_bytes)
    announced = response.length
    parts: list[bytes] = []
    size = 0
    while block := response.read1(min(BLOCK, max_bytes + 1 - size)):
        size += len(block)
        if size > max_bytes:
            raise _too_large(target, max_bytes)
        parts.append(block)
    if announced is not None and size < announced:
        raise ToolUnavailable(f"{target.host} closed the connection after {size} of {announced} bytes")
    return b"".join(parts)


def media_type_of(response: http.client.HTTPResponse) -> str:
    """Return the media type that the server declares, in lower case without parameters; empty if none is declared."""
    return (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()


def _too_large(target: Target, max_bytes: int) -> ContentTooLarge:
    return ContentTooLarge(f"the answer of {target.host} is longer than {max_bytes} bytes")
