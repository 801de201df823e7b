"""The only code that connects to the network. Every request is refused until a policy allows it (CNV-15, DIG-27).

Public names are imported on first use: most processes only ask whether a source is a URL, without an HTTP client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazily

if TYPE_CHECKING:
    from .addresses import refusal
    from .fetching import GuardedFetcher
    from .gate import check_cloud
    from .own import own_fetcher
    from .policy import CloudRequest, EgressPolicy, cloud_refusal
    from .refusing import RefusingFetcher
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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "CloudRequest": "policy",
        "EgressPolicy": "policy",
        "GuardedFetcher": "fetching",
        "RefusingFetcher": "refusing",
        "Target": "targets",
        "check_cloud": "gate",
        "cloud_refusal": "policy",
        "own_fetcher": "own",
        "parse_target": "targets",
        "refusal": "addresses",
        "sdk_client": "service_client",
    },
)
