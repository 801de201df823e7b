"""Memories: statements that were extracted from documents, each with the passage that it stands in.

    with Library.open("library", create=False) as library:
        store = MemoryStore(library)
        anchor = store.anchor(document_id, quote="The gauge stood at 3.2 m.")
        store.add("The gauge stood at 3.2 m at noon.", anchor=anchor)

Importing this package does not import octavo-library or the data models: names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .memory_store import MemoryStore
    from .models import (
        AddedMemory,
        EntityRef,
        FoundMemory,
        LinkKind,
        Memory,
        MemoryPage,
        RelatedMemory,
        SourceAnchor,
        Verification,
    )

__all__ = [
    "AddedMemory",
    "EntityRef",
    "FoundMemory",
    "LinkKind",
    "Memory",
    "MemoryPage",
    "MemoryStore",
    "RelatedMemory",
    "SourceAnchor",
    "Verification",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "AddedMemory": "models",
        "EntityRef": "models",
        "FoundMemory": "models",
        "LinkKind": "models",
        "Memory": "models",
        "MemoryPage": "models",
        "MemoryStore": "memory_store",
        "RelatedMemory": "models",
        "SourceAnchor": "models",
        "Verification": "models",
    },
)
