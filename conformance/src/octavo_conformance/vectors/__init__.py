"""Golden vectors: small documents made by a script of ours, each with the truth about it.

`v1/` holds the documents and `truth.json`; `python -m octavo_conformance.vectors` writes them again, byte for byte.
"""

from __future__ import annotations

from .model import AttachmentTruth, Expected, GoldenVector, HostileKind, HostileVector, words_of
from .stored import FAMILIES, load_golden, truth_schema

__all__ = [
    "FAMILIES",
    "AttachmentTruth",
    "Expected",
    "GoldenVector",
    "HostileKind",
    "HostileVector",
    "load_golden",
    "truth_schema",
    "words_of",
]
