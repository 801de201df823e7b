"""SDK clients for every transport."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

LIMIT = 180.0
"""Connection timeout in seconds: the SDK client has none, and waits forever for a program that does not speak MCP."""

MODES = ("auto", "legacy")
"""Both protocol generations: 2026-07-28, and the handshake of 2025-11-25."""


@contextlib.asynccontextmanager
async def over_stdio(library: Path, *options: str, mode: Any = "auto") -> AsyncIterator[Client]:
    command = ["-m", "octavo", "mcp", "--library", str(library), *options]
    with anyio.fail_after(LIMIT):
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=command)), mode=mode) as made:
            yield made


@contextlib.contextmanager
def http_server(library: Path, token_file: Path, *options: str) -> Iterator[str]:
    """Run the command over HTTP on a free port; yields its URL."""
    command = [sys.executable, "-m", "octavo", "mcp", "--library", str(library), "--http", "127.0.0.1:0"]
    command += ["--token-file", str(token_file), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"serving at (http://\S+)", line):
                    yield found[1]
                    break
            else:
                raise AssertionError("the server did not start")
        finally:
            process.terminate()
            process.stderr.read()
    assert process.returncode in (0, -15, 143, 130), "the server stops on SIGTERM"


@contextlib.asynccontextmanager
async def over_http(url: str, token: str, mode: Any = "auto") -> AsyncIterator[Client]:
    with anyio.fail_after(LIMIT):
        async with (
            # Without a timeout of its own, httpx2 gives up after 5 s of silence; the server keeps a stream alive every 15 s.
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=LIMIT) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as made,
        ):
            yield made
