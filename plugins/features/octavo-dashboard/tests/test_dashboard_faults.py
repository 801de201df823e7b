"""What goes wrong around the server: slow clients, a moved library, a full disk, a locked index, a kill in the middle."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from octavo import Settings
from octavo_dashboard import DashboardOptions, make_app
from octavo_dashboard.http_server import listening
from octavo_dashboard.problems import Refused
from octavo_dashboard.timed_protocol import MOST_HEADER_BYTES, TimedProtocol, timely
from octavo_library import Library
from web_clients import open_client

QUICK = Settings(sampling=False, workers=1)
SERVE = (
    "import sys\nfrom octavo import Settings\nfrom octavo_library import Library\n"
    "from octavo_dashboard import DashboardOptions\nfrom octavo_dashboard.http_server import serve\n"
    "with Library.open(sys.argv[1], settings=Settings(sampling=False, workers=1)) as library:\n"
    "    serve(library, DashboardOptions(port=0), started=lambda url: print(url, flush=True))\n"
)


class Impatient(TimedProtocol):
    header_seconds = 0.3


@contextmanager
def listening_server(library: Library) -> Iterator[int]:
    """A server in a thread whose patience with headers is short; yields its port."""
    with listening(DashboardOptions(port=0)) as listener:
        port = listener.getsockname()[1]
        app = make_app(library, DashboardOptions(port=port))
        config = uvicorn.Config(app, http=Impatient, log_level="critical", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield port
        server.should_exit = True
        thread.join(20)


def is_closed(connection: socket.socket) -> bool:
    """Whether the server closes the connection, within a minute."""
    connection.settimeout(60)
    try:
        while connection.recv(10_000):  # what is left of an earlier answer
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


@pytest.fixture
def library_server(tmp_path: Path) -> Iterator[int]:
    """The server of the command, with its own patience; yields its port."""
    with Library.open(tmp_path / "library", settings=QUICK):
        pass
    with subprocess.Popen([sys.executable, "-c", SERVE, str(tmp_path / "library")], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().rsplit(b":", 1)[1].strip(b"/\n"))
        process.terminate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Library, int]]:
    with Library.open(tmp_path_factory.mktemp("slow") / "library", settings=QUICK) as library:
        library.ingest(b"The tide turned.", name="a.txt")
        with listening_server(library) as port:
            yield library, port


@pytest.mark.parametrize(
    "begun", [b"", b"GET /documents HTTP/1.1\r\n", b"GET /documents HTTP/1.1\r\nhost: 127.0.0.1\r\nx-"]
)
def test_a_client_that_sends_no_whole_headers_is_cut_off(served: tuple[Library, int], begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served[1])) as connection:
        connection.sendall(begun)
        assert is_closed(connection)


@pytest.mark.parametrize("line", [b"x-a: " + b"a" * 1000 + b"\r\n", b"a" * 1000])
def test_headers_without_an_end_are_cut_off_at_their_limit(library_server: int, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", library_server), timeout=60) as connection:
        connection.sendall(b"GET /documents HTTP/1.1\r\n" + (b"" if line.endswith(b"\n") else b"x-a: "))
        with suppress(OSError):  # the answer may come before the last line
            for _ in range(1 + MOST_HEADER_BYTES // 1000):
                connection.sendall(line)
        answer = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(10_000):
                answer += part
        assert answer.startswith(b"HTTP/1.1 400 ") or not answer


def test_empty_lines_do_not_keep_a_connection(served: tuple[Library, int]) -> None:
    with socket.create_connection(("127.0.0.1", served[1]), timeout=60) as connection:
        started = time.monotonic()
        with suppress(OSError):
            while time.monotonic() < started + 50:
                connection.sendall(b"\r\n")
                time.sleep(0.05)
        assert time.monotonic() < started + 50


def test_a_second_request_with_slow_headers_is_cut_off(served: tuple[Library, int]) -> None:
    with socket.create_connection(("127.0.0.1", served[1])) as connection:
        connection.sendall(f"GET /health HTTP/1.1\r\nhost: 127.0.0.1:{served[1]}\r\n\r\n".encode())
        assert b"200 OK" in connection.recv(10_000)
        connection.sendall(b"GET /health HT")
        assert is_closed(connection)


def test_slow_clients_do_not_keep_the_others_out(served: tuple[Library, int]) -> None:
    with_nothing = [socket.create_connection(("127.0.0.1", served[1])) for _ in range(100)]
    try:
        other = http.client.HTTPConnection("127.0.0.1", served[1], timeout=60)
        other.request("GET", "/documents.json")
        assert other.getresponse().status == 200
        other.close()
    finally:
        for one in with_nothing:
            one.close()


def test_a_stream_of_events_is_not_cut_off_by_the_limit_of_headers(served: tuple[Library, int]) -> None:
    with socket.create_connection(("127.0.0.1", served[1]), timeout=60) as connection:
        connection.sendall(f"GET /events HTTP/1.1\r\nhost: 127.0.0.1:{served[1]}\r\n\r\n".encode())
        seen = b""
        while b"event: change" not in seen:
            seen += connection.recv(10_000)
        served[0].ingest(b"The tide turned again.", name="b.txt", reingest=True)
        for _ in served[0].ingest_many([]):
            pass
        assert b"text/event-stream" in seen


def test_a_body_that_trickles_is_refused() -> None:
    async def trickle() -> dict[str, object]:
        await asyncio.sleep(0.2)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> None:
        receive = timely(trickle, body_seconds=0.5, least_rate=1_000_000)
        while True:
            await receive()

    with pytest.raises(Refused) as caught:
        asyncio.run(read())
    assert (caught.value.status, caught.value.code) == (408, "request_timeout")


def test_a_body_in_time_is_passed_on() -> None:
    parts = [b"a", b"bc", b""]

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def read() -> bytes:
        limited = timely(receive)
        return b"".join([(await limited())["body"] for _ in range(3)])

    assert asyncio.run(read()) == b"abc"


def test_a_moved_library_is_an_error_that_names_no_folder_and_the_server_lives(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", settings=QUICK) as library:
        document = library.ingest(b"# Tide\n\nIt turned.\n", name="a.md").document
        with open_client(library) as client:
            url = f"/documents/{document.id}/pages/1.json"
            assert client.get(url).status_code == 200
            (tmp_path / "library").rename(tmp_path / "elsewhere")
            answer = client.get(url)
            assert answer.status_code in (409, 500, 503)
            assert str(tmp_path) not in answer.text
            assert client.get("/health").status_code == 200
            (tmp_path / "elsewhere").rename(tmp_path / "library")
            assert client.get(url).status_code == 200


@pytest.mark.sqlite_files
def test_a_locked_index_refuses_changes_and_shows_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo_library.storage.index.dialect.BUSY_SECONDS", 0.2, raising=False)
    with Library.open(tmp_path / "library", settings=QUICK) as library:
        document = library.ingest(b"# Tide\n\nIt turned.\n", name="a.md").document
        lock = sqlite3.connect(tmp_path / "library" / "index.sqlite", isolation_level=None)
        with open_client(library) as client:
            lock.execute("BEGIN IMMEDIATE")
            assert client.get(f"/documents/{document.id}.json").status_code == 200
            assert client.get("/documents.json").json()["total"] == 1
            lock.execute("ROLLBACK")
            lock.close()
            assert client.post(f"/documents/{document.id}/accept").status_code == 200


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 12 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a small file system can be mounted by root on Linux only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_refuses_changes_with_507_or_503_and_shows_pages(small_disk: Path) -> None:
    """Nothing that was stored is lost, and the server works again when there is room."""
    with Library.open(small_disk / "library", settings=QUICK) as library:
        document = library.ingest(b"# Tide\n\nIt turned.\n", name="a.md").document
        filler = small_disk / "filler"
        with suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(64 * 1024))
                file.flush()
        with open_client(library) as client:
            assert client.get(f"/documents/{document.id}/pages/1.json").status_code == 200
            answer = client.post(f"/documents/{document.id}/annotations", data={"text": "x" * 20_000})
            for _ in range(200):
                if answer.status_code != 200:
                    break
                answer = client.post(f"/documents/{document.id}/annotations", data={"text": "x" * 20_000})
            assert answer.status_code in (503, 507), answer.text
            assert str(small_disk) not in answer.text
            assert client.get("/documents.json").json()["total"] == 1
            filler.unlink()
            assert client.post(f"/documents/{document.id}/accept").status_code == 200


def test_a_server_that_is_killed_while_it_ingests_loses_nothing(tmp_path: Path) -> None:
    """SIGKILL in the middle of uploads; the next server shows what was there, and the library is whole."""
    folder = tmp_path / "library"
    with Library.open(folder, settings=QUICK) as library:
        before = library.ingest(b"# Kept\n\nSince before.\n", name="kept.md").document.id
    for attempt in range(2):
        with subprocess.Popen([sys.executable, "-c", SERVE, str(folder)], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            client.request("GET", f"/documents/{before}.json")
            assert b'"complete"' in client.getresponse().read()
            for number in range(3):
                body = (
                    f'--b\r\nContent-Disposition: form-data; name="files"; filename="{attempt}-{number}.md"\r\n\r\n'
                    f"# Note {attempt} {number}\n\nText.\n\r\n--b--\r\n"
                )
                client.request("POST", "/upload", body, {"content-type": "multipart/form-data; boundary=b"})
                answer = client.getresponse()
                assert (answer.status, bool(answer.read())) == (202, True)
            client.close()
            server.send_signal(signal.SIGKILL)
            server.wait(60)
    with Library.open(folder, settings=QUICK) as library:
        assert library.document(before).canonical_text
        assert library.maintenance.verify().is_clean
