"""A local HTTP server for tests of clients: real HTTP over a socket, with responses from the test.

with serving(lambda asked: Reply(body=b"hello")) as port:
urlopen(f"http://127.0.0.1:{port}/")
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOST = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One received request.

    Attributes:
        method: for example 'POST'.
        path: path with the query.
        headers: name in lower case → value.
        body: body of the request.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One response.

    Attributes:
        status: HTTP status.
        body: sent with its length, unless `headers` give another; status 204 has no body.
        headers: further headers.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def serving(answer: Callable[[Asked], Reply]) -> Iterator[int]:
    """Serve requests on a free loopback port, several at once; yield the port.

    Args:
        answer: called on a thread of its own for each request.
    """

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = answer(Asked(method=self.command, path=self.path, headers=headers, body=body))
            with suppress(ConnectionError):  # the client has disconnected
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            length = {} if reply.status == 204 else {"Content-Length": str(len(reply.body))}
            for name, value in {**length, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _take  # noqa: N815 - the names that http.server looks for

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing: the output belongs to the test."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True  # a handler that never returns must not block the exit
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
