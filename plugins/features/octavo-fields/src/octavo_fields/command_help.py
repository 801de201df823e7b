"""Help lines of this feature's commands. Kept light: the list of commands imports it."""

from __future__ import annotations

HELP = {"fields": "Extract literal values from a document, each with its position."}
"""Command → the first sentence of its help."""
