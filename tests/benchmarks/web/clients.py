"""Clients of a web server that cost little themselves: many connections in one thread, over plain sockets.

They share the machine with the server that they measure. A thread for each client, with a library that parses every header,
takes a core of its own; these clients take about a tenth of a millisecond for each answer.
"""

from __future__ import annotations

import heapq
import itertools
import re
import selectors
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_COOKIE = re.compile(rb"\r\nset-cookie: *([^;\r]+)", re.IGNORECASE)
SECONDS = 120.0
"""Longest time without any answer."""


@dataclass
class _Client:
    """A browser: one connection that is kept open, and the cookie of its session."""

    connection: socket.socket
    cookie: bytes = b""
    name: str = ""
    path: str = ""
    sent_at: float = 0.0
    received: bytearray = field(default_factory=bytearray)
    length: int | None = None

    def ask(self, host: str, name: str, path: str) -> None:
        """Send a request."""
        self.name, self.path, self.length = name, path, None
        self.received.clear()
        cookie = b"cookie: " + self.cookie + b"\r\n" if self.cookie else b""
        head = f"GET {path} HTTP/1.1\r\nhost: {host}\r\naccept: text/html\r\n".encode()
        self.sent_at = time.perf_counter()
        self.connection.sendall(head + cookie + b"\r\n")

    def receive(self) -> bool:
        """Take what has arrived; returns whether the answer is complete.

        Raises:
            AssertionError: the answer is an error, or has ended early.
        """
        part = self.connection.recv(262_144)
        assert part, f"the server closed the connection: {self.path}"
        self.received += part
        if self.length is None:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return False
            head = bytes(self.received[:end])
            assert head.startswith(b"HTTP/1.1 200 "), (self.path, head[:300])
            found = _LENGTH.search(head)
            assert found is not None, (self.path, head[:300])
            self.length = end + 4 + int(found[1])
            if begun := _COOKIE.search(head):
                self.cookie = begun[1]
        return len(self.received) >= self.length


def measure(
    address: str,
    pages: Mapping[str, Sequence[str]],
    *,
    clients: int,
    requests: int,
    pause: float = 0.0,
    watch: Callable[[], None] = lambda: None,
) -> tuple[dict[str, list[float]], float]:
    """Milliseconds from each request to the end of its answer, by the name of its page; and the answers a second.

    Each client asks for the pages in turn, and for another path of a page each time.

    Args:
        address: host and port.
        pages: name of a page → its paths.
        clients: number of clients.
        requests: number of requests of all together.
        pause: seconds that a client waits after each answer.
        watch: called ten times, at equal distances.

    Raises:
        AssertionError: an answer is an error.
        TimeoutError: no answer came.
    """
    took: dict[str, list[float]] = {name: [] for name in pages}
    turns = _turns(pages, requests)
    host, _, port = address.rpartition(":")
    done, order = 0, itertools.count()
    waiting: list[tuple[float, int, _Client]] = []
    with selectors.DefaultSelector() as arrived:
        started = time.perf_counter()
        for number in range(clients):
            one = _Client(socket.create_connection((host, int(port)), timeout=SECONDS))
            one.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            arrived.register(one.connection, selectors.EVENT_READ, one)
            # Readers do not begin in the same moment.
            heapq.heappush(waiting, (started + pause * number / clients, next(order), one))
        try:
            while done < requests:
                now = time.perf_counter()
                while waiting and waiting[0][0] <= now:
                    one = heapq.heappop(waiting)[2]
                    if (turn := next(turns, None)) is not None:
                        one.ask(address, *turn)
                events = arrived.select(max(0.0, waiting[0][0] - now) if waiting else SECONDS)
                if not events and not waiting:
                    raise TimeoutError(f"no answer in {SECONDS:.0f} s")
                for key, _ in events:
                    one = key.data
                    if one.receive():
                        ended = time.perf_counter()
                        took[one.name].append((ended - one.sent_at) * 1000)
                        done += 1
                        if done % max(1, requests // 10) == 0:
                            watch()
                        heapq.heappush(waiting, (ended + pause, next(order), one))
            return took, requests / (time.perf_counter() - started)
        finally:
            for key in list(arrived.get_map().values()):
                key.data.connection.close()


def _turns(pages: Mapping[str, Sequence[str]], requests: int) -> Iterator[tuple[str, str]]:
    paths = {name: itertools.cycle(several) for name, several in pages.items()}
    names = itertools.cycle(pages)
    for _ in range(requests):
        name = next(names)
        yield name, next(paths[name])
