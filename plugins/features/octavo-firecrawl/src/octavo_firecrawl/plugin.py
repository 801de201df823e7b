"""The feature's service, made when the core asks for it."""

from __future__ import annotations

from octavo_contracts import Crawler


def make_crawler() -> Crawler:
    """A client of Firecrawl's public API."""
    from .client import FirecrawlClient

    return FirecrawlClient()
