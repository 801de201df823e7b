"""One HTTP request over one vetted connection: no proxy, no stored password, no setting of the environment (DIG-27)."""

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
        resolver: looks hosts up.
        vetting: says why an address may not be connected to, or None.
        context: for TLS; None for the system's certificates, names checked.
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
    """Send a request on a connection of its own, and give the answer, whose head is read.

    Args:
        target: where to.
        connector: how.
        deadline: of everything together, the reading by the caller included.
        method: of the request.
        body: of the request.
        headers: besides those that say how the connection works, which are set here.

    Raises:
        PolicyRefused, Cancelled: as `connect`.
        ToolUnavailable: the server cannot be reached, is too slow, or its answer is no HTTP.
    """
    vetted = connect(
        target, deadline, resolver=connector.resolver, vetting=connector.vetting, context=connector.context
    )
    connection = http.client.HTTPConnection(target.host, target.port)
    # Never connects by itself: it has this socket from the start, and one request to make.
    connection.sock = cast("ssl.SSLSocket", vetted)
    connection.auto_open = 0
    own = {"Host": target.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        connection.request(method, target.path, body=body, headers={**headers, **own})
        yield connection.getresponse()
    except TimeoutError:
        raise slow() from None
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise ToolUnavailable(f"the answer of {target.host} is broken: {type(error).__name__}") from error
    finally:
        connection.close()
        vetted.shut()


def read_body(response: http.client.HTTPResponse, target: Target, *, max_bytes: int) -> bytes:
    """The body of an answer, as long as the answer said, and no longer than is allowed.

    Raises:
        PolicyRefused: it is in an encoding that was not asked for.
        ContentTooLarge: it is longer than `max_bytes`.
        ToolUnavailable: it ends too early.
    """
    encoding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding != "identity":
        raise PolicyRefused(f"{target.host} answered in the encoding {encoding[:20]!r}, which was not asked for")
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
        raise ToolUnavailable(f"{target.host} broke off: {size} of {announced} bytes came")
    return b"".join(parts)


def media_type_of(response: http.client.HTTPResponse) -> str:
    """The media type that the server names, in lower case and without parameters; empty where it names none."""
    return (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()


def _too_large(target: Target, max_bytes: int) -> ContentTooLarge:
    return ContentTooLarge(f"the answer of {target.host} is longer than {max_bytes} bytes")
