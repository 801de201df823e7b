"""The dashboard under attack: malformed requests, slow clients, an upload of 2 GB, a zip bomb; is it alive afterwards?

Malformed requests are made by schemathesis from the description of the API, where it is installed
(`pip install schemathesis`); without it they are left out, and the result says so.

Usage:
    python -m tests.benchmarks.web.faults [--requests N] [--connections N] [--gigabytes N] [--json]
"""

from __future__ import annotations

import argparse
import http.client
import importlib.util
import io
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from .load import fill, memory, serving

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
OPERATIONS = 30
"""The description has a few more, each of which gets its share of the requests, allowed and malformed ones."""
MEGABYTE = 1_000_000
BOMB_BYTES = 400 * MEGABYTE


def status_of(address: str, path: str) -> int:
    """The status of a page, asked for by a client of its own."""
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def malformed(address: str, *, requests: int) -> dict[str, Any]:
    """Requests that the description of the API allows and forbids."""
    if importlib.util.find_spec("schemathesis") is None:
        return {"skipped": "schemathesis is not installed"}
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"http://{address}/openapi.json", "--checks", CHECKS]
    command += [
        "--mode",
        "all",
        "--max-examples",
        str(max(1, requests // OPERATIONS)),
        "--continue-on-failure",
        "--no-color",
    ]
    command += ["--generation-deterministic", "--request-timeout", "60", "--phases", "fuzzing", "--warnings", "off"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    counted = re.search(r"(\d[\d,]*) generated", done.stdout)
    failures = sorted(set(re.findall(r"^- (.+)$", done.stdout, flags=re.MULTILINE)))
    return {
        "requests": int(counted[1].replace(",", "")) if counted else None,
        "exit_code": done.returncode,
        "failures": failures,
        "output": done.stdout[-12000:] if done.returncode else "",
    }


def slow_loris(address: str, *, connections: int) -> dict[str, Any]:
    """Many connections that send a byte of a header now and then; the others are served all the while."""
    host, _, port = address.partition(":")
    held = [socket.create_connection((host, int(port))) for _ in range(connections)]
    for one in held:
        one.sendall(b"GET /documents HTTP/1.1\r\nx-slow: ")
    started, took, refused = time.monotonic(), [], 0
    while time.monotonic() - started < 15:
        for one in held:
            with suppress(OSError):
                one.sendall(b"a")
        begun = time.perf_counter()
        refused += status_of(address, "/documents.json") != 200
        took.append((time.perf_counter() - begun) * 1000)
        time.sleep(0.5)
    closed = 0
    for one in held:
        one.setblocking(False)
        try:
            closed += one.recv(1) == b""
        except BlockingIOError:
            pass
        except OSError:
            closed += 1
        one.close()
    return {
        "connections": connections,
        "closed_after_15_s": closed,
        "others_refused": refused,
        "others_slowest_ms": round(max(took), 1),
    }


def huge_upload(address: str, pid: int, *, gigabytes: float) -> dict[str, Any]:
    """A body without a declared length, sent until the server refuses it."""
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="files"; filename="huge.txt"\r\n\r\n'
        while sent < gigabytes * 1000 * MEGABYTE:
            sent += MEGABYTE
            yield bytes(MEGABYTE)

    before = memory(pid)
    connection = http.client.HTTPConnection(address, timeout=120)
    headers = {"content-type": "multipart/form-data; boundary=b", "transfer-encoding": "chunked"}
    status: int | str
    try:
        connection.request("POST", "/upload", body(), headers, encode_chunked=True)
        status = connection.getresponse().status
    except OSError:
        # The server answers and closes while the client still sends.
        status = "closed"
        with suppress(OSError, http.client.HTTPException):
            status = http.client.HTTPResponse(connection.sock).status or status
    connection.close()
    return {"status": status, "sent_mb": sent // MEGABYTE, "grew_mb": round(memory(pid) - before, 1)}


def zip_bomb(address: str, pid: int) -> dict[str, Any]:
    """A small Word document that unpacks to much more than a converter may have."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b"<Types/>")
        with archive.open("word/document.xml", "w") as part:
            for _ in range(BOMB_BYTES // MEGABYTE):
                part.write(bytes(MEGABYTE))
    before = memory(pid)
    connection = http.client.HTTPConnection(address, timeout=300)
    head = b'--b\r\nContent-Disposition: form-data; name="files"; filename="bomb.docx"\r\n\r\n'
    body = head + packed.getvalue() + b"\r\n--b--\r\n"
    connection.request("POST", "/upload", body, {"content-type": "multipart/form-data; boundary=b"})
    answer = connection.getresponse()
    told = json.loads(answer.read())
    task = told["tasks"][0]
    for _ in range(600):
        connection.request("GET", "/activity.json")
        tasks = json.loads(connection.getresponse().read())["tasks"]
        task = next(one for one in tasks if one["id"] == task["id"])
        if not task["is_open"]:
            break
        time.sleep(0.5)
    connection.close()
    return {
        "status": answer.status,
        "packed_bytes": len(packed.getvalue()),
        "state": task["state"],
        "message": task["message"],
        "grew_mb": round(memory(pid) - before, 1),
    }


def main() -> None:
    """Print what each fault did, and whether the server lives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000, help="malformed requests, about")
    parser.add_argument("--connections", type=int, default=400, help="slow connections")
    parser.add_argument("--gigabytes", type=float, default=2.0, help="size of the upload")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    told: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "library"
        fill(folder, 200)
        with serving(folder) as (address, pid):
            told["slow_loris"] = slow_loris(address, connections=given.connections)
            told["huge_upload"] = huge_upload(address, pid, gigabytes=given.gigabytes)
            told["zip_bomb"] = zip_bomb(address, pid)
            told["malformed"] = malformed(address, requests=given.requests)
            told["is_alive"] = status_of(address, "/documents.json") == 200
    if given.json:
        print(json.dumps(told, indent=1))
        return
    for name, result in told.items():
        print(f"{name:<14}{result}")


if __name__ == "__main__":
    main()
