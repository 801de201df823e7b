"""Requests of plugins to the network (`context.fetch`): the host sends them, within its operator's leave (CNV-15, DIG-27).

A plugin that has a document can put any part of it into a request. Three things must therefore agree: the capability in the
manifest, the operator's setting `plugins.network` for the host of the URL, and the consent of the document's owners.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from octavo_contracts import PolicyRefused

if TYPE_CHECKING:
    from octavo_contracts import FetchResponse
    from octavo_sandbox.egress import GuardedFetcher, Target
    from octavo_sandbox.egress.gate import Owners
    from octavo_sandbox.worker_requests import WorkerRequest

logger = logging.getLogger("octavo.egress")


class PluginRequests:
    """Answers the requests of one plugin during one call.

    Args:
        plugin: its name.
        hosts: hosts that the operator lets it reach, see `PluginSelection.network`.
        owners: consent of the document's owners; None: no consent.
    """

    def __init__(self, plugin: str, *, hosts: Collection[str], owners: Owners | None) -> None:
        self._plugin = plugin
        self._hosts = tuple(host.strip().lower() for host in hosts)
        self._owners = owners

    def __call__(self, request: WorkerRequest, is_over: Callable[[], bool], /) -> FetchResponse:
        """Send a request and return the response.

        Raises:
            PolicyRefused: the operator, an owner of the document, the address or a redirect forbids it.
            OctavoError: see `GuardedFetcher.fetch`.
        """
        # Imported here: it loads an HTTP client that most documents do not need.
        from octavo_sandbox.egress.gate import note_use, pass_gate

        target, fetcher, entry = self._allowed(request.url, is_over)
        # The entry of the settings, never the host of the URL: a plugin can put words of the document into the latter.
        service = f"plugin {self._plugin} at {entry}"
        pass_gate(
            self._owners,
            service=service,
            remedy="Convert the document in a library, and allow cloud services for each of its corpora",
        )
        note_use(self._owners, service=service)
        return fetcher.fetch(
            target.url,
            method=request.method,
            body=request.body,
            headers=request.headers,
            max_bytes=request.max_bytes,
            timeout=request.seconds,
        )

    def _allowed(self, url: str, is_over: Callable[[], bool]) -> tuple[Target, GuardedFetcher, str]:
        """Return the target of a URL, a fetcher for it, and the entry of the settings that allows it.

        The fetcher follows no redirect to a host without leave.
        """
        from octavo_sandbox.egress import EgressPolicy, GuardedFetcher, own_fetcher, parse_target
        from octavo_sandbox.egress.gate import CloudDecision, RecordedOwners
        from octavo_sandbox.egress.policy import within
        from octavo_sandbox.egress.targets import PORTS

        servers = {_server(host): host for host in self._hosts if _has_port(host)}
        public = frozenset(host for host in self._hosts if not _has_port(host))
        # A port that is not allowed ends below, in the refusal that says which setting allows it.
        target = parse_target(url, ports=PORTS | {port for _, port in servers} | _port_of(url))
        if (entry := servers.get((target.host, target.port))) is not None:
            return target, own_fetcher(target, stopped=is_over), entry
        for entry in sorted(public):
            if target.port in PORTS and within(target.host, (entry,)):
                return target, GuardedFetcher(EgressPolicy(enabled=True, allow=public), stopped=is_over), entry
        service, reason = f"plugin {self._plugin}", "the host is not in plugins.network"
        logger.warning("egress.refused service=%s reason=%s", service, reason)
        if isinstance(self._owners, RecordedOwners):
            self._owners.record(CloudDecision(allowed=False, service=service, reason=reason))
        raise PolicyRefused(
            f"plugin {self._plugin!r} may not send requests to {target.host}",
            remedy=f"To allow it, add the host to the setting plugins.network.{self._plugin}",
        )


def _port_of(url: str) -> frozenset[int]:
    try:
        port = urlsplit(url).port
    except ValueError:
        return frozenset()
    return frozenset() if port is None else frozenset({port})


def _has_port(host: str) -> bool:
    name, colon, port = host.rpartition(":")
    return bool(colon) and port.isdecimal() and (":" not in name or name.startswith("["))


def _server(host: str) -> tuple[str, int]:
    name, _, port = host.rpartition(":")
    return name.strip("[]"), int(port)
