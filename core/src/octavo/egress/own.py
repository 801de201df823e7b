"""The way to one host and port that the user named: a server of one's own network, or a service that is to be asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address, ip_network

from .addresses import refusal
from .connecting import Stopped
from .fetching import GuardedFetcher
from .policy import EgressPolicy
from .targets import Target

_OWN = tuple(
    map(
        ip_network,
        ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"),
    )
)
"""Networks of one's own: fetched from where the host is named in the settings."""
_SECRETS = frozenset({"100.100.100.200", "fd00:ec2::254", "fd20:ce::254"})
"""Among those, where clouds serve their machines' secrets. The other such addresses are in none of them."""


def own_fetcher(
    target: Target,
    *,
    deny: tuple[str, ...] = (),
    hop: Callable[[Target], None] | None = None,
    stopped: Stopped | None = None,
) -> GuardedFetcher:
    """A fetcher for one host and port of the user's own, whose address need not be public; it follows no way out of it.

    Args:
        target: the host and port.
        deny: hosts that are not asked.
        hop: asked about each place that a redirect leads to.
        stopped: as `GuardedFetcher`.
    """
    policy = EgressPolicy(enabled=True, allow=frozenset({target.host}), deny=frozenset(deny), exact=True)
    return GuardedFetcher(policy, vetting=own_refusal, ports={target.port}, hop=hop, stopped=stopped)


def own_refusal(address: str) -> str | None:
    """As `refusal`, and addresses of networks that belong to nobody else are let through."""
    why = refusal(address)
    if why is None or address in _SECRETS:
        return why
    with suppress(ValueError):
        parsed = ip_address(address)
        if any(parsed in network for network in _OWN if network.version == parsed.version):
            return None
    return why
