"""Briefs: what to know about a document before reading it, quoted from the document (INT-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .document_brief import brief
    from .making import Brief, make_brief
    from .quoting import Quoted

__all__ = [
    "Brief",
    "Quoted",
    "brief",
    "make_brief",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Brief": "making",
        "Quoted": "quoting",
        "brief": "document_brief",
        "make_brief": "making",
    },
)
