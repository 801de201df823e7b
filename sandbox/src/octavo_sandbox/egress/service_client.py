"""An HTTP client for service SDKs: every request goes through this package, to a single server that the user named.

An SDK's own client reads proxy settings of the environment and the system, `~/.netrc` and the names of certificate
files, and resolves names itself. A client of this module does none of that.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from octavo_contracts import OctavoError, PolicyRefused, ToolUnavailable, UsageError

from .connecting import Deadline, Resolver, Stopped, Vetting, system_resolver
from .exchange import Connector, answered, read_body
from .gate import note_sending
from .own import own_refusal
from .targets import Target, parse_target

LIBRARIES = ("httpx2", "httpx")
"""Client libraries that SDKs are built on; both have the same classes."""
MAX_ANSWER_BYTES = 64_000_000
"""Maximum size of an answer, which is held in memory."""
MAX_SECONDS = 600.0
"""Timeout of a request whose caller sets none."""
_PASSED_ON = frozenset({"accept", "content-type"})
"""Headers of the SDK that are sent. Others describe this machine, or come from variables (OPENAI_CUSTOM_HEADERS)."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """The single server that a client may connect to.

    Attributes:
        target: scheme, host and port.
        vetting: returns why connecting to an address of the host is refused, or None.
        headers: sent with every request, including credentials.
        resolver: resolves the host.
    """

    target: Target
    vetting: Vetting
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    resolver: Resolver = system_resolver

    def ask(
        self, *, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float, stopped: Stopped | None
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send one request, and read the whole answer: status, headers and body.

        Raises:
            PolicyRefused: the request is for another server, or an address of the host is refused.
            ContentTooLarge: the answer is too long.
            ToolUnavailable: the server cannot be reached, is too slow, or closes the connection early.
            Cancelled: the request was cancelled.
        """
        target = parse_target(url, ports={self.target.port})
        if target.origin != self.target.origin:
            raise PolicyRefused(
                f"no request was sent to {target.host}: this client connects to {self.target.authority} only"
            )
        sent = {name: value for name, value in headers.items() if name.lower() in _PASSED_ON}
        if not is_this_machine(target.host):
            note_sending(service=f"the server {target.host}")
        deadline = Deadline(seconds, stopped=stopped)
        connector = Connector(resolver=self.resolver, vetting=self.vetting)
        with answered(
            target, connector, deadline, method=method, body=body or None, headers={**sent, **self.headers}
        ) as response:
            content = read_body(response, target, max_bytes=MAX_ANSWER_BYTES)
            return response.status, response.getheaders(), content


def sdk_client(
    base_url: str,
    *,
    like: type,
    cloud: bool = False,
    headers: Mapping[str, str] | None = None,
    resolver: Resolver | None = None,
) -> Any:
    """Build an HTTP client that connects to the host and port of one URL, and to no other.

    It reads no proxy, no `~/.netrc` and no certificate setting of the environment. The host is resolved once for each
    request, its addresses are vetted and the peer is compared; redirects are not followed. The SDK gets an answer after
    it was read completely. Of the SDK's headers only `Accept` and `Content-Type` are sent.

    Args:
        base_url: URL of the service.
        like: the client class that the SDK uses, such as `openai.DefaultAsyncHttpxClient`: a class of httpx or httpx2,
            or a subclass. The client is of the same library, and asynchronous if `like` is; then it needs asyncio.
        cloud: whether text may leave this machine. Without it every address of the host must be loopback; with it the
            host may also be public or in a private network.
        headers: sent with every request, such as `Authorization`.
        resolver: resolves the host; by default the system's.

    Returns:
        An `httpx.Client` or `AsyncClient`, or that of httpx2.

    Raises:
        PolicyRefused: `cloud` is off and the host is not this machine.
        UsageError: `base_url` is not the URL of a server, or `like` is not a client class.
    """
    library = _library_of(like)
    service = Service(
        target=service_target(base_url, cloud=cloud),
        vetting=own_refusal if cloud else loopback_refusal,
        headers=dict(headers or {}),
        resolver=resolver or system_resolver,
    )
    if issubclass(like, library.AsyncClient):
        return library.AsyncClient(
            transport=_async_transport(library, service), trust_env=False, follow_redirects=False
        )
    return library.Client(transport=_transport(library, service), trust_env=False, follow_redirects=False)


def service_target(base_url: str, *, cloud: bool) -> Target:
    """Parse the URL of a service.

    Raises:
        PolicyRefused: `cloud` is off and the host is not this machine.
        UsageError: it is not the URL of a server.
    """
    try:
        port = urlsplit(base_url).port
        target = parse_target(base_url, ports={port} if port else {80, 443})
    except (PolicyRefused, ValueError):
        raise UsageError("the address of the service is not the URL of a server") from None
    if not cloud and not is_this_machine(target.host):
        raise PolicyRefused(
            f"the server {target.host} is not on this machine, and the text may not leave it",
            remedy="Use a server on this machine, or allow cloud services for the corpus",
        )
    return target


def is_this_machine(host: str) -> bool:
    """Return whether a host name or address is this machine; the addresses of the name are vetted when connecting."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def loopback_refusal(address: str) -> str | None:
    """Return why an address is not this machine, or None."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an IP address"
    return None if parsed.is_loopback else "only this machine is allowed"


def _library_of(like: type) -> Any:
    for kind in like.__mro__:
        name = kind.__module__.partition(".")[0]
        if name in LIBRARIES:
            return sys.modules[name]
    raise UsageError(f"{like.__qualname__} is not a client class of {' or '.join(LIBRARIES)}")


def _transport(library: Any, service: Service) -> Any:
    class Transport(library.BaseTransport):  # type: ignore[misc]  # the library is chosen at run time
        def handle_request(self, request: Any) -> Any:
            body = request.read()
            try:
                return _response(library, service.ask(**_asked(request, body), stopped=None))
            except ToolUnavailable as error:
                raise library.ConnectError(error.message, request=request) from error

    return Transport()


def _async_transport(library: Any, service: Service) -> Any:
    class Transport(library.AsyncBaseTransport):  # type: ignore[misc]  # the library is chosen at run time
        async def handle_async_request(self, request: Any) -> Any:
            body = await request.aread()
            given_up = threading.Event()
            try:
                answer = await asyncio.to_thread(service.ask, **_asked(request, body), stopped=given_up.is_set)
            except ToolUnavailable as error:
                raise library.ConnectError(error.message, request=request) from error
            finally:
                given_up.set()  # ends the thread that a cancelled task leaves behind
            return _response(library, answer)

    return Transport()


def _asked(request: Any, body: bytes) -> dict[str, Any]:
    times = [value for value in request.extensions.get("timeout", {}).values() if value is not None]
    return {
        "method": request.method,
        "url": str(request.url),
        "headers": dict(request.headers),
        "body": body,
        "seconds": min(max(times, default=MAX_SECONDS), MAX_SECONDS),
    }


def _response(library: Any, answer: tuple[int, list[tuple[str, str]], bytes]) -> Any:
    status, headers, content = answer
    kept = [(name, value) for name, value in headers if name.lower() != "transfer-encoding"]
    return library.Response(status, headers=kept, content=content)


def refusal_behind(error: BaseException) -> OctavoError | None:
    """Return the error of this package that caused an SDK's error, or None."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        if isinstance(cause, OctavoError):
            return cause
        seen.add(id(cause))
        cause = cause.__cause__ or cause.__context__
    return None
