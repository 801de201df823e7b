"""Checks the names of plugins in settings and profiles: a misspelt one is an error, never an empty choice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from octavo_contracts import UsageError

OWN_PLUGINS: Final = frozenset(
    {
        "azure", "brief", "builtin", "calamine", "census", "context", "dashboard", "digest", "docling", "faster-whisper", "fields",
        "firecrawl", "gliner", "libreoffice", "library", "langchain", "liteparse", "llama-index", "literal", "markitdown", "mcp", "memory", "pandoc",
        "pdf-inspector", "pdfium", "pdfminer", "pillow", "plaintext", "pypdf", "rapidocr", "ray", "research", "retrieval",
        "searchable-pdf", "spacy", "tesseract", "trafilatura", "vectors", "vision", "web", "whisper", "xberg",
    }
)  # fmt: skip
"""Names of Octavo's own plugins: settings and profiles may name them whether or not they are installed."""


def check_known(names: Iterable[str], known: Iterable[str], *, where: str) -> None:
    """Raise unless every name is that of an installed plugin or of one of Octavo's own.

    Args:
        names: the names to check.
        known: the names of the installed plugins, also of those that are blocked or cannot be used.
        where: the setting, variable or table that gives them, for the message.

    Raises:
        UsageError: a name is unknown; the message suggests similar ones.
    """
    installed = set(known)
    unknown = sorted(set(names) - installed - OWN_PLUGINS)
    if not unknown:
        return
    name = unknown[0]
    close = difflib.get_close_matches(name, installed, n=2) or difflib.get_close_matches(name, OWN_PLUGINS, n=2)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise UsageError(
        f"{where} names {name!r}, but no plugin of that name is installed or one of Octavo's own{hint}",
        remedy="Correct the name; `octavo plugins` lists the installed plugins",
    )
