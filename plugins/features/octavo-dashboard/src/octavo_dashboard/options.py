"""Options of the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address

from octavo_contracts import UsageError
from octavo_library.telemetry import INTERVAL

from .access import Access

_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, kw_only=True)
class DashboardOptions:
    """Options of the server.

    Attributes:
        host: address to listen on.
        port: TCP port; 0 selects a free one.
        access: the tokens.
        read_only: whether changes are refused.
        allow_hosts: additional Host headers, with port, that browsers may use.
        upload_limit: largest upload, bytes.
        metrics_interval: aggregation interval of the metrics of the library's state, seconds.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    access: Access = field(default_factory=Access)
    read_only: bool = False
    allow_hosts: Sequence[str] = ()
    upload_limit: int = 256 * 10**6
    metrics_interval: float = INTERVAL

    def check(self) -> None:
        """Check that the server can be protected.

        Raises:
            UsageError: the address is not a loopback address and there is no token; or it is a wildcard and
                `allow_hosts` is empty.
        """
        if not is_loopback(self.host) and not self.access.needs_token:
            raise UsageError(
                f"{self.host} can be reached from other machines, so that a token is needed",
                remedy="Give --token-file FILE, or listen on 127.0.0.1",
            )
        if is_wildcard(self.host) and not self.allow_hosts:
            raise UsageError(
                f"{self.host} is every address of this machine, so that the Host header cannot be checked",
                remedy="Name the server as browsers call it: --allow-host NAME:PORT",
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Host headers that requests may have."""
        names = _LOOPBACK_NAMES if is_loopback(self.host) else (bracketed(self.host),)
        own = {f"{name}:{self.port}" for name in names}
        return frozenset({*own, *(names if self.port == 80 else ()), *self.allow_hosts})


def is_loopback(host: str) -> bool:
    """Whether an address is a loopback address."""
    try:
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Whether an address stands for every address of the machine."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return host == ""


def bracketed(host: str) -> str:
    """An address as it stands in a URL."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
