"""Who may go out, and whereto (CNV-15, DIG-34). Refusal is the default."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from octavo_contracts import PolicyRefused

NOT_LET_OUT = "its source does not let it out"
"""Why a document stays here that no corpus keeps."""
PRIVATE_TAGS = frozenset({"privileged", "local_only"})
"""Marks of a corpus or a source that keep it on this machine."""


@dataclass(frozen=True, kw_only=True)
class EgressPolicy:
    """What the user allows. As it is made, nothing.

    Attributes:
        enabled: whether anything is fetched at all.
        allow: hosts that may be fetched from; a host also stands for its subdomains. None: any public host.
        deny: hosts that may not; stronger than `allow`.
        exact: whether a host in `allow` stands for itself alone.
    """

    enabled: bool = False
    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()
    exact: bool = False

    def check(self, host: str) -> None:
        """Raise unless a host may be fetched from; asked at every redirect.

        Raises:
            PolicyRefused: it may not.
        """
        if not self.enabled:
            raise PolicyRefused(
                f"the network is off: a request to {host} was not made", remedy="Turn it on in the settings of the host"
            )
        if within(host, self.deny):
            raise PolicyRefused(f"the host {host} is on the list of those that are not asked")
        if self.allow is not None and not (host in self.allow if self.exact else within(host, self.allow)):
            raise PolicyRefused(f"the host {host} is not on the list of those that may be asked")


@dataclass(frozen=True, kw_only=True)
class CloudRequest:
    """A document that would go to a cloud service, and what its owner said.

    Attributes:
        user_enabled: whether the user turned cloud services on for this deployment.
        visibility: of the corpus: ambient, cloud_allowed or firewalled.
        corpus_tags: of the corpus, for example privileged.
        source_tags: of the source.
        source_outbound: whether the source's own policy lets it out.
    """

    user_enabled: bool = False
    visibility: str = "ambient"
    corpus_tags: Collection[str] = ()
    source_tags: Collection[str] = ()
    source_outbound: bool = False


def cloud_refusal(request: CloudRequest) -> str | None:
    """Why a cloud service may not see a document, or None (CNV-15)."""
    tags = PRIVATE_TAGS.intersection(request.corpus_tags) | PRIVATE_TAGS.intersection(request.source_tags)
    if tags:
        return f"it is {' and '.join(sorted(tags))}"
    if request.visibility not in ("ambient", "cloud_allowed"):
        return f"its corpus is {request.visibility}"
    if not request.user_enabled:
        return "cloud services are off"
    if not request.source_outbound:
        return NOT_LET_OUT
    return None


def within(host: str, names: Collection[str]) -> bool:
    """Whether a host is one of these, or a subdomain of one."""
    return any(host == name or host.endswith(f".{name}") for name in (item.lower().rstrip(".") for item in names))
