"""Imports of libraries that ask the system for a socket when they are imported."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_ipv6_probe() -> Iterator[None]:
    """Import within it what imports urllib3, which makes an IPv6 socket at its import to learn whether the system has IPv6.

    A converter connects nowhere, and a socket that it makes cannot be told from one that it should not make.
    """
    had = socket.has_ipv6
    socket.has_ipv6 = False
    try:
        yield
    finally:
        socket.has_ipv6 = had
