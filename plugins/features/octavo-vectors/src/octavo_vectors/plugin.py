"""The feature's services, made when the core asks for them; importing this imports no model and no database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo_contracts import Embedder, VectorIndex


def make_embedder() -> Embedder:
    """MiniLM."""
    from .minilm import MiniLmEmbedder

    return MiniLmEmbedder()


def make_vector_index(settings: Mapping[str, Any]) -> VectorIndex:
    """The vectors of one model in a folder; see `lance.index_from` for the settings."""
    from .lance import index_from

    return index_from(settings)
