"""Fetcher that refuses every request, where a host offers none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from octavo_contracts import PolicyRefused

if TYPE_CHECKING:
    from octavo_contracts import FetchResponse


class RefusingFetcher:
    """Refuses every request, naming its host, and opens no connection."""

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
            f"network access is disabled: no request was sent to {host}",
            remedy="Use a plugin that works offline, or a host that offers network access",
        )
