"""The plugin `azure`: creates its service. It has no document hooks, because these run without a network."""

from __future__ import annotations

from octavo_contracts import RemoteRecogniser


def make_recogniser() -> RemoteRecogniser:
    """Create a client of Document Intelligence."""
    from .client import AzureRecogniser

    return AzureRecogniser()
