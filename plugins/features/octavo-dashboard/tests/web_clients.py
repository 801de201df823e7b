"""Clients: a program and a browser, over the whole application in this process."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from octavo_dashboard import DashboardOptions, make_app
from octavo_dashboard.http_server import listening
from octavo_library import Library
from starlette.testclient import TestClient

SAMPLES = Path(__file__).resolve().parents[4] / "docs" / "samples"
URL = "http://127.0.0.1:8321"
BROWSER = {"accept": "text/html", "sec-fetch-site": "none"}
"""Headers with which a browser asks for an address that was typed in."""


def open_client(library: Library, options: DashboardOptions | None = None, **headers: str) -> TestClient:
    return TestClient(
        make_app(library, options), base_url=URL, headers=headers, follow_redirects=False, raise_server_exceptions=False
    )


def browser(library: Library, options: DashboardOptions | None = None) -> TestClient:
    return open_client(library, options, **BROWSER)


def csrf_of(page: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]


@contextmanager
def served(library: Library) -> Iterator[str]:
    """The server on a free port, in a thread of this process; yields its URL."""
    with listening(DashboardOptions(port=0)) as listener:
        port = listener.getsockname()[1]
        app = make_app(library, DashboardOptions(port=port))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join(20)
