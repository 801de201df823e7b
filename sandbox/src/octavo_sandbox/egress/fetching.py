"""Fetches a URL: every redirect is vetted, size and time are limited (DIG-27, DIG-28)."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Collection, Mapping

from octavo_contracts import AuthUnavailable, FetchResponse, PolicyRefused

from .addresses import refusal
from .connecting import Deadline, Resolver, Stopped, Vetting, system_resolver
from .exchange import Connector, answered, media_type_of, read_body
from .policy import EgressPolicy
from .targets import PORTS, Target, follow, parse_target

MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD = frozenset({307, 308})
_CREDENTIALS = frozenset({"authorization", "cookie", "proxy-authorization"})
_OURS = frozenset({"host", "connection", "accept-encoding", "content-length", "transfer-encoding", "te", "upgrade"})
"""Connection headers, which callers cannot set."""


class GuardedFetcher:
    """Fetches what the policy allows, from public addresses only. Proxy settings of the environment are ignored.

    Args:
        policy: what the user allows.
        resolver: resolves hosts; by default the system's.
        vetting: returns why connecting to an address is refused; by default `addresses.refusal`.
        ports: allowed ports.
        context: TLS context; by default the system's certificates, names checked.
        hop: called with the target of each redirect; raises `PolicyRefused` to stop.
        stopped: checked while a request waits; if it returns True, the request ends at once.
    """

    def __init__(
        self,
        policy: EgressPolicy,
        *,
        resolver: Resolver | None = None,
        vetting: Vetting | None = None,
        ports: Collection[int] = PORTS,
        context: ssl.SSLContext | None = None,
        hop: Callable[[Target], None] | None = None,
        stopped: Stopped | None = None,
    ) -> None:
        self._policy = policy
        self._connector = Connector(resolver=resolver or system_resolver, vetting=vetting or refusal, context=context)
        self._ports = ports
        self._hop = hop
        self._stopped = stopped

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
        """Fetch a URL; redirects are new requests under the same rules.

        Args:
            url: http or https, on port 80 or 443.
            method: of the request.
            body: of the request.
            headers: of the request; credentials are not sent to another origin after a redirect.
            max_bytes: maximum size of the answer.
            timeout: seconds for everything together: resolving, redirects, reading to the end.

        Raises:
            PolicyRefused: the policy, the URL, an address, a redirect or the answer's encoding forbids it.
            ContentTooLarge: the answer is longer than `max_bytes`.
            AuthUnavailable: the server requires credentials.
            ToolUnavailable: the server cannot be reached, is too slow, or closes the connection early.
            Cancelled: the request was cancelled.
        """
        deadline = Deadline(timeout, stopped=self._stopped)
        target = parse_target(url, ports=self._ports)
        sent = {name: value for name, value in (headers or {}).items() if name.lower() not in _OURS}
        seen: set[str] = set()
        for _ in range(MAX_REDIRECTS + 1):
            self._policy.check(target.host)
            if target.url in seen:
                raise PolicyRefused(f"the redirects of {target.host} form a loop")
            seen.add(target.url)
            answer = self._exchange(target, method, body, sent, max_bytes, deadline)
            if isinstance(answer, FetchResponse):
                return answer
            location, status = answer
            following = follow(target, location, ports=self._ports)
            if target.scheme == "https" and following.scheme == "http":
                raise PolicyRefused(f"{target.host} redirects from https to http")
            if following.origin != target.origin:
                sent = {name: value for name, value in sent.items() if name.lower() not in _CREDENTIALS}
            if status not in _KEEP_METHOD and method not in ("GET", "HEAD"):
                method, body = "GET", None
            if self._hop is not None:
                self._policy.check(following.host)
                self._hop(following)
            target = following
        raise PolicyRefused(f"more than {MAX_REDIRECTS} redirects")

    def _exchange(
        self,
        target: Target,
        method: str,
        body: bytes | None,
        headers: Mapping[str, str],
        max_bytes: int,
        deadline: Deadline,
    ) -> FetchResponse | tuple[str, int]:
        """Send one request; return the answer, or the location and status of a redirect."""
        with answered(target, self._connector, deadline, method=method, body=body, headers=headers) as response:
            location = response.getheader("Location")
            if response.status in _REDIRECTS and location:
                return location, response.status
            if response.status in (401, 403, 407):
                raise AuthUnavailable(f"{target.host} requires credentials (status {response.status})")
            return FetchResponse(
                url=target.url,
                status=response.status,
                media_type=media_type_of(response),
                body=read_body(response, target, max_bytes=max_bytes),
                headers={name.lower(): value for name, value in response.getheaders()},
            )
