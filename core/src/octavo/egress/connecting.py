"""A connection to an address that was vetted: resolved once, every address checked, the peer compared (DIG-27)."""

from __future__ import annotations

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from octavo_contracts import PolicyRefused, ToolUnavailable

from .addresses import refusal
from .targets import Target

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host, in the order in which they are tried."""
Vetting = Callable[[str], str | None]
"""Why an address may not be connected to, or None."""


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses that the system's resolver knows."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in found))


class Deadline:
    """An absolute end for everything that a request does."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def remaining(self) -> float:
        """Seconds that are left.

        Raises:
            ToolUnavailable: none are.
        """
        left = self._end - self._clock()
        if left <= 0:
            raise slow()
        return left


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
        ToolUnavailable: the host has no address, or can not be reached in time.
    """
    addresses = vetted_addresses(target, deadline, resolver=resolver, vetting=vetting)
    raw = _dial(target, addresses, deadline)
    try:
        # Compared as text of one form; a proxy between would show here.
        peer = str(raw.getpeername()[0])
        if peer not in addresses or vetting(peer):
            raise PolicyRefused(f"{target.host} was not asked: the peer is {peer}, which was not vetted")
        if target.scheme == "https":
            raw.settimeout(deadline.remaining())
            raw = (context or ssl.create_default_context()).wrap_socket(raw, server_hostname=target.host)
    except (OSError, PolicyRefused, ToolUnavailable) as error:
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
        ToolUnavailable: the host has no address, or can not be looked up in time.
    """
    addresses = _look_up(target, deadline, resolver)
    for address in addresses:
        if why := vetting(address):
            raise PolicyRefused(f"{target.host} was not connected to: its address {address} is not public ({why})")
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

    thread = threading.Thread(target=ask, daemon=True, name="octavo-resolve")
    thread.start()
    thread.join(deadline.remaining())
    if thread.is_alive():
        raise slow()
    if not found:
        raise ToolUnavailable(f"the host {target.host} has no address", remedy="Check the URL and the network")
    return found


def _dial(target: Target, addresses: Sequence[str], deadline: Deadline) -> socket.socket:
    problem: OSError | None = None
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        raw = socket.socket(family, socket.SOCK_STREAM)
        try:
            raw.settimeout(deadline.remaining())
            raw.connect((address, target.port))
        except OSError as error:
            raw.close()
            problem = error
        except ToolUnavailable:
            raw.close()
            raise
        else:
            return raw
    assert problem is not None  # there is at least one address
    raise _unreachable(target, problem) from problem


def _unreachable(target: Target, error: OSError) -> ToolUnavailable:
    if isinstance(error, TimeoutError):
        return slow()
    return ToolUnavailable(
        f"{target.host} can not be reached: {type(error).__name__}", remedy="Check the URL and the network"
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
        self._raw.settimeout(self._deadline.remaining())
        self._raw.sendall(data)

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
        self._raw.settimeout(self._deadline.remaining())
        return self._raw.recv_into(buffer)
