"""The only code that connects to the network. Every request is refused until a policy allows it (CNV-15, DIG-27).

Public names are imported on first use: workers import this package for its refusing fetcher only, without an HTTP
client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .refusing import RefusingFetcher

if TYPE_CHECKING:
    from .addresses import refusal
    from .fetching import GuardedFetcher
    from .gate import check_cloud
    from .own import own_fetcher
    from .policy import CloudRequest, EgressPolicy, cloud_refusal
    from .service_client import sdk_client
    from .targets import Target, parse_target

__all__ = [
    "CloudRequest",
    "EgressPolicy",
    "GuardedFetcher",
    "RefusingFetcher",
    "Target",
    "check_cloud",
    "cloud_refusal",
    "own_fetcher",
    "parse_target",
    "refusal",
    "sdk_client",
]

_HOMES = {
    "CloudRequest": "policy",
    "EgressPolicy": "policy",
    "GuardedFetcher": "fetching",
    "Target": "targets",
    "check_cloud": "gate",
    "cloud_refusal": "policy",
    "own_fetcher": "own",
    "parse_target": "targets",
    "refusal": "addresses",
    "sdk_client": "service_client",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)
