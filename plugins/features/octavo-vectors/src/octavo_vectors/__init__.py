"""Search by meaning: an embedding model on this machine, and vectors kept by LanceDB in the library's folder."""

from __future__ import annotations

from .lance import LanceVectorIndex
from .minilm import MiniLmEmbedder

__all__ = ["LanceVectorIndex", "MiniLmEmbedder"]
