"""Connects to vetted addresses: the host is resolved once, every address checked, the peer compared (DIG-27)."""

from __future__ import annotations

import errno
import io
import os
import selectors
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, TypeVar

from octavo_contracts import OctavoError, PolicyRefused, ToolUnavailable

from ..errors import Cancelled
from .addresses import refusal
from .targets import Target

T = TypeVar("T")

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host, in the order in which they are tried."""
Vetting = Callable[[str], str | None]
"""Returns why connecting to an address is refused, or None."""
Stopped = Callable[[], bool]
"""Returns whether the request was cancelled."""
LOOK_SECONDS = 0.1
"""Interval in seconds at which a waiting request checks for cancellation."""
BLOCK = 65_536
"""Block size for reading and sending."""
_UNDER_WAY = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, getattr(errno, "WSAEWOULDBLOCK", errno.EWOULDBLOCK)})


def system_resolver(host: str, port: int) -> list[str]:
    """Return the addresses from the system's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in found))


def tls_context() -> ssl.SSLContext:
    """Build a TLS context that checks host names against the system's certificates.

    `ssl.create_default_context` reads trusted certificates (SSL_CERT_FILE, SSL_CERT_DIR) and the log file for session
    keys (SSLKEYLOGFILE) from the environment; this function reads none of them.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if sys.version_info >= (3, 13):  # the flags of `create_default_context` since 3.13
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    if sys.platform == "win32":
        for name in ("CA", "ROOT"):
            for certificate, encoding, trust in ssl.enum_certificates(name):
                if encoding == "x509_asn" and (trust is True or ssl.Purpose.SERVER_AUTH.oid in trust):
                    context.load_verify_locations(cadata=certificate)
        return context
    known = ssl.get_default_verify_paths()
    # The paths compiled into OpenSSL: `cafile` and `capath` would come from the environment.
    file = known.openssl_cafile if os.path.isfile(known.openssl_cafile) else None
    folder = known.openssl_capath if os.path.isdir(known.openssl_capath) else None
    if file or folder:
        context.load_verify_locations(cafile=file, capath=folder)
    return context


class Deadline:
    """The deadline of a whole request; cancelling the request ends it at once.

    Args:
        seconds: time limit.
        stopped: checked while the request waits; None: it cannot be cancelled.
        clock: monotonic clock in seconds.
    """

    def __init__(
        self, seconds: float, *, stopped: Stopped | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self._stopped = stopped

    def remaining(self) -> float:
        """Return the remaining seconds.

        Raises:
            ToolUnavailable: no time is left.
            Cancelled: the request was cancelled.
        """
        if self._stopped is not None and self._stopped():
            raise Cancelled("the request was cancelled")
        left = self._end - self._clock()
        if left <= 0:
            raise slow()
        return left

    def moment(self) -> float:
        """Return the seconds to wait before the next check.

        Raises:
            ToolUnavailable, Cancelled: see `remaining`.
        """
        return min(self.remaining(), LOOK_SECONDS)

    def within(self, raw: socket.socket, operation: Callable[[], T]) -> T:
        """Run a socket operation that can be repeated after a timeout, until it succeeds or the deadline passes.

        Raises:
            ToolUnavailable, Cancelled: see `remaining`.
            OSError: from `operation`.
        """
        while True:
            raw.settimeout(self.moment())
            try:
                return operation()
            except TimeoutError:
                continue  # `moment` raises when the deadline has passed


def slow() -> ToolUnavailable:
    """Build the error of a request that timed out."""
    return ToolUnavailable("the server did not answer in time", remedy="Try again later, or raise the timeout")


def connect(
    target: Target,
    deadline: Deadline,
    *,
    resolver: Resolver = system_resolver,
    vetting: Vetting = refusal,
    context: ssl.SSLContext | None = None,
) -> DeadlineSocket:
    """Connect to a target, with TLS if its scheme is https.

    The host is resolved once. If any of its addresses is refused, the connection is refused: a name with both public
    and private addresses is an attack.

    Raises:
        PolicyRefused: an address is not public, or the peer is a different one.
        ToolUnavailable: the host has no address, or cannot be reached in time.
        Cancelled: the request was cancelled.
    """
    addresses = vetted_addresses(target, deadline, resolver=resolver, vetting=vetting)
    raw = _dial(target, addresses, deadline)
    try:
        # Compare normalised text; this detects a proxy in between.
        peer = str(raw.getpeername()[0])
        if peer not in addresses or vetting(peer):
            raise PolicyRefused(f"no request was sent to {target.host}: the peer {peer} was not vetted")
        if target.scheme == "https":
            secured = (context or tls_context()).wrap_socket(
                raw, server_hostname=target.host, do_handshake_on_connect=False
            )
            raw = secured
            deadline.within(secured, secured.do_handshake)
    except (OSError, OctavoError) as error:
        raw.close()
        if isinstance(error, OSError):
            raise _unreachable(target, error) from error
        raise
    return DeadlineSocket(raw, deadline)


def vetted_addresses(
    target: Target, deadline: Deadline, *, resolver: Resolver = system_resolver, vetting: Vetting = refusal
) -> list[str]:
    """Resolve a target's host once; return its addresses if all of them are allowed.

    Raises:
        PolicyRefused: one of the addresses is refused.
        ToolUnavailable: the host has no address, or cannot be resolved in time.
    """
    addresses = _look_up(target, deadline, resolver)
    for address in addresses:
        if why := vetting(address):
            problem = f"is not public ({why})" if refusal(address) else f"is refused ({why})"
            raise PolicyRefused(f"no connection to {target.host}: its address {address} {problem}")
    return addresses


def _look_up(target: Target, deadline: Deadline, resolver: Resolver) -> list[str]:
    """Resolve a host in a thread, since the system's resolver has no timeout."""
    with suppress(ValueError):
        return [str(ip_address(target.host))]
    found: list[str] = []
    problems: list[OSError | UnicodeError] = []

    def ask() -> None:
        try:
            found.extend(resolver(target.host, target.port))
        except (OSError, UnicodeError) as error:
            problems.append(error)

    deadline.remaining()
    thread = threading.Thread(target=ask, daemon=True, name="octavo-resolve")
    thread.start()
    while thread.is_alive():
        thread.join(deadline.moment())
    if not found:
        raise ToolUnavailable(f"the host {target.host} has no address", remedy="Check the URL and the network")
    return found


