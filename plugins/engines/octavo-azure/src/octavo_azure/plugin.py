"""The plugin `azure` implements no document hook: those run where there is no network. Its service is made here."""

from __future__ import annotations

from octavo_contracts import RemoteRecogniser


def make_recogniser() -> RemoteRecogniser:
    """A client of Document Intelligence."""
    from .client import AzureRecogniser

    return AzureRecogniser()
