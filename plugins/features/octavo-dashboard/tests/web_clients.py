"""Clients: a program and a browser, over the whole application in this process."""

from __future__ import annotations

import re
from pathlib import Path

from octavo_dashboard import DashboardOptions, make_app
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
