"""A connection to an address that was vetted: resolved once, every address checked, the peer compared (DIG-27)."""

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
from octavo_sandbox.errors import Cancelled

from .addresses import refusal
from .targets import Target

T = TypeVar("T")

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host, in the order in which they are tried."""
Vetting = Callable[[str], str | None]
"""Why an address may not be connected to, or None."""
Stopped = Callable[[], bool]
"""Whether nobody waits for the answer any more."""
LOOK_SECONDS = 0.1
"""How long a request waits at most before it looks again whether it was stopped."""
BLOCK = 65_536
"""Bytes that are read or sent at once."""
_UNDER_WAY = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, getattr(errno, "WSAEWOULDBLOCK", errno.EWOULDBLOCK)})


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses that the system's resolver knows."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in found))


def tls_context() -> ssl.SSLContext:
    """TLS with names checked against the certificates of the system.

    `ssl.create_default_context` lets the environment decide whom to trust (SSL_CERT_FILE, SSL_CERT_DIR) and where the keys of
    a connection are written down (SSLKEYLOGFILE); nothing of that is read here.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if sys.version_info >= (3, 13):  # what `create_default_context` asks for since then
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    if sys.platform == "win32":
        for name in ("CA", "ROOT"):
            for certificate, encoding, trust in ssl.enum_certificates(name):
                if encoding == "x509_asn" and (trust is True or ssl.Purpose.SERVER_AUTH.oid in trust):
                    context.load_verify_locations(cadata=certificate)
        return context
    known = ssl.get_default_verify_paths()
    # As OpenSSL was built: `cafile` and `capath` beside them are what the environment says.
    file = known.openssl_cafile if os.path.isfile(known.openssl_cafile) else None
    folder = known.openssl_capath if os.path.isdir(known.openssl_capath) else None
    if file or folder:
        context.load_verify_locations(cafile=file, capath=folder)
    return context


class Deadline:
    """An absolute end for everything that a request does; it comes at once where the request is stopped.

    Args:
        seconds: until then.
        stopped: looked at while the request waits; None: nobody stops it.
        clock: seconds that never go back.
    """

    def __init__(
        self, seconds: float, *, stopped: Stopped | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._end = clock() + seconds
        self._stopped = stopped

    def remaining(self) -> float:
        """Seconds that are left.

        Raises:
            ToolUnavailable: none are.
            Cancelled: the request was stopped.
        """
        if self._stopped is not None and self._stopped():
            raise Cancelled("the request was cut off: nobody waits for its answer any more")
        left = self._end - self._clock()
        if left <= 0:
            raise slow()
        return left

    def moment(self) -> float:
        """Seconds for which one may wait before this is asked again.

        Raises:
            ToolUnavailable, Cancelled: as `remaining`.
        """
        return min(self.remaining(), LOOK_SECONDS)

    def within(self, raw: socket.socket, operation: Callable[[], T]) -> T:
        """Do something with a socket that can be taken up again after it ran out of a moment.

        Raises:
            ToolUnavailable, Cancelled: as `remaining`.
            OSError: as `operation`.
        """
        while True:
            raw.settimeout(self.moment())
            try:
                return operation()
            except TimeoutError:
                continue  # `moment` says when it is over


def slow() -> ToolUnavailable:
    """The error of a request that ran out of time."""
    return ToolUnavailable("the server did not answer in time", remedy="Try again later, or raise the timeout")


def connect(
    target: Target,
    deadline: Deadline,
    *,
    resolver: Resolver = system_resolver,
    vetting: Vetting = refusal,
    context: ssl.SSLContext | None = None,
) -> DeadlineSocket:
    """Connect to a target, with TLS where its scheme asks for it.

    The host is looked up once. If any of its addresses may not be connected to, none is: a name that mixes public and
    private addresses is a trick.

    Raises:
        PolicyRefused: an address is not public, or the peer is another one.
        ToolUnavailable: the host has no address, or cannot be reached in time.
        Cancelled: the request was stopped.
    """
    addresses = vetted_addresses(target, deadline, resolver=resolver, vetting=vetting)
    raw = _dial(target, addresses, deadline)
    try:
        # Compared as text of one form; a proxy between would show here.
        peer = str(raw.getpeername()[0])
        if peer not in addresses or vetting(peer):
            raise PolicyRefused(f"{target.host} was not asked: the peer is {peer}, which was not vetted")
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
    """The addresses of a target's host, looked up once, if every one of them may be connected to.

    Raises:
        PolicyRefused: one of them may not.
        ToolUnavailable: the host has no address, or cannot be looked up in time.
    """
    addresses = _look_up(target, deadline, resolver)
    for address in addresses:
        if why := vetting(address):
            said = f"is not public ({why})" if refusal(address) else f"is refused ({why})"
            raise PolicyRefused(f"{target.host} was not connected to: its address {address} {said}")
    return addresses


def _look_up(target: Target, deadline: Deadline, resolver: Resolver) -> list[str]:
    """The addresses of a host. It is looked up in a thread: the system's resolver knows no deadline."""
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
    """Connect a socket, looking meanwhile whether anybody waits for it.

    Raises:
        OSError: nobody answers there.
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
    """A socket each of whose reads and writes ends by one deadline: a server that drips gains no time.

    Made for `http.client`, which asks of a socket only what stands here.
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
        """The answer as a stream."""
        return io.BufferedReader(_DeadlineReader(self._raw, self._deadline))

    def close(self) -> None:
        """Do nothing: `http.client` closes a connection as soon as the head of its last answer is read."""

    def shut(self) -> None:
        """Let go of the connection."""
        self._raw.close()


class _DeadlineReader(io.RawIOBase):
    def __init__(self, raw: socket.socket, deadline: Deadline) -> None:
        self._raw = raw
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._deadline.within(self._raw, partial(self._raw.recv_into, buffer))
