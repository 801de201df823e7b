"""The library that a host application embeds: documents go in, results come out, everything is kept and reused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from .document import Document
    from .library import Library
    from .results import Ingested

__all__ = ["Document", "Ingested", "Library"]

__getattr__, __dir__ = lazily(__name__, {"Document": "document", "Ingested": "results", "Library": "library"})
