"""The feature's services, made when the core asks for them; importing this imports no model and no client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo_contracts import Digestor, Scorer, Summariser


def make_digestor(settings: Mapping[str, Any]) -> Digestor:
    """The digestor; see `factory.digestor_from` for its settings."""
    from .factory import digestor_from

    return digestor_from(settings)


def make_scorer() -> Scorer:
    """`hybrid/v1`."""
    from .hybrid import HybridScorer

    return HybridScorer()


def make_summariser(settings: Mapping[str, Any]) -> Summariser:
    """The model that the settings name, else the extractive summariser."""
    from .factory import summariser_from

    return summariser_from(settings)
