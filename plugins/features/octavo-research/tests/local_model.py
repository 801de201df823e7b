"""Serves a small language model on loopback, for the one test with a real model: llama.cpp's server, which xllamacpp has as a wheel."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CONTEXT = 8192
"""Tokens of the model's window. Gemma 3 270M reads more; the samples need less, and a small window is a faster one."""


@contextmanager
def served(weights: Path) -> Iterator[str]:
    """The URL of a server with the model.

    Args:
        weights: the GGUF file.
    """
    import xllamacpp

    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = free_port()
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.warmup = False
    # One thread: llama.cpp's threads wait for each other without sleeping, which stops a machine with other work.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja = True
    server = xllamacpp.Server(parameters)
    try:
        yield f"http://127.0.0.1:{parameters.port}/v1"
    finally:
        del server


def free_port() -> int:
    """A port of loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
