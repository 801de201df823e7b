"""What a plugin with the capability `network` is given while nothing may leave the machine."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from octavo_contracts import PolicyRefused
from octavo_contracts.services import FetchResponse


class RefusingFetcher:
    """Refuses every request with the host it was for, and opens nothing."""

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = 30.0,
    ) -> FetchResponse:
        """Refuse.

        Raises:
            PolicyRefused: always.
        """
        try:
            host = urlsplit(url).hostname or "an unnamed host"
        except ValueError:
            host = "an unnamed host"
        raise PolicyRefused(
            f"the network is off: a request to {host} was not made",
            remedy="Use a plugin that works on this machine alone; no setting of this version turns the network on",
        )
