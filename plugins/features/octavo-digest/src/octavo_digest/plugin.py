"""Factories of the feature's services; importing this module imports no model and no client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo_contracts import Digestor, Scorer, Summariser


def make_digestor(settings: Mapping[str, Any]) -> Digestor:
    """Create the digestor; see `factory.digestor_from` for its settings."""
    from .factory import digestor_from

    return digestor_from(settings)


def make_scorer() -> Scorer:
    """Create the scorer `hybrid/v1`."""
    from .hybrid import HybridScorer

    return HybridScorer()


def make_summariser(settings: Mapping[str, Any]) -> Summariser:
    """Create the summariser: the model named in the settings, else the extractive one."""
    from .factory import summariser_from

    return summariser_from(settings)
