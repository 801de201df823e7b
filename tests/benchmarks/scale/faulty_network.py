"""The way from a node to its servers, which can fail: a proxy of the object store, a relay to the database, a namespace."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "127.0.0.1"
KEPT = frozenset({"etag", "last-modified", "content-type", "content-range", "accept-ranges"})


class StoreWay:
    """An HTTP proxy in front of an S3 server.

    Args:
        port: of the server on this machine.
        host: address to listen at.

    Attributes:
        is_busy: whether each request is answered with 503.
        delay: seconds that each request waits.
        lose: how many answers to writes are still to be lost: the server has stored, and the client does not know.
        lost: how many were.
    """

    def __init__(self, port: int, *, host: str) -> None:
        self.is_busy = False
        self.delay = 0.0
        self.lose = 0
        self.lost = 0
        self._lock = threading.Lock()
        way = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass(self) -> None:
                way.answer(self, port)

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _pass  # noqa: N815 - the names of the base class

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that was killed or cut off is no error of this server."""

        self._server = Server((host, 0), Handler)
        self.endpoint = f"http://{host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, asked: Any, port: int) -> None:
        """Pass a request on, unless the store is to fail."""
        body = asked.rfile.read(int(asked.headers.get("content-length", 0)))
        if self.delay:
            time.sleep(self.delay)
        if self.is_busy:
            self._send(asked, 503, b"", {})
            return
        connection = http.client.HTTPConnection(HOST, port, timeout=60)
        try:
            headers = {
                name: value for name, value in asked.headers.items() if name.lower() not in ("host", "connection")
            }
            connection.request(asked.command, asked.path, body=body or None, headers=headers)
            got = connection.getresponse()
            data = got.read()
            kept = {name: value for name, value in got.getheaders() if name.lower() in KEPT}
            if asked.command == "HEAD":
                kept["content-length"] = got.getheader("content-length", "0")
        finally:
            connection.close()
        if asked.command == "PUT" and self._is_to_lose():
            asked.close_connection = True
            asked.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(asked, got.status, data, kept)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def _is_to_lose(self) -> bool:
        with self._lock:
            is_lost = self.lose > 0
            self.lose -= is_lost
            self.lost += is_lost
        return is_lost

    @staticmethod
    def _send(asked: Any, status: int, data: bytes, headers: dict[str, str]) -> None:
        asked.send_response(status)
        for name, value in headers.items():
            asked.send_header(name, value)
        if asked.command != "HEAD":
            asked.send_header("content-length", str(len(data)))
        asked.end_headers()
        if asked.command != "HEAD":
            asked.wfile.write(data)


class DatabaseWay:
    """A relay of bytes to the PostgreSQL server on this machine.

    Args:
        port: of the server.
        host: address to listen at.
    """

    def __init__(self, port: int, *, host: str) -> None:
        self._port = port
        self._listener = socket.create_server((host, 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((HOST, self._port), timeout=10)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=self._relay, args=(one, other), daemon=True).start()

    @staticmethod
    def _relay(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Namespace:
    """A network namespace of this machine, joined to it by one cable that can be cut. Needs root and `ip`.

    Args:
        number: distinguishes it from others of this process.
    """

    def __init__(self, number: int) -> None:
        self.name = f"octavo-{os.getpid()}-{number}"
        self._cable = f"oc{os.getpid() % 100000}h{number}"
        self._inside = f"oc{os.getpid() % 100000}n{number}"
        network = 10 + number
        self.host = f"10.231.{network}.1"
        guest = f"10.231.{network}.2"
        self._ip("netns", "add", self.name)
        self._ip("link", "add", self._cable, "type", "veth", "peer", "name", self._inside, "netns", self.name)
        self._ip("addr", "add", f"{self.host}/24", "dev", self._cable)
        self._ip("link", "set", self._cable, "up")
        for command in (("addr", "add", f"{guest}/24", "dev", self._inside), ("link", "set", self._inside, "up")):
            self._ip("-n", self.name, *command)
        self._ip("-n", self.name, "link", "set", "lo", "up")

    @property
    def prefix(self) -> list[str]:
        """The words before a command that runs inside."""
        return ["ip", "netns", "exec", self.name]

    def cut(self) -> None:
        """Cut the connection: packets are dropped without an answer."""
        self._ip("link", "set", self._cable, "down")

    def mend(self) -> None:
        """Join it again."""
        self._ip("link", "set", self._cable, "up")

    def close(self) -> None:
        """Remove it."""
        self._ip("netns", "delete", self.name)

    @staticmethod
    def _ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def namespace(number: int) -> Iterator[Namespace | None]:
    """A namespace; None where this machine or user may not make one."""
    try:
        made = Namespace(number)
    except (OSError, subprocess.CalledProcessError):
        yield None
        return
    try:
        yield made
    finally:
        made.close()
