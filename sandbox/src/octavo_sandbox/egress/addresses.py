"""Decides which IP addresses belong to the public internet (DIG-27).

The table is our own, because `ipaddress.is_global` is wrong for several of these networks on some Python versions.
Sources: IANA's special-purpose address registries, and the addresses of the clouds' metadata services.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_V4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by carriers, and some clouds' metadata",
    "127.0.0.0/8": "this machine",
    "168.63.129.16/32": "cloud metadata",
    "169.254.0.0/16": "link-local, and most clouds' metadata",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "a DNS sink",
    "192.52.193.0/24": "a tunnel",
    "192.88.99.0/24": "a tunnel's relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "a DNS sink",
    "198.18.0.0/15": "benchmarks",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved, and broadcast",
}
_V6 = {
    "2001::/23": "protocol assignments and tunnels",
    "2001:db8::/32": "documentation",
    "2002::/16": "a tunnel to an IPv4 address",
    "2620:4f:8000::/48": "a DNS sink",
    "3fff::/20": "documentation",
}
_V6_GLOBAL = IPv6Network("2000::/3")
"""All other IPv6 addresses are local, multicast, mapped, translated or unassigned."""

V4_REFUSED = tuple((IPv4Network(network), what) for network, what in _V4.items())
V6_REFUSED = tuple((IPv6Network(network), what) for network, what in _V6.items())

_ISATAP = (0x00005EFE, 0x02005EFE)
"""Bits 32 to 63 of an IPv6 address that is an ISATAP tunnel to an IPv4 address."""


def refusal(address: str) -> str | None:
    """Return why connecting to an address is refused, or None if it is public.

    Args:
        address: as returned by the resolver; anything but a plain address is refused.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return "not an IP address"
    return _of_v4(parsed) if isinstance(parsed, IPv4Address) else _of_v6(parsed)


def _of_v4(address: IPv4Address) -> str | None:
    return next((what for network, what in V4_REFUSED if address in network), None)


def _of_v6(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "bound to a link"
    if address not in _V6_GLOBAL:
        return "not public: local, multicast, mapped, translated or unassigned"
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "a tunnel to an IPv4 address"
    return next((what for network, what in V6_REFUSED if address in network), None)
