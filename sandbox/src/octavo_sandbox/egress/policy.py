"""Policies for outgoing requests and cloud services (CNV-15, DIG-34). The default is to refuse."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from octavo_contracts import PolicyRefused

NOT_LET_OUT = "its source does not allow cloud services"
"""Refusal by the policy of the source, if no corpus forbids it."""
PRIVATE_TAGS = frozenset({"privileged", "local_only"})
"""Tags of a corpus or a source that keep its documents on this machine."""


@dataclass(frozen=True, kw_only=True)
class EgressPolicy:
    """What the user allows. By default nothing.

    Attributes:
        enabled: whether anything is fetched at all.
        allow: hosts that may be fetched from, including their subdomains. None: any public host.
        deny: hosts that may not; stronger than `allow`.
        exact: whether a host in `allow` excludes its subdomains.
    """

    enabled: bool = False
    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()
    exact: bool = False

    def check(self, host: str) -> None:
        """Raise unless a host may be fetched from; called for every redirect.

        Raises:
            PolicyRefused: the host may not be fetched from.
        """
        if not self.enabled:
            raise PolicyRefused(
                f"network access is disabled: no request was sent to {host}",
                remedy="Enable it in the settings of the host",
            )
        if within(host, self.deny):
            raise PolicyRefused(f"host {host} is in the deny list")
        if self.allow is not None and not (host in self.allow if self.exact else within(host, self.allow)):
            raise PolicyRefused(f"host {host} is not in the allow list")


@dataclass(frozen=True, kw_only=True)
class CloudRequest:
    """A document that a cloud service would receive, and its owner's consent.

    Attributes:
        user_enabled: whether the user enabled cloud services for this deployment.
        visibility: of the corpus: ambient, cloud_allowed or firewalled.
        corpus_tags: of the corpus, for example privileged.
        source_tags: of the source.
        source_outbound: whether the source's own policy allows it.
    """

    user_enabled: bool = False
    visibility: str = "ambient"
    corpus_tags: Collection[str] = ()
    source_tags: Collection[str] = ()
    source_outbound: bool = False


def cloud_refusal(request: CloudRequest) -> str | None:
    """Return why a cloud service may not receive a document, or None (CNV-15)."""
    tags = PRIVATE_TAGS.intersection(request.corpus_tags) | PRIVATE_TAGS.intersection(request.source_tags)
    if tags:
        return f"the document is {' and '.join(sorted(tags))}"
    if request.visibility not in ("ambient", "cloud_allowed"):
        return f"its corpus is {request.visibility}"
    if not request.user_enabled:
        return "cloud services are disabled"
    if not request.source_outbound:
        return NOT_LET_OUT
    return None


def within(host: str, names: Collection[str]) -> bool:
    """Return whether a host is one of these names, or a subdomain of one."""
    return any(host == name or host.endswith(f".{name}") for name in (item.lower().rstrip(".") for item in names))
