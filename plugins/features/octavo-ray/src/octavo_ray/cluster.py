"""The connection to a Ray cluster, and its nodes. The only module that imports Ray, with `supervisor_pool`."""

from __future__ import annotations

import atexit
import logging
import os
import platform
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from octavo_cli.toolkit import immediate_exit
from octavo_contracts import ToolUnavailable, UsageError

from .options import AUTO, LOCAL, RayOptions

HEAD_SECONDS = 20.0
"""How long the head of a cluster may be silent. Ray itself ends the process, without a message, after a minute."""

CONNECT_SECONDS = 5.0
"""Time for a cluster to accept a connection. Ray itself tries for more than a minute and then ends the process."""

OBJECT_STORE_BYTES = 80 << 20
"""Size of the object store of a local cluster, the smallest that Ray takes: documents never go through it."""

_OWN_LOOPBACK = "127.0.0.2"
"""Address of a local cluster on Linux. Ray replaces 127.0.0.1 by an outer address of the machine, and listens there."""

_log = logging.getLogger("octavo.ray")

START = "Start one with `ray start --head`, or give --ray-address local"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of a cluster.

    Attributes:
        id: its id in Ray; a node that comes back has another one.
        host: name of its machine.
        is_here: whether that is this machine.
        resources: name → total amount.
    """

    id: str
    host: str
    is_here: bool
    resources: Mapping[str, float]

    def __str__(self) -> str:
        return f"{self.host} ({self.id[:6]})"

    def has(self, wanted: Mapping[str, float]) -> bool:
        """Whether it has resources. A node without processors, as many heads are, gets work only if `CPU` is not asked for."""
        needed = {"CPU": 1.0, **wanted}
        return all(self.resources.get(name, 0.0) >= amount for name, amount in needed.items())


class Cluster:
    """A cluster to which this process is connected.

    Args:
        ray: the package.

    Attributes:
        is_lost: whether its head was given up.
    """

    def __init__(self, ray: ModuleType) -> None:
        self.ray: Any = ray
        self.is_lost = False
        self._head = str(self.ray.get_runtime_context().gcs_address)
        self._heard = time.monotonic()

    def has_head(self) -> bool:
        """Whether the head accepts connections now. No call of Ray is to be made while it does not: most wait for it.

        Raises:
            ToolUnavailable: it has not for `HEAD_SECONDS`.
        """
        host, _, port = self._head.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
        except OSError as error:
            silent = time.monotonic() - self._heard
            if silent >= HEAD_SECONDS:
                self.is_lost = True
                raise ToolUnavailable(
                    f"the head of the Ray cluster at {self._head} has not answered for {silent:.0f} s: {error}",
                    remedy="Start the cluster again, then run the command again: finished documents are not converted again",
                ) from error
            return False
        self._heard = time.monotonic()
        return True

    def nodes(self) -> list[Node]:
        """The nodes that are alive, this machine's first."""
        here = platform.node()
        found = [
            Node(
                id=row["NodeID"],
                host=row["NodeManagerHostname"],
                is_here=row["NodeManagerHostname"] == here,
                resources=row["Resources"],
            )
            for row in self.ray.nodes()
            if row["Alive"]
        ]
        return sorted(found, key=lambda node: (not node.is_here, node.host, node.id))

    def fitting(self, wanted: Mapping[str, float]) -> list[Node]:
        """The nodes that have the resources.

        Raises:
            UsageError: no node has them.
        """
        nodes = self.nodes()
        found = [node for node in nodes if node.has(wanted)]
        if not found:
            asked = ", ".join(f"{name}={amount:g}" for name, amount in {"CPU": 1.0, **wanted}.items())
            there = sorted({name for node in nodes for name in node.resources if not name.startswith("node:")})
            raise UsageError(
                f"no node of the Ray cluster has {asked}; the nodes have {', '.join(there)}",
                remedy="Give another --ray-resource, or start a node with `ray start --resources`",
            )
        return found


@contextmanager
def connected(options: RayOptions) -> Iterator[Cluster]:
    """Connect to the cluster; the connection, and a cluster of this machine alone, ends with the block.

    Raises:
        ToolUnavailable: Ray is not installed, or no cluster answers at the address.
    """
    ray = _import_ray()
    if ray.is_initialized():
        yield Cluster(ray)
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to Ray's authors
    _connect(ray, options.address)
    cluster = Cluster(ray)
    try:
        yield cluster
    finally:
        if cluster.is_lost:
            _leave(ray)
        else:
            ray.shutdown()


def _leave(ray: Any) -> None:
    """Leave a cluster that has lost its head: Ray's clean-up would wait for an answer, crash, or end the process with its own code."""
    atexit.unregister(ray._private.worker.shutdown)
    immediate_exit.request()


def _silence(ray: Any) -> None:
    """Keep Ray's reports of dead processes off standard output, which belongs to the command; the pool reports them.

    Ray prints them itself, whatever `log_to_driver` says, and has no setting for it.
    """
    worker = ray._private.worker
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda data, **_: _log.debug("%s", data)


def _import_ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ToolUnavailable(
            "--executor ray needs Ray, which is not installed", remedy="Run: pip install 'octavo-ray[ray]'"
        ) from error
    return ray


def _connect(ray: Any, address: str) -> None:
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "address": address}
    if address == LOCAL:
        settings |= {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES}
        if sys.platform == "linux":
            settings["_node_ip_address"] = _OWN_LOOPBACK
    elif address != AUTO:
        _check_answers(address)
        host = address.rpartition(":")[0]
        if host.startswith("127."):  # a cluster on loopback: this process is on its head node
            settings["_node_ip_address"] = host
    _silence(ray)
    try:
        ray.init(**settings)
    except (ConnectionError, ValueError, RuntimeError, SystemExit) as error:
        why = str(error).strip().splitlines() or [type(error).__name__]
        raise _unreachable(address, why[0].rstrip(".")) from error


def _check_answers(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from error


def _unreachable(address: str, why: str) -> ToolUnavailable:
    where = "on this machine" if address == AUTO else f"at {address}"
    return ToolUnavailable(f"no Ray cluster can be used {where}: {why}", remedy=START)
