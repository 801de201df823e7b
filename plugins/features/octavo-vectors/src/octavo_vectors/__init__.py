"""Semantic search: a local embedding model, and vectors stored with LanceDB in the library's folder."""

from __future__ import annotations

from .lance import LanceVectorIndex
from .minilm import MiniLmEmbedder

__all__ = ["LanceVectorIndex", "MiniLmEmbedder"]
