"""Transports: serve over stdio or HTTP until the client or the user stops the server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from octavo_contracts import UsageError

from .http_app import PATH, HttpOptions, make_app


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until the client closes stdin."""

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    asyncio.run(run())


def serve_http(server: Server[Any], options: HttpOptions, *, started: Callable[[str], None]) -> None:
    """Serve clients over HTTP until the process receives SIGINT or SIGTERM.

    Args:
        server: the server.
        options: options of the HTTP server; port 0 selects a free port.
        started: called with the URL before the first request.

    Raises:
        UsageError: listening on the address failed, or as `HttpOptions.check`.
    """
    options.check()
    with listening(options) as listener:
        bound = replace(options, port=listener.getsockname()[1])
        app = make_app(server, bound)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, server_header=False
        )
        host = f"[{bound.host}]" if ":" in bound.host else bound.host
        started(f"http://{host}:{bound.port}{PATH}")
        uvicorn.Server(config).run(sockets=[listener])


def listening(options: HttpOptions) -> socket.socket:
    """A socket that listens on the address of the options; the caller closes it.

    Raises:
        UsageError: listening on the address failed.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named. Without it each answer waits 40 ms for the client's system.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host, options.port))
        listener.listen()  # the URL is announced before uvicorn takes over: early clients wait instead of being refused
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            remedy="Name another --http HOST:PORT",
        ) from error
    return listener
