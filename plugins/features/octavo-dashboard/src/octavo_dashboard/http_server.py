"""Serves the application until the process receives SIGINT or SIGTERM."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn
from octavo_contracts import UsageError
from octavo_library import Library

from .application import make_app
from .options import DashboardOptions, bracketed
from .timed_protocol import TimedProtocol

SECONDS_TO_FINISH = 3
"""Requests that run at the end of the server have so many seconds left."""


def serve(library: Library, options: DashboardOptions, *, started: Callable[[str], None]) -> None:
    """Serve a library.

    Args:
        library: an open library.
        options: options of the server; port 0 selects a free port.
        started: called with the URL before the first request.

    Raises:
        UsageError: listening on the address failed, or as `make_app`.
    """
    options.check()
    with listening(options) as listener:
        bound = replace(options, port=listener.getsockname()[1])
        config = uvicorn.Config(
            make_app(library, bound),
            http=TimedProtocol,
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=True,
            proxy_headers=False,
            timeout_graceful_shutdown=SECONDS_TO_FINISH,
            timeout_keep_alive=15,
            limit_concurrency=512,
        )
        # What is loaded now stays: the collector of cycles would look through all of it again, while requests wait.
        gc.collect()
        gc.freeze()
        started(f"http://{bracketed(bound.host)}:{bound.port}/")
        uvicorn.Server(config).run(sockets=[listener])


def listening(options: DashboardOptions) -> socket.socket:
    """A socket that listens on the address of the options; the caller closes it.

    Raises:
        UsageError: listening on the address failed.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named. Without it each answer waits 40 ms for the client's system.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((options.host.strip("[]"), options.port))
        listener.listen(512)  # the URL is announced before uvicorn takes over: early clients wait
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {bracketed(options.host)}:{options.port}: {error.strerror or error}",
            remedy="Name another --host or --port",
        ) from error
    return listener
