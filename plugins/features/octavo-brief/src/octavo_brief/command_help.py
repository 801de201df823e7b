"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"brief": "Show what to know of a document before reading it."}
"""Command → the first sentence of its help."""
