"""`octavo web`: announces its address, answers, and ends on SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
from octavo_dashboard import DashboardOptions
from octavo_dashboard.http_server import listening
from octavo_library import Library


@contextlib.contextmanager
def server(library: Path, *options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "octavo", "web", "--library", str(library), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"serving at (http://\S+)/", line):
                    yield found[1]
                    break
            else:
                raise AssertionError("the server did not start")
        finally:
            process.terminate()
            said = process.stderr.read()
    assert process.returncode in (0, -15, 143, 130), said
    assert "Traceback" not in said


def test_the_command_serves_until_it_is_stopped(library: Library, tmp_path: Path) -> None:
    with server(library.path) as url:
        assert httpx2.get(f"{url}/documents.json").json()["total"] > 0
        assert httpx2.get(f"{url}/documents.json", headers={"host": "evil.example"}).status_code == 421
    with server(library.path, "--allow-host", "octavo.example:80") as url:
        for host, status in (("octavo.example:80", 200), ("evil.example:80", 421)):
            assert httpx2.get(f"{url}/documents.json", headers={"host": host}).status_code == status
    token_file = tmp_path / "tokens"
    with server(library.path, "--token-file", str(token_file)) as url:
        assert httpx2.get(f"{url}/documents.json").status_code == 401
        sent = {"authorization": f"Bearer {token_file.read_text().strip()}"}
        assert httpx2.get(f"{url}/documents.json", headers=sent).status_code == 200


def test_a_stream_says_that_something_changed(tmp_path: Path) -> None:
    """An upload in one connection is announced in another; the event itself carries no content."""
    with Library.open(tmp_path / "library"):
        pass
    with server(tmp_path / "library") as url, httpx2.stream("GET", f"{url}/events", timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        first = next(line for line in lines if line.startswith("id:"))
        sent = httpx2.post(f"{url}/upload", files={"files": ("tide.txt", b"The tide turned.")}, timeout=60)
        assert sent.status_code == 202
        told = [line for line in (next(lines) for _ in range(4)) if line]
        assert "event: change" in told
        assert any(line.startswith("id:") and line != first for line in told)
        assert not any("tide" in line for line in told)


def test_invalid_options_are_told_before_the_server_starts(library: Library, tmp_path: Path) -> None:
    for options, said in (
        (("--host", "192.0.2.7"), "a token is needed"),
        (("--host", "0.0.0.0", "--token-file", str(tmp_path / "t")), "--allow-host NAME:PORT"),
        (("--corpus", "absent"), "absent"),
        (("--library", str(tmp_path / "none")), "there is no library"),
    ):
        command = [sys.executable, "-m", "octavo", "web", "--port", "0", "--library", str(library.path), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert said in done.stderr


def test_answers_are_sent_without_waiting_for_the_client() -> None:
    """A connection that collects small writes holds back the end of each answer until the client's system acknowledges."""

    async def is_direct() -> bool:
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            done.set_result(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        with listening(DashboardOptions(port=0)) as listener:
            async with await asyncio.start_server(accepted, sock=listener):
                _, client = await asyncio.open_connection(*listener.getsockname())
                found = await done
                client.close()
        return found

    assert asyncio.run(is_direct())


def test_uploads_are_limited_and_refused_as_the_options_say(library: Library) -> None:
    upload = {"files": ("tide.txt", b"The tide turned. " * 70_000)}
    with server(library.path, "--max-upload", "1") as url:
        assert httpx2.post(f"{url}/upload", files=upload, timeout=60).status_code == 413
    with server(library.path, "--read-only") as url:
        small = {"files": ("tide.txt", b"The tide turned.")}
        assert httpx2.post(f"{url}/upload", files=small, timeout=60).status_code == 403


def test_metrics_are_sent_as_often_as_asked(library: Library) -> None:
    """Two sends within seconds, where one a minute is the default."""
    received: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keeps the output of the tests clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{collector.server_port}/v1/metrics"
        with server(library.path, "--otlp", address, "--metrics-interval", "1"):
            assert b"octavo" in received.get(timeout=60)
            assert received.get(timeout=30)
        collector.shutdown()
