"""Factory of the feature's service."""

from __future__ import annotations

from octavo_contracts import Crawler


def make_crawler() -> Crawler:
    """Create a client of Firecrawl's public API."""
    from .client import FirecrawlClient

    return FirecrawlClient()
