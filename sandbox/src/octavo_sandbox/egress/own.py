"""Fetches from one host and port that the user named: a server in the user's own network, or a configured service."""

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
"""Private networks: allowed for hosts that are named in the settings."""
_SECRETS = frozenset({"100.100.100.200", "fd00:ec2::254", "fd20:ce::254"})
"""Metadata services of clouds inside these networks. Other such addresses are outside of them."""


def own_fetcher(
    target: Target,
    *,
    deny: tuple[str, ...] = (),
    hop: Callable[[Target], None] | None = None,
    stopped: Stopped | None = None,
) -> GuardedFetcher:
    """Build a fetcher for a single host and port that the user named, whose address may be private.

    Args:
        target: the host and port.
        deny: hosts that are refused.
        hop: called with the target of each redirect.
        stopped: see `GuardedFetcher`.
    """
    policy = EgressPolicy(enabled=True, allow=frozenset({target.host}), deny=frozenset(deny), exact=True)
    return GuardedFetcher(policy, vetting=own_refusal, ports={target.port}, hop=hop, stopped=stopped)


def own_refusal(address: str) -> str | None:
    """Apply `refusal`, but allow addresses in private networks."""
    why = refusal(address)
    if why is None or address in _SECRETS:
        return why
    with suppress(ValueError):
        parsed = ip_address(address)
        if any(parsed in network for network in _OWN if network.version == parsed.version):
            return None
    return why
