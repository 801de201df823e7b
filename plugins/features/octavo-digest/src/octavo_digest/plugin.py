"""Factories of the feature's services; importing this module imports no model and no client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from octavo_contracts import Digestor, Scorer, Summariser

if TYPE_CHECKING:
    from octavo.plugins.services import Services


def make_digestor(settings: Mapping[str, Any], services: Services) -> Digestor:
    """Create the digestor; see `factory.digestor_from` for its settings."""
    from .factory import digestor_from

    return digestor_from(settings, services)


def make_scorer(services: Services) -> Scorer:
    """Create the scorer `hybrid/v1`, with the best embedder among the services."""
    from .hybrid import HybridScorer

    return HybridScorer(services=services)


def make_summariser(settings: Mapping[str, Any]) -> Summariser:
    """Create the summariser: the model named in the settings, else the extractive one."""
    from .factory import summariser_from

    return summariser_from(settings)
