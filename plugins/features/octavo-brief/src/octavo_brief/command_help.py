"""Help lines of this feature's commands. Kept light: the list of commands imports it."""

from __future__ import annotations

HELP = {"brief": "Show what to know about a document before reading it."}
"""Command → the first sentence of its help."""