def _dial(target: Target, addresses: Sequence[str], deadline: Deadline) -> socket.socket:
    problem: OSError | None = None
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        raw = socket.socket(family, socket.SOCK_STREAM)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a request is written in parts
        try:
            _reach(raw, (address, target.port), deadline)
        except OSError as error:
            raw.close()
            problem = error
        except OctavoError:
            raw.close()
            raise
        else:
            return raw
    assert problem is not None  # there is at least one address
    raise _unreachable(target, problem) from problem


def _reach(raw: socket.socket, place: tuple[str, int], deadline: Deadline) -> None:
    """Connect a socket, checking for cancellation meanwhile.

    Raises:
        OSError: the address cannot be reached.
    """
    raw.setblocking(False)
    code = raw.connect_ex(place)
    if code in _UNDER_WAY:
        with selectors.DefaultSelector() as selector:
            selector.register(raw, selectors.EVENT_WRITE)
            while not selector.select(deadline.moment()):
                pass
        code = raw.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, os.strerror(code))


def _unreachable(target: Target, error: OSError) -> ToolUnavailable:
    if isinstance(error, TimeoutError):
        return slow()
    return ToolUnavailable(
        f"{target.host} cannot be reached: {type(error).__name__}", remedy="Check the URL and the network"
    )


class DeadlineSocket:
    """A socket with one deadline for all reads and writes, so that a slow-dripping server gains no time.

    It has only the methods that `http.client` uses.
    """

    def __init__(self, raw: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._deadline = deadline

    def sendall(self, data: Any) -> None:
        """Send everything."""
        left = memoryview(data).cast("B")
        while left:
            sent = self._deadline.within(self._raw, partial(self._raw.send, left[:BLOCK]))
            left = left[sent:]

    def makefile(self, mode: str, buffering: int | None = None) -> io.BufferedReader:
        """Return the answer as a stream."""
        return io.BufferedReader(_DeadlineReader(self._raw, self._deadline))

    def close(self) -> None:
        """Do nothing: `http.client` closes a connection as soon as the head of its last answer is read."""

    def shut(self) -> None:
        """Close the connection."""
        self._raw.close()


class _DeadlineReader(io.RawIOBase):
    def __init__(self, raw: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._deadline.within(self._raw, partial(self._raw.recv_into, buffer))
