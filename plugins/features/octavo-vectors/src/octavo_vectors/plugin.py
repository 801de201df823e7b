"""Factories of the feature's services; importing this module imports no model and no database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo_contracts import Embedder, VectorIndex


def make_embedder() -> Embedder:
    """Create the MiniLM embedder."""
    from .minilm import MiniLmEmbedder

    return MiniLmEmbedder()


def make_vector_index(settings: Mapping[str, Any]) -> VectorIndex:
    """Open the vectors of one model in a folder; see `lance.index_from` for the settings."""
    from .lance import index_from

    return index_from(settings)
