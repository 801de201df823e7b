"""Octavo: document extraction that can be trusted.

Importing this package imports no engine and no database: names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .conversion import ConvertedDocument
    from .converting import convert, extract
    from .document import Document
    from .library import Ingested, Library
    from .settings import Settings

__all__ = ["ConvertedDocument", "Document", "Ingested", "Library", "Settings", "__version__", "convert", "extract"]

_HOMES = {
    "ConvertedDocument": "conversion",
    "Document": "document",
    "Ingested": "library",
    "Library": "library",
    "Settings": "settings",
    "convert": "converting",
    "extract": "converting",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{home}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
