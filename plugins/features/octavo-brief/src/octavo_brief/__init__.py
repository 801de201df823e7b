"""What a reader wants to know of a document before reading it, every word of it quoted (INT-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo._lazy import lazily

from .making import Brief, make_brief
from .quoting import Quoted

if TYPE_CHECKING:
    from .document_brief import brief

__all__ = ["Brief", "Quoted", "brief", "make_brief"]

# What works on a library is imported when it is first used: a brief of a text needs no database.
__getattr__, __dir__ = lazily(__name__, {"brief": "document_brief"})
